// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/iterated_matrix.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/tangled_tree.hpp"

namespace iterated_matrix_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

/// The rows of a tangled tree, numbered as those of a compliant step.
std::vector<ConstraintRow<double>> rows_of(const TreeClosures<Model<double>>& closures) {
  std::vector<ConstraintRow<double>> rows;
  for (Eigen::Index k = 0; k < closures.size(); ++k) {
    rows.push_back(closures[k]);
    rows.back().closure = static_cast<int>(k);
  }
  return rows;
}

TEST_CASE("iterated matrix: it inverts masses with stiff closures, redundant ones too, and lets go of those without stiffness",
          "[integrators][compliant][fast]") {
  int held = 0, free = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::PlacedTangle tangle(test::tangled_tree(seed, 9, 3, seed % 2 == 0 ? 2 : 1));
    auto& [model, q, tree, closures, turns] = tangle;
    const std::vector<ConstraintRow<double>> rows = rows_of(closures);
    const VectorXd joint = VectorXd::Constant(model.nv(), 0.1);
    MatrixXd T = tangle.mass_matrix();
    T.diagonal() += joint - model.properties().armature;
    IteratedMatrix<Model<double>> matrix(model);
    models::Random random(seed);
    const VectorXd b = models::random_velocity(model, seed);
    VectorXd x = b;
    {
      const test::AllocationCounter allocations;
      matrix.begin(tree);
      matrix.set_masses(joint);
      for (const ConstraintRow<double>& row : rows) {
        const bool holds = random.happens(0.8);
        (holds ? held : free)++;
        if (!holds) continue;
        const double stiffness = std::pow(10, random.uniform(0, 6));
        matrix.add(row, row, stiffness);
        BodyArray<Vector6<double>> F(model.num_bodies(), Vector6<double>::Zero());
        VectorXd g = VectorXd::Zero(model.nv());
        row.apply(1, F, g);
        add_joint_forces(model, tree, F, g);
        T += stiffness * g * g.transpose();
      }
      REQUIRE(matrix.factor(tree));
      const std::size_t before = allocations.count();
      matrix.solve(tree, x);
      CHECK(allocations.count() == before);
    }
    CAPTURE(seed);
    CHECK((T * x - b).norm() < 1e-7 * b.norm());  // stiffness is 1e6 times what bodies have
  }
  CHECK(held > 300);
  CHECK(free > 50);
}

}  // namespace iterated_matrix_test
