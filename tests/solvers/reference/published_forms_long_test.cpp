// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/dense_cone.hpp"

#include "support/catch.hpp"
#include "support/published_conditions.hpp"

namespace published_forms_long_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("published forms: quadratic programs, also with quadratic constraints, of all reference problems", "[solvers][cone][long]") {
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
  CHECK(differ > 30);  // most of them differ from the law of the springs
}

TEST_CASE("published forms: a thousand problems with unilateral rows and a thousand with contacts are solved", "[solvers][cone][long]") {
  for (const bool one_sided : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      const DenseConeProblem<double> problem = test::random_free_masses(seed, 1 + static_cast<Eigen::Index>(seed % 32), one_sided);
      const double weight = std::pow(10, 0.5 * static_cast<double>(seed % 5) - 1);
      const ConeSolution<double> found = solve_published(problem, weight);
      const test::PublishedConditions conditions = test::published_conditions(problem, found.lambda, weight);
      CAPTURE(one_sided, seed, found.iterations);
      REQUIRE(found.status == Status::converged);
      REQUIRE(conditions.infeasible < 1e-8);
      REQUIRE(conditions.gradient < 1e-5);
    }
  }
}

}  // namespace published_forms_long_test
