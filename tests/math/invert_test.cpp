// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/invert.hpp"

#include <limits>

#include "actio/model/ready/random.hpp"
#include "support/catch.hpp"

namespace {

using namespace actio;

template <class S, int n>
void check() {
  models::Random random(n);
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::Matrix<S, n, n> A, inverse;
    for (int k = 0; k < A.size(); ++k) A(k) = S(random.uniform(-1, 1));
    if (n > 1) A(0, 0) = S(0);  // needs an exchange of rows
    REQUIRE(invert<S, n>(A, inverse));
    const S condition = A.norm() * inverse.norm();
    CHECK((A * inverse - Eigen::Matrix<S, n, n>::Identity()).norm() < 10 * n * epsilon<S> * condition);
  }
}

TEMPLATE_TEST_CASE("invert: general matrices of every size a joint has", "[math][invert][fast]", double, float) {
  check<TestType, 1>();
  check<TestType, 2>();
  check<TestType, 3>();
  check<TestType, 4>();
  check<TestType, 5>();
  check<TestType, 6>();
}

TEST_CASE("invert: says when there is no inverse", "[math][invert][fast]") {
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

}  // namespace
