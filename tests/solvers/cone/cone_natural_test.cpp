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
    test::DenseVelocities<double> problem = one.velocities();
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

TEST_CASE("cone natural: the factors of a problem serve for the next one with the same matrix, while no piece changes", "[solvers][cone][fast]") {
  int compared = 0, kept = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    test::DenseVelocities<double> problem = one.velocities();
    ConeNewton<double> newton(one.v_free.size(), one.rows.size());
    VectorXd v = one.v_free, lambda = VectorXd::Zero(one.rows.size());
    REQUIRE(newton.solve(problem, {.law = ConeLaw::convex}, v, lambda));
    bool slides = false;  // the matrix of a contact that slides depends on the force
    for (std::size_t g = 0; g < one.rows.groups().size(); ++g) {
      slides |= one.rows.groups()[g].kind == RowKind::contact && newton.forces()[g].piece == Piece::slide;
    }
    if (slides) continue;
    ++compared;
    VectorXd again = v * (1 + 1e-7), its_lambda = lambda * (1 + 1e-7);
    const ConeResult<double> result = newton.solve(problem, {.law = ConeLaw::convex, .same_matrix = true}, again, its_lambda);
    CAPTURE(seed);
    REQUIRE(result);
    CHECK((again - v).norm() < 1e-9 * v.norm());
    kept += result.factorizations == 0;
    again = v * (1 + 1e-7);
    its_lambda = lambda * (1 + 1e-7);
    CHECK(newton.solve(problem, {.law = ConeLaw::convex}, again, its_lambda).factorizations > 0);
  }
  CAPTURE(compared, kept);
  CHECK(compared > 10);
  CHECK(kept > compared / 2);  // the others began far from their solution, or factor more exactly at its end
}

TEST_CASE("cone natural: a guess within rounding errors is a solution where that is wanted", "[solvers][cone][fast]") {
  int compared = 0, accepted = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    test::DenseVelocities<double> problem = one.velocities();
    ConeNewton<double> newton(one.v_free.size(), one.rows.size());
    VectorXd v = one.v_free, lambda = VectorXd::Zero(one.rows.size());
    REQUIRE(newton.solve(problem, {.law = ConeLaw::convex}, v, lambda));
    const auto iterations = [&](double share, double off) {
      VectorXd near_v = v * (1 + off), near_lambda = lambda;
      const ConeResult<double> result =
          newton.solve(problem, {.law = ConeLaw::convex, .tolerance = 1e-18, .of_guess = share}, near_v, near_lambda);
      CHECK(result);
      return result.iterations;
    };
    CAPTURE(seed);
    accepted += iterations(4, 1e-15) == 0;
    CHECK(iterations(4, 1e-10) > 0);
    if (v.norm() > 0) {
      CHECK(iterations(0, 1e-15) > 0);
      ++compared;
    }
  }
  CHECK(compared > 40);
  CHECK(accepted > 40);  // the others have rigid bilateral rows, whose residual does not tell how far the solution is
}

}  // namespace cone_natural_test
