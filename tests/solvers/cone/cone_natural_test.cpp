// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/natural.hpp"

#include "actio/solvers/cone/newton.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace cone_natural_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

TEST_CASE("cone natural: from near a solution few factorisations return to it, for any law and stiffness", "[solvers][cone][fast]") {
  int compared = 0, returned = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    DenseVelocities<double> problem = one.velocities();
    const Eigen::Index n = one.v_free.size(), m = one.rows.size();
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      ConeNewton<double> newton(n, m);
      VectorXd v = one.v_free, lambda = VectorXd::Zero(m);
      REQUIRE(newton.solve(problem, {.law = law}, v, lambda));
      const double scale = std::sqrt(v.dot(one.M * v) + one.v_free.dot(one.M * one.v_free));
      test::Random random(seed);
      VectorXd near_v = v + random.matrix(n, 1, 1e-6 * v.norm()), near_lambda = lambda * (1 + 1e-6);
      ConeNatural<double> natural(n, m);
      ConeResult<double> result;
      const bool back = natural.solve(problem, law, 1e-12, scale, 10, near_v, near_lambda, result);
      CAPTURE(seed, result.factorizations);
      ++compared;
      if (!back) continue;  // a nondifferentiable point is within this distance
      ++returned;
      CHECK(result.factorizations <= 10);
      CHECK((near_v - v).norm() < 1e-6 * (1 + v.norm()));
      CHECK(test::certificate(one, law, near_lambda).worst() < 1e-6);
    }
  }
  CHECK(returned >= compared * 98 / 100);
}

}  // namespace cone_natural_test
