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
      natural.begin(one.rows);
      ConeResult<double> result;
      const bool back = natural.solve(problem, {.law = law}, scale, 10, near_v, near_lambda, result);
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
    REQUIRE(newton.solve(problem, {.law = ConeLaw::convex, .tolerance = 1e-15}, v, lambda));
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

/// A heap of bodies whose rigid contacts settle by a compliance R = 1e-4 h A.
test::ConeCase settling_heap(std::uint64_t seed) {
  test::ConeCase one = seed % 2 == 0 ? test::heap_case(seed, 12, 1) : test::heap_case(seed, 2, 3);
  one.rows.R() *= 1e-4 / settling_softness<double>();
  one.rows.settling() = one.rows.R();
  return one;
}

TEST_CASE("cone natural: the settling compliance has no effect in the end, and hardly costs factorisations", "[solvers][cone][fast]") {
  int kept = 0, settled = 0, sliding = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::ConeCase one = settling_heap(seed);
    test::ConeCase rigid = one;
    rigid.rows.R().setZero();
    VectorXd lambda(one.rows.size());
    const auto solve = [&](double creep, ConeResult<double>& result) {
      test::DenseVelocities<double> problem = one.velocities();
      ConeNewton<double> newton(one.v_free.size(), one.rows.size());
      VectorXd v = one.v_free;
      lambda.setZero();
      result = newton.solve(problem, {.tolerance = 1e-14, .solves_again = true, .creep = creep}, v, lambda);
      REQUIRE(result);
      for (const GroupForce<double>& force : newton.forces()) sliding += creep > 0 && force.piece == Piece::slide;
      return test::certificate(rigid, ConeLaw::coulomb, lambda, v).worst();
    };
    CAPTURE(seed);
    ConeResult<double> as_is, result;
    CHECK(solve(0, as_is) > 1e-7);  // R acts on the whole force
    const double error = solve(1e-15, result);
    if (result.creep > 1e-15) continue;  // it settles slowly, or a search had to find the forces: the caller solves again
    ++settled;
    CHECK(error < 1e-11);
    kept += result.factorizations < result.iterations;
    CHECK(result.factorizations <= as_is.factorizations + 2);
    one.rows.base() = lambda;  // R acts on changes from these forces: they solve the problem
    CHECK(solve(0, as_is) < 1e-11);
  }
  CAPTURE(settled, kept, sliding);
  CHECK(settled > 30);
  CHECK(kept > 30);
  CHECK(sliding > 40);
}

}  // namespace cone_natural_test
