// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/row_weights.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "actio/dynamics/crba.hpp"
#include "actio/integrators/regularized_joints.hpp"
#include "actio/model/ready/random_tree.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

TEST_CASE("row weights: they invert the mobility of free bodies", "[constraints][row_weights][fast]") {
  const Model<double> model = models::random_tree(3, 4);
  BodyArray<int> acts_on(model.num_bodies(), 0);
  acts_on[1] = 2, acts_on[3] = 5;
  RowWeights<double> weights(model, acts_on);
  models::Random random(1);
  for (std::size_t count = 1; count <= 6; ++count) {
    const auto n = static_cast<Eigen::Index>(count);
    std::array<std::array<Vector6<double>, 6>, 2> wrench;
    for (auto& side : wrench) {
      for (Vector6<double>& F : side) F = random.in_box<double, 6>(1);
    }
    Matrix6<double> E;
    {
      const test::AllocationCounter allocations;
      weights.begin(count);
      weights.add(1, [&](int r) { return wrench[0][static_cast<std::size_t>(r)]; });
      weights.add(3, [&](int r) { return wrench[1][static_cast<std::size_t>(r)]; });
      weights.add(0, [&](int r) { return wrench[1][static_cast<std::size_t>(r)]; });  // the world gives way to nothing
      const bool regular = weights.finish(E);
      CHECK(allocations.count() == 0);
      REQUIRE(regular);
    }
    MatrixXd J(12, n), mobility = MatrixXd::Zero(n, n);
    for (Eigen::Index r = 0; r < n; ++r) J.col(r) << wrench[0][static_cast<std::size_t>(r)], wrench[1][static_cast<std::size_t>(r)];
    mobility += 2 * J.topRows(6).transpose() * model.inertia(1).matrix().ldlt().solve(J.topRows(6));
    mobility += 5 * J.bottomRows(6).transpose() * model.inertia(3).matrix().ldlt().solve(J.bottomRows(6));
    CHECK((MatrixXd(E.topLeftCorner(n, n)) * mobility - MatrixXd::Identity(n, n)).norm() < 1e-10 * mobility.norm() * E.topLeftCorner(n, n).norm());
  }
  weights.begin(2);
  weights.add(1, [](int r) { return r == 0 ? Vector6<double>::Unit(3).eval() : Vector6<double>::Zero().eval(); });
  Matrix6<double> E;
  CHECK_FALSE(weights.finish(E));
}

/// A random tree with loops of all types and couplings between its bodies, open anyhow.
Model<double> tied_tree(std::uint64_t seed) {
  models::Random random(seed);
  ModelBuilder<double> builder("tied_tree");
  constexpr int bodies = 9;
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  std::vector<std::string> single;
  for (int k = 1; k <= bodies; ++k) {
    const int parent = random.happens(0.6) ? k - 1 : random.below(k);
    const Pose<double> placement = random.pose<double>(0.5);
    const DefaultJoints<double> joint = models::detail::random_joint<double>(random);
    builder.add_body(link(k), models::detail::random_inertia<double>(random));
    std::visit([&]<JointType J>(const J& of_type) {
      builder.add_joint("joint_" + link(k), link(parent), link(k), placement, of_type,
                        models::detail::random_properties<double, J>(random, {.armature = true}));
      if (J::nv == 1) single.push_back("joint_" + link(k));
    }, joint);
  }
  for (int k = 0; k < 9; ++k) {
    Loop<double> loop;
    loop.name = "loop_" + std::to_string(k);
    loop.type = static_cast<LoopType>(k);
    loop.T_A = random.pose<double>(0.3);
    loop.T_B = random.pose<double>(0.3);
    loop.axis = random.direction<double>();
    loop.axis2 = random.direction<double>();
    loop.length = 0.5;
    const int a = random.below(bodies + 1), b = 1 + (a + random.below(bodies - 1)) % bodies;
    builder.add_loop(loop, link(a), link(a == b ? b % bodies + 1 : b));
  }
  for (std::size_t k = 1; k < single.size(); ++k) builder.add_coupling(single[k], single[0], random.uniform(-3, 3), 0.1);
  return builder.build();
}

TEST_CASE("row weights: on any tree no loop or coupling gives way by more than one", "[constraints][row_weights][fast]") {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = tied_tree(seed);
    JointLoops<Model<double>> loops(model);
    State<double> x{models::random_configuration(model, seed), VectorXd::Zero(model.nv()), 0};
    int culprit = -1;
    const Eigen::Index rows = loops.rows();
    MatrixXd D(rows, model.nv()), E(rows, rows);
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      x.v = VectorXd::Unit(model.nv(), k);
      REQUIRE(loops.place(x, culprit) == Status::converged);
      D.col(k) = loops.rate();
    }
    for (Eigen::Index r = 0; r < rows; ++r) {
      VectorXd column(rows);
      loops.weigh(VectorXd::Unit(rows, r), column);
      E.col(r) = column;
      for (Eigen::Index other = 0; other < rows; ++other) {
        if (loops.loop_of(other) != loops.loop_of(r)) CHECK(column[other] == 0);  // block-diagonal
      }
    }
    // D is the derivative of the gap
    const double step = 1e-6;
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const auto gap_at = [&](double along) {
        const State<double> moved{model.integrate(x.q, along * VectorXd::Unit(model.nv(), k)), VectorXd::Zero(model.nv()), 0};
        REQUIRE(loops.place(moved, culprit) == Status::converged);
        return VectorXd(loops.gap());
      };
      CHECK(((gap_at(step) - gap_at(-step)) / (2 * step) - D.col(k)).cwiseAbs().maxCoeff() < 1e-7);
    }
    CrbaData<double> data(model);
    const MatrixXd M = crba(model, data, x.q), root = E.llt().matrixL();
    const VectorXd kappa =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(root.transpose() * D * M.llt().solve(D.transpose()) * root, Eigen::EigenvaluesOnly).eigenvalues();
    CAPTURE(seed, rows);
    CHECK(kappa.maxCoeff() < 1 + 1e-9);
    CHECK(kappa.minCoeff() > -1e-9);
    largest = std::max(largest, kappa.maxCoeff());
  }
  CHECK(largest > 0.3);  // the bound is not idle
}

}  // namespace
