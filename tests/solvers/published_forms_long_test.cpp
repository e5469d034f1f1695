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

}  // namespace published_forms_long_test
