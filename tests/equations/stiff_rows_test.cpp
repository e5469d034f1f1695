// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/stiff_rows.hpp"

#include "actio/constraints/tree_rows.hpp"
#include "actio/equations/compliant_tree.hpp"
#include "support/loaded_bodies.hpp"
#include "support/refusal.hpp"
#include "support/tangled_tree.hpp"

namespace stiff_rows_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

template <Factorization factorization>
struct Tree : CompliantTree<Model<double>> {
  Tree(const actio::Model<double>& model, std::size_t rows, std::size_t ties) : CompliantTree(model, rows, ties, factorization, 60) {}
};
using Maximal = Tree<Factorization::sparse>;
using Iterated = Tree<Factorization::iterated>;
using Blocks = Tree<Factorization::blocks>;
static_assert(ConeProblem<Maximal, double>);

/// With rows of all kinds, and those of the loops and couplings of the model.
template <class Tree>
struct Closed : test::Loaded<Tree> {
  using test::Loaded<Tree>::bodies, test::Loaded<Tree>::model, test::Loaded<Tree>::q;
  Closed(std::uint64_t seed, int loops, int copies, std::size_t ties = 12)
      : test::Loaded<Tree>(seed, ties, test::tangled_tree(seed, 7, loops, copies, test::Loaded<Tree>::options(seed)).model) {
    models::Random random(seed + 5);
    // the same for all rows: contradictory rows would have no solution to compare
    const VectorXd meant = models::random_velocity(model, random, 0.1);
    const auto add = [&](ConstraintRow<double> row) {
      row.closure = closures++;
      const double R = random.happens(0.3) ? 0 : std::pow(10, random.uniform(-9, -1));
      REQUIRE(bodies.add({RowKind::bilateral, 1, {R, 0, 0}, {-row.rate(bodies.twists(meant), meant), 0, 0}}, {&row, 1}));
    };
    KinematicsData<double> data(model);
    forward_kinematics(model, data, q, VectorXd::Zero(model.nv()));
    for (const Loop<double>& loop : model.loops()) {
      std::array<ConstraintRow<double>, 6> rows;
      const std::size_t count = loop_rows(loop, data.T_WB[loop.body_a], data.T_WB[loop.body_b], rows);
      for (std::size_t k = 0; k < count; ++k) add(rows[k]);
    }
    for (const Coupling<double>& coupling : model.couplings()) add(coupling_row<double>(coupling, q));
  }
  int closures = 0;
};

TEST_CASE("stiff rows: the sparse form matches the dense problem on trees", "[integrators][compliant][long]") {
  test::check_loaded_solutions<Maximal>(12);
}
TEST_CASE("stiff rows: blocks match the dense problem on several trees", "[integrators][compliant][fast]") {
  test::check_loaded_solutions<Blocks>(60);
}

TEST_CASE("stiff rows: the sparse form matches the dense problem with loops of all types and couplings, also redundant ones",
          "[integrators][compliant][long]") {
  int closures = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const int copies : {1, 2}) {
      Closed<Maximal> closed(seed, 3, copies);
      CAPTURE(seed, copies, closed.model.nv(), closed.closures);
      test::check_products(closed.bodies.problem(), closed.dense(), seed + 99);
      closures += closed.closures;
    }
  }
  CHECK(closures > 120 * 8);
}

TEST_CASE("stiff rows: forces and velocities by the sparse form match the dense problem, without allocation",
          "[integrators][compliant][long]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const int copies : {1, 2}) {
      Closed<Maximal> closed(seed, 1, copies);
      CAPTURE(seed, copies, closed.model.nv(), closed.closures);
      test::check_solutions(closed.bodies.problem(), closed.dense());
    }
  }
}

TEMPLATE_TEST_CASE("stiff rows: other forms match the dense problem with loops of all types and couplings, also redundant ones",
                   "[integrators][compliant][fast]", Iterated, Blocks) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    for (const int copies : {1, 2}) {
      Closed<TestType> closed(seed, 3, copies);
      CAPTURE(seed, copies, closed.model.nv(), closed.closures);
      test::check_products(closed.bodies.problem(), closed.dense(), seed + 99);
    }
  }
}

TEMPLATE_TEST_CASE("stiff rows: rows without stiffness have no effect", "[integrators][compliant][fast]", Maximal, Iterated, Blocks) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Closed<TestType> closed(seed, 4, 2);
    const test::ConeCase one = closed.dense();
    const std::vector<GroupForce<double>> none(one.rows.groups().size());
    REQUIRE(closed.bodies.factor(none));
    const VectorXd f = models::random_velocity(closed.model, seed);
    VectorXd x = f;
    closed.bodies.solve(x);
    CHECK((one.M * x - f).norm() < 1e-9 * f.norm());
  }
}

TEST_CASE("stiff rows: in the sparse form closures do not use the capacity of ties", "[integrators][compliant][fast]") {
  const Closed<Maximal> closed(3, 5, 2, 6);  // two contacts between bodies and a row on two joints: at most seven rows
  CHECK(closed.closures > 6);
}

TEST_CASE("stiff rows: in the sparse form bodies without inertia of their own are refused by name", "[integrators][compliant][fast]") {
  ModelBuilder<double> builder("pendulum");
  builder.add_body("arm", Inertia<double>::sphere(1, 0.1)).add_body("bob", Inertia<double>::point(1, {0, 0, -1}));
  builder.add_joint("shoulder", "world", "arm", Pose<double>::identity(), Revolute<double>(Vector3<double>::UnitX()));
  builder.add_joint("elbow", "arm", "bob", Pose<double>::identity(), Revolute<double>(Vector3<double>::UnitX()));
  const Model<double> model = builder.build();
  const std::string refusal = test::refusal<ModelError>([&] { return StiffRows<Model<double>>(model, Factorization::sparse, 0, 0, 0); });
  CHECK(test::missing(refusal, {"Factorization::sparse", "'bob'", "no moment of inertia"}).empty());
}

}  // namespace stiff_rows_test
