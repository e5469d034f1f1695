// SPDX-License-Identifier: BSD-3-Clause
// Closed forms; the reference problems are in published_forms_long_test.cpp.
#include "actio/solvers/reference/dense_cone.hpp"

#include "support/catch.hpp"
#include "support/published_conditions.hpp"

namespace published_forms_test {

using namespace actio;

TEST_CASE("published forms: a separating contact pushes with 4 N", "[solvers][cone][fast]") {
  // Two contacts of h^2 K = 1e10 on one body; the law of their springs gives 10 N and 0 N.   [compliant_math.md, section 4.2]
  const double h = 0.01, K = 1e14;
  DenseConeProblem<double> problem{Eigen::Matrix2d{{h, h / 2}, {h / 2, h}}, Eigen::Vector2d(-1e-3, -2e-4) / h, ConeRows<double>(2)};
  REQUIRE((problem.rows.add(RowKind::unilateral, 1 / (h * K), 0) && problem.rows.add(RowKind::unilateral, 1 / (h * K), 0)));
  problem.W.diagonal().array() += 1 / (h * K);
  const ConeSolution<double> found = solve_published(problem);
  CHECK(found.status == Status::converged);
  CHECK((found.lambda - Eigen::Vector2d(8, 4)).norm() < 1e-6);
  CHECK(found.certificate.worst() > 1e-3);
  CHECK((solve(problem, ConeLaw::convex).lambda - Eigen::Vector2d(10, 0)).norm() < 1e-6);
}

TEST_CASE("published forms: solutions for unilateral rows and contacts satisfy the conditions of the minimum", "[solvers][cone][fast]") {
  for (const bool one_sided : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 48; ++seed) {
      const DenseConeProblem<double> problem = test::random_free_masses(seed, 1 + static_cast<Eigen::Index>(seed % 16), one_sided);
      const double weight = seed % 2 == 0 ? 1 : 3;
      const ConeSolution<double> found = solve_published(problem, weight);
      const test::PublishedConditions conditions = test::published_conditions(problem, found.lambda, weight);
      CAPTURE(one_sided, seed, found.iterations);
      CHECK(found.status == Status::converged);
      CHECK(conditions.infeasible < 1e-8);
      CHECK(conditions.gradient < 1e-5);
    }
  }
}

TEST_CASE("published forms: sixteen coupled springs with forces far above those of single springs are solved", "[solvers][cone][fast]") {
  // Earlier failures: the solver gave up after iterations in which the gap grew; forces violated the rows by 0.1 to 1 of the largest rate.
  for (const std::uint64_t seed : {165U, 409U, 676U, 792U, 933U}) {
    const DenseConeProblem<double> problem = test::random_free_masses(seed, 16, true);
    for (int copy = 0; copy < 5; ++copy) {
      DenseConeProblem<double> perturbed = problem;
      perturbed.b *= 1 + 1e-9 * copy;
      const ConeSolution<double> found = solve_published(perturbed);
      const test::PublishedConditions conditions = test::published_conditions(perturbed, found.lambda, 1);
      CAPTURE(seed, copy, found.iterations);
      CHECK(found.status == Status::converged);
      CHECK(conditions.infeasible < 1e-8);
      CHECK(conditions.gradient < 1e-5);
    }
  }
}

TEST_CASE("published forms: input that is not finite is reported, and units do not matter", "[solvers][cone][fast]") {
  const DenseConeProblem<double> problem = test::random_free_masses(3, 8, false);
  const ConeSolution<double> found = solve_published(problem);
  for (const double unit : {1e-300, 1e-30, 1e30, 1e290}) {
    DenseConeProblem<double> other = problem;
    other.b *= unit;
    other.rows.clear();
    for (RowGroup<double> group : problem.rows.groups()) {
      if (group.kind == RowKind::friction) group.limit *= unit;
      REQUIRE(other.rows.add(problem.rows.copy(group)));
    }
    const ConeSolution<double> same = solve_published(other);
    CAPTURE(unit);
    CHECK(same.status == Status::converged);
    CHECK((same.lambda / unit - found.lambda).norm() < 1e-9 * found.lambda.norm());
  }
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    DenseConeProblem<double> broken = problem;
    broken.b[2] = wrong;
    CHECK(solve_published(broken).status == Status::not_finite);
    broken = problem;
    broken.W(2, 2) = wrong;
    CHECK(solve_published(broken).status == Status::not_finite);
  }
}

}  // namespace published_forms_test
