// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/graded_least_squares.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense.hpp"

namespace graded_least_squares_test {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

/// M (v - v_free) of bilateral rows.
VectorXd impulse(const test::ConeCase& one) {
  const MatrixXd L = test::cholesky(one.M), B = test::solve_columns(L, one.G.transpose()).transpose();
  return L * graded_least_squares<double>(B, one.G * one.v_free + one.rows.bias(), one.rows.R() / one.h);
}

TEST_CASE("graded least squares: rates and impulses of all bilateral reference problems, redundant and contradictory at 1e14 N/m", "[solvers][cone][long]") {
  const auto relative = [](const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff()); };
  int seen = 0;
  for (const test::ConeCase& one : test::cone_cases("bilateral")) {
    const VectorXd p = impulse(one), rates = test::to_vector(one.json["u"]) + one.G * test::solve(one.M, p);
    CAPTURE(one.name);
    CHECK(relative(p, test::to_vector(one.json["gen_impulse"])) < 1e-11);
    CHECK(relative(rates, test::to_vector(one.json["phidot1"])) < 1e-11);
    ++seen;
  }
  CHECK(seen == 25);
}

TEST_CASE("graded least squares: contradictions of heavy rows leave light ones and free directions alone", "[solvers][cone][long]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    // Three rows on the first two of four unknowns' combinations, twice each: the doubles disagree by 1. Light rows hold the third.
    const MatrixXd held = random.matrix(2, 4);
    MatrixXd B(5, 4);
    B << held, held, random.matrix(1, 4);
    const VectorXd b = random.matrix(5, 1);
    const double light = random(0.5, 2);
    for (const double heavy : {1e-10, 1e-14, 0.0}) {
      VectorXd R(5);
      R << heavy, heavy, heavy, heavy, light;
      // What that is: both rows at their mean exactly, the rest as if it were alone.
      const VectorXd x = graded_least_squares<double>(B, b, R), mean = (b.head(2) + b.segment(2, 2)) / 2;
      Eigen::Matrix<double, 6, 6> kkt = Eigen::Matrix<double, 6, 6>::Zero();  // |x|^2 + (B_4 x + b_4)^2 / light, held x = -mean
      kkt.topLeftCorner<4, 4>() = MatrixXd::Identity(4, 4) + B.row(4).transpose() * B.row(4) / light;
      kkt.topRightCorner<4, 2>() = held.transpose();
      kkt.bottomLeftCorner<2, 4>() = held;
      Eigen::Matrix<double, 6, 1> right;
      right << -B.row(4).transpose() * b[4] / light, -mean;
      const VectorXd expected = test::solve(kkt, right).head(4);
      const double condition = held.squaredNorm() / (held * held.transpose()).determinant();
      CAPTURE(seed, heavy, condition);
      CHECK((x - expected).norm() < (heavy == 1e-10 ? 1e-8 : 1e-12) * (1 + expected.norm()) * condition);
    }
  }
}

TEST_CASE("graded least squares: no rows, rows of zeros, float", "[solvers][cone][long]") {
  CHECK(graded_least_squares<double>(MatrixXd(0, 3), VectorXd(0), VectorXd(0)).isZero(0));
  CHECK(graded_least_squares<double>(MatrixXd::Zero(2, 3), VectorXd::Ones(2), VectorXd::Ones(2)).isZero(0));
  const VectorX<float> x = graded_least_squares<float>(MatrixX<float>::Identity(2, 2), VectorX<float>::Ones(2), VectorX<float>::Constant(2, 3));
  CHECK((x - VectorX<float>::Constant(2, -0.25f)).norm() < 1e-6f);
}

}  // namespace graded_least_squares_test
