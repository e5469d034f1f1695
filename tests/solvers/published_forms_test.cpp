// SPDX-License-Identifier: BSD-3-Clause
// In closed form; published_forms_long_test.cpp has the reference problems.
#include "actio/solvers/published_forms.hpp"

#include "support/catch.hpp"

namespace published_forms_test {

using namespace actio;

TEST_CASE("published forms: a separating contact pushes with 4 N", "[solvers][cone][fast]") {
  // Two contacts of h^2 K = 1e10 on one body; the law of their springs gives 10 N and none.   [compliant_math.md, section 4.2]
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

}  // namespace published_forms_test
