// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/published_forms.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace published_forms_long_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("published forms: the quadratic programs, and those with quadratic constraints, of all reference problems", "[solvers][cone][long]") {
  int differ = 0;
  for (const char* kind : {"unilateral", "cone"}) {
    for (const test::ConeCase& one : test::cone_cases(kind)) {
      const ConeSolution<double> found = solve_published(one.forces(), one.json.value("wn_published", 1.0));
      const VectorXd expected = test::to_vector(one.json["lambda_published"]);
      CAPTURE(one.name);
      CHECK(found.status == Status::converged);
      CHECK((found.lambda - expected).cwiseAbs().maxCoeff() < 1e-10 * expected.cwiseAbs().maxCoeff());
      differ += found.certificate.worst() > 1e-3;
    }
  }
  CHECK(differ > 30);  // from the law of their springs, most of them
}

TEST_CASE("published forms: a separating contact pushes with 4 N", "[solvers][cone][long]") {
  // Two contacts of h^2 K = 1e10 on one body.                                          [compliant_math.md, section 4.2]
  const double h = 0.01, K = 1e14;
  DenseConeProblem<double> problem{Eigen::Matrix2d{{h, h / 2}, {h / 2, h}}, Eigen::Vector2d(-1e-3, -2e-4) / h, ConeRows<double>(2)};
  REQUIRE((problem.rows.add(RowKind::unilateral, 1 / (h * K), 0) && problem.rows.add(RowKind::unilateral, 1 / (h * K), 0)));
  problem.W.diagonal().array() += 1 / (h * K);
  CHECK((solve_published(problem).lambda - Eigen::Vector2d(8, 4)).norm() < 1e-6);
  CHECK((solve(problem, ConeLaw::convex).lambda - Eigen::Vector2d(10, 0)).norm() < 1e-6);
}

}  // namespace published_forms_long_test
