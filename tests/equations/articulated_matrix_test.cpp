// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/articulated_matrix.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/tangled_tree.hpp"

namespace articulated_matrix_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

/// The rows of a tangled tree, numbered as in a compliant step.
std::vector<ConstraintRow<double>> rows_of(const TreeClosures<Model<double>>& closures) {
  std::vector<ConstraintRow<double>> rows;
  for (Eigen::Index k = 0; k < closures.size(); ++k) {
    rows.push_back(closures[k]);
    rows.back().closure = static_cast<int>(k);
  }
  return rows;
}

/// Checks solutions with random trees.  @param slide [kg] normal stiffness, times the step, of a sliding contact on every other body.
/// @param tolerance of |T x - b| relative to |b|.
void check_solutions(double slide, double tolerance) {
  int held = 0, free = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::PlacedTangle tangle(test::tangled_tree(seed, 9, 3, seed % 2 == 0 ? 2 : 1));
    auto& [model, q, tree, closures, rotations] = tangle;
    const std::vector<ConstraintRow<double>> rows = rows_of(closures);
    const VectorXd joint = VectorXd::Constant(model.nv(), 0.1);
    MatrixXd T = tangle.mass_matrix();
    T.diagonal() += joint - model.properties().armature;
    const auto dense = [&](const ConstraintRow<double>& row) {
      BodyArray<Vector6<double>> F(model.num_bodies(), Vector6<double>::Zero());
      VectorXd g = VectorXd::Zero(model.nv());
      row.apply(1, F, g);
      add_joint_forces(model, tree, F, g);
      return g;
    };
    ArticulatedMatrix<Model<double>> matrix(model, true);
    models::Random random(seed);
    const VectorXd b = models::random_velocity(model, seed);
    VectorXd x = b;
    matrix.begin(tree);
    matrix.set_masses();
    for (const ConstraintRow<double>& row : rows) {
      const bool holds = random.happens(0.8);
      (holds ? held : free)++;
      if (!holds) continue;
      const double stiffness = std::pow(10, random.uniform(0, 6));
      matrix.set_closure(row, stiffness);
      T += stiffness * dense(row) * dense(row).transpose();
    }
    for (BodyIndex i = 1; slide > 0 && i < model.num_bodies(); i += 2) {
      const auto row = [&] {
        ConstraintRow<double> made;
        made.bodies[0].body = i;
        made.bodies[0].wrench << random.direction<double>(), random.direction<double>();
        return made;
      };
      const ConstraintRow<double> normal = row(), tangent = row();
      const double friction = -0.8 * slide;
      const Vector6<double>&on_n = normal.bodies[0].wrench, &on_t = tangent.bodies[0].wrench;
      matrix.add_to_body(i, slide, on_n, on_n);
      matrix.add_to_body(i, friction, on_t, on_n);
      T += (slide * dense(normal) + friction * dense(tangent)) * dense(normal).transpose();
    }
    const test::AllocationCounter allocations;
    REQUIRE(matrix.factor(tree, joint));
    matrix.solve(tree, x);
    CHECK(allocations.count() == 0);
    CAPTURE(seed);
    CHECK((T * x - b).norm() < tolerance * b.norm());
  }
  CHECK(held > 300);
  CHECK(free > 50);
}

TEST_CASE("articulated matrix: it inverts masses with stiff or redundant closures, and ignores those without stiffness",
          "[integrators][compliant][fast]") {
  check_solutions(0, 1e-7);  // the stiffness is 1e6 times that of the bodies
}

TEST_CASE("articulated matrix: nonsymmetric matrices of sliding contacts are solved too", "[integrators][compliant][fast]") {
  check_solutions(10, 1e-4);  // some of these matrices are nearly singular; conjugate gradients alone leave errors of up to 1e10 |b|
}

}  // namespace articulated_matrix_test
