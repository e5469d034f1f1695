// SPDX-License-Identifier: BSD-3-Clause
// Mobility of rows on unconstrained bodies, against the inertia of the bodies, and as a bound of the mobility in a tree.
#include "actio/constraints/mobility.hpp"
#include "actio/model/joints/free.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/tangled_tree.hpp"

namespace free_mobility_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

TEST_CASE("free mobility: a body on its own has its inverse inertia, a body without full inertia none", "[constraints][fast]") {
  const auto inertia = Inertia<double>::box(2, {0.1, 0.2, 0.3}).seen_from_parent(Pose<double>::translation(0.5, -0.2, 0.1));
  ModelBuilder<double> builder("two");
  builder.add_body("full", inertia).add_body("point", Inertia<double>::point(1, {0, 0, 1}));
  builder.add_joint("free", "world", "full", Pose<double>::identity(), Free<double>());
  builder.add_joint("hinge", "world", "point", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  const Model<double> model = builder.build();
  TreePose<double> tree(model);
  place(model, tree, model.neutral());
  const FreeMobility<Model<double>> mobility(model);
  models::Random random(1);
  ConstraintRow<double> row;
  for (double& x : row.bodies[0].wrench) x = random.uniform(-1, 1);
  row.bodies[0].body = model.find_body("full");
  CHECK(std::abs(mobility(tree, row) - row.bodies[0].wrench.dot(test::solve(inertia.matrix(), row.bodies[0].wrench))) < 1e-12);
  row.bodies[1] = {model.find_body("point"), row.bodies[0].wrench};
  const double both = mobility(tree, row);
  row.bodies[0].body = 0;
  CHECK(mobility(tree, row) == 0);
  row.bodies[0].body = model.find_body("full");
  row.bodies[1].body = 0;
  CHECK(mobility(tree, row) == both);
}

TEST_CASE("free mobility: that of a group of rows is the mobility of the bodies, as often as asked for", "[constraints][fast]") {
  const Model<double> model = models::random_tree(3, 4);
  TreePose<double> tree(model);
  place(model, tree, model.neutral());
  BodyArray<int> times(model.num_bodies(), 0);
  times[1] = 2, times[3] = 5;
  const FreeMobility<Model<double>> mobility(model, times);
  models::Random random(1);
  std::array<ConstraintRow<double>, 6> rows;
  Eigen::MatrixXd J(6, 12);
  for (Eigen::Index r = 0; r < 6; ++r) {
    auto& bodies = rows[static_cast<std::size_t>(r)].bodies;
    bodies = {{{1, random.in_box<double, 6>(1)}, {3, random.in_box<double, 6>(1)}}};
    J.row(r) << bodies[0].wrench.transpose(), bodies[1].wrench.transpose();
  }
  const Eigen::MatrixXd expected = 2 * test::delassus(J.leftCols(6), model.inertia(1).matrix()) +
                                   5 * test::delassus(J.rightCols(6), model.inertia(3).matrix());
  for (Eigen::Index size = 1; size <= 6; ++size) {
    Matrix6<double> A;
    mobility.of_group(tree, size, [&](Eigen::Index k) -> const ConstraintRow<double>& { return rows[static_cast<std::size_t>(k)]; }, A);
    CHECK((A.topLeftCorner(size, size) - expected.topLeftCorner(size, size)).norm() < 1e-12 * expected.norm());
  }
}

TEST_CASE("free mobility: it is an upper bound of the mobility in a tree", "[constraints][fast]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    test::PlacedTangle tangle(test::tangled_tree(seed, 8, 3));
    auto& [model, q, tree, closures, rotations] = tangle;
    AbiData<double> abi(model);
    REQUIRE(abi_factor(model, tree, abi, VectorXd::Zero(model.nv())) == 0);
    const FreeMobility<Model<double>> mobility(model);
    CAPTURE(seed);
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      VectorXd g(model.nv()), Z(model.nv());
      closures.covector(tree, k, g);
      abi_solve(model, tree, abi, g, Z);
      CHECK(g.dot(Z) <= mobility(tree, closures[k]) * (1 + 1e-9));
      CHECK(mobility(tree, closures[k]) > 0);
    }
  }
}

}  // namespace free_mobility_test
