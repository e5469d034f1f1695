// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/invert.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "actio/core/batch.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace invert_test {

using namespace actio;

template <class S, int n>
void check() {
  models::Random random(n);
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::Matrix<S, n, n> A, inverse;
    for (int k = 0; k < A.size(); ++k) A(k) = S(random.uniform(-1, 1));
    if (n > 1) A(0, 0) = S(0);  // requires an exchange of rows
    REQUIRE(invert<S, n>(A, inverse));
    const S condition = A.norm() * inverse.norm();
    CHECK((A * inverse - Eigen::Matrix<S, n, n>::Identity()).norm() < 10 * n * epsilon<S> * condition);
  }
}

TEMPLATE_TEST_CASE("invert: general matrices of every size that a joint has", "[math][invert][fast]", double, float) {
  check<TestType, 1>();
  check<TestType, 2>();
  check<TestType, 3>();
  check<TestType, 4>();
  check<TestType, 5>();
  check<TestType, 6>();
}

/// Every lane has a matrix of its own, whose pivots are in other rows than those of its neighbours.
template <int n>
void check_lanes() {
  using B = Batch<double, 4>;
  models::Random random(n);
  for (int trial = 0; trial < 50; ++trial) {
    std::array<Eigen::Matrix<double, n, n>, 4> alone;
    Eigen::Matrix<B, n, n> A, inverse;
    for (int lane = 0; lane < 4; ++lane) {
      auto& own = alone[static_cast<std::size_t>(lane)];
      for (int k = 0; k < own.size(); ++k) own(k) = random.uniform(-1, 1);
      if (n > 1) own(0, 0) = 0;
      for (int k = 0; k < own.size(); ++k) A(k).set(lane, own(k));
    }
    REQUIRE(invert<B, n>(A, inverse));
    for (int lane = 0; lane < 4; ++lane) {
      const auto& own = alone[static_cast<std::size_t>(lane)];
      Eigen::Matrix<double, n, n> expected, of_lane;
      REQUIRE(invert<double, n>(own, expected));
      for (int k = 0; k < of_lane.size(); ++k) of_lane(k) = inverse(k)[lane];
      // The same operations, of which compilers may fuse others.
      const double condition = own.norm() * expected.norm();
      CHECK((of_lane - expected).norm() < 10 * n * epsilon<double> * condition * expected.norm());
    }
  }
}

TEST_CASE("invert: each lane of a batch exchanges its own rows", "[math][invert][lanes][fast]") {
  check_lanes<1>();
  check_lanes<2>();
  check_lanes<3>();
  check_lanes<6>();
  using B = Batch<double, 2>;
  Eigen::Matrix<B, 2, 2> A = Eigen::Matrix<B, 2, 2>::Constant(B(1.0)), inverse;
  A(0, 0).set(1, 2.0);
  CHECK_FALSE(invert<B, 2>(A, inverse));  // that of lane 0 is singular
  CHECK(std::abs(inverse(0, 0)[1] - 1) < 1e-15);
}

TEST_CASE("invert: a singular matrix is reported", "[math][invert][fast]") {
  Eigen::Matrix3d A, inverse;
  A << 1, 2, 3, 2, 4, 6, 0, 1, 1;
  CHECK_FALSE(invert<double, 3>(A, inverse));
  CHECK_FALSE(invert<double, 3>(Eigen::Matrix3d::Zero(), inverse));
  A.setIdentity();
  A(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(invert<double, 3>(A, inverse));
  Eigen::Matrix<double, 0, 0> none, none_inverse;
  CHECK(invert<double, 0>(none, none_inverse));
}

TEMPLATE_TEST_CASE("invert: a rank-deficient matrix is inverted on its range, in any units", "[math][invert][fast]", double, float) {
  using S = TestType;
  models::Random random(7);
  std::array<int, 6> row, column;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + random.below(6), rank = random.below(n + 1), leading = n + random.below(3);
    CAPTURE(n, rank, leading);
    const auto matrix = [&](int r, int c) { return MatrixX<S>::NullaryExpr(r, c, [&] { return S(random.uniform(-1, 1)); }).eval(); };
    const MatrixX<S> plain = matrix(n, rank) * matrix(rank, n);
    VectorX<S> size(n);
    for (int k = 0; k < n; ++k) size[k] = S(std::pow(10.0, random.uniform(-6, 6)));
    MatrixX<S> X = MatrixX<S>::Constant(leading, n, S(7));
    X.topRows(n) = size.asDiagonal() * plain * size.asDiagonal();
    REQUIRE(invert_in_place(X.data(), n, leading, size.data(), 1000 * epsilon<S>, row.data(), column.data()) == rank);
    CHECK((X.bottomRows(leading - n).array() == S(7)).all());
    const MatrixX<S> inverse = size.asDiagonal() * X.topRows(n) * size.asDiagonal();  // of the matrix without units
    CHECK((plain * inverse * plain - plain).norm() <= 100 * epsilon<S> * (S(1) + inverse.norm()) * S(n));
    CHECK((inverse.array() != S(0)).rowwise().any().count() == rank);
    CHECK((inverse.array() != S(0)).colwise().any().count() == rank);
  }
}

TEST_CASE("invert: rank of matrices that are zero, badly scaled or not finite", "[math][invert][fast]") {
  std::array<int, 2> row, column;
  const auto rank_of = [&](Eigen::Matrix2d A, Eigen::Vector2d size) {
    return invert_in_place(A.data(), 2, 2, size.data(), 1e-11, row.data(), column.data());
  };
  CHECK(rank_of(Eigen::Matrix2d::Zero(), {1, 1}) == 0);
  CHECK(rank_of(Eigen::Matrix2d::Identity(), {1, 0}) == 1);
  CHECK(rank_of(Eigen::Matrix2d::Identity(), {1, 1e6}) == 1);  // 1 is below the rounding error of 1e12
  CHECK(rank_of(Eigen::Matrix2d::Identity(), {1, 1e5}) == 2);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK(rank_of(Eigen::Matrix2d::Constant(bad), {1, 1}) == -1);
    CHECK(rank_of(Eigen::Vector2d(1, bad).asDiagonal(), {1, 0}) == -1);
  }
  CHECK(rank_of(Eigen::Matrix2d::Identity() * 1e-320, {1e-160, 1e-160}) != 2);  // an inverse that overflows is not counted
}

}  // namespace invert_test
