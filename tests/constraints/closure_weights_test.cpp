// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/closure_weights.hpp"

#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/refusal.hpp"
#include "support/tangled_tree.hpp"

namespace closure_weights_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

TEST_CASE("closure weights: block diagonal, and weighted mobilities are at most one", "[constraints][fast]") {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::Tangled tangled = test::tangled_tree(seed, 9, 3, 1, {.armature = true});
    if (seed % 2 == 0) tangled.q = models::random_configuration(tangled.model, seed + 1);  // the loops are open
    test::PlacedTangle tangle(tangled);
    auto& [model, q, tree, closures, rotations] = tangle;
    ClosureWeights<Model<double>> weights(model, "this test");
    REQUIRE(static_cast<Eigen::Index>(weights.rows()) == closures.size());
    const auto* idle = weights.set(tree, [&](Eigen::Index k) -> const ConstraintRow<double>& { return closures[k]; });
    REQUIRE(idle == nullptr);
    MatrixXd E(closures.size(), closures.size());
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      VectorXd column(closures.size());
      weights.times(VectorXd::Unit(closures.size(), k), column);
      E.col(k) = column;
      for (Eigen::Index other = 0; other < closures.size(); ++other) {
        if (closures.culprit(other) != closures.culprit(k)) CHECK(column[other] == 0);
      }
    }
    CAPTURE(seed);
    CHECK((E - E.transpose()).norm() < 1e-12 * E.norm());
    const MatrixXd M = tangle.mass_matrix(), G = tangle.jacobian(), root = test::cholesky(E);
    const VectorXd gives_way = test::symmetric_eigenvalues(root.transpose() * test::delassus(G, M) * root);
    CHECK(gives_way.maxCoeff() < 1 + 1e-9);
    CHECK(gives_way.minCoeff() > -1e-9);
    largest = std::max(largest, gives_way.maxCoeff());
  }
  CHECK(largest > 0.3);  // the bound is not trivial
}

TEST_CASE("closure weights: a closure on a body without full inertia is refused by name", "[constraints][fast]") {
  ModelBuilder<double> builder("light");
  builder.add_body("rod", Inertia<double>::point(1, {0, 0, 1}));
  builder.add_joint("hinge", "world", "rod", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  Loop<double> loop;
  loop.name = "tie";
  const Model<double> model = builder.add_loop(loop, "world", "rod").build();
  const std::string said = test::refusal<ModelError>([&] { ClosureWeights<Model<double>>(model, "this test"); });
  CHECK(test::missing(said, {"this test", "body 'rod'", "loop 'tie'"}) == "");
}

}  // namespace closure_weights_test
