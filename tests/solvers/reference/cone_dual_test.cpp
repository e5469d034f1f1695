// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/cone_dual.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace cone_dual_test {

using namespace actio;
using Eigen::VectorXd;

/// Error relative to the largest entry; zero if both are zero.
double relative(const VectorXd& a, const VectorXd& b) {
  const double size = b.cwiseAbs().maxCoeff();
  return size == 0 ? a.cwiseAbs().maxCoeff() : (a - b).cwiseAbs().maxCoeff() / size;
}

TEST_CASE("cone dual: all reference problems with determined forces are reproduced", "[solvers][cone][long]") {
  int seen = 0;
  for (const char* kind : {"bilateral", "unilateral", "cone"}) {
    for (const test::ConeCase& one : test::cone_cases(kind)) {
      const double condition = one.json["cond"].get<double>();
      if (condition > 1e9) continue;  // their forces are not determined
      const ConeSolution<double> found = solve(one.forces(), ConeLaw::convex);
      CAPTURE(one.name, condition);
      CHECK(found.status == Status::converged);
      CHECK(found.certificate.worst() < (condition > 1e5 ? 1e-10 : 1e-13));
      CHECK(relative(found.lambda, test::to_vector(one.json[one.json.contains("lambda") ? "lambda" : "lambda_exact"])) < 1e-10);
      ++seen;
    }
  }
  CHECK(seen == 60);
}

TEST_CASE("cone dual: Coulomb forces of all reference problems, one of which was first solved here", "[solvers][cone][long]") {
  for (const test::ConeCase& one : test::cone_cases("cone")) {
    const ConeSolution<double> found = solve(one.forces(), ConeLaw::coulomb);
    CAPTURE(one.name);
    CHECK(found.status == Status::converged);
    CHECK(found.certificate.worst() < 1e-13);
    if (!one.json["lambda_coulomb"].is_null()) CHECK(relative(found.lambda, test::to_vector(one.json["lambda_coulomb"])) < 1e-10);
  }
}

TEST_CASE("cone dual: the convex law is solved for arbitrary rows, and Coulomb's law nearly always", "[solvers][cone][long]") {
  int unsolved = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const DenseConeProblem<double> problem = test::random_cone_case(seed, 1.2).forces();
    CAPTURE(seed);
    const ConeSolution<double> convex = solve(problem, ConeLaw::convex), coulomb = solve(problem, ConeLaw::coulomb);
    REQUIRE(convex.status == Status::converged);
    REQUIRE(convex.certificate.worst() < 1e-9);
    unsolved += coulomb.status != Status::converged;
    if (coulomb.status == Status::converged) REQUIRE(coulomb.certificate.worst() < 1e-9);
  }
  CHECK(unsolved <= 3);  // not all problems with arbitrary rows and coefficients up to 1.2 have a solution
}

}  // namespace cone_dual_test
