// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/so3.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "support/catch.hpp"

namespace so3_test {

using namespace actio;

template <class S>
S distance(const Matrix3<S>& a, const Matrix3<S>& b) {
  return (a - b).norm();
}

template <class S>
const Matrix3<S> I = Matrix3<S>::Identity();

/// Angles on both sides of every switch between formulas.
template <class S>
std::vector<S> angles() {
  return {S(0), S(1e-20), S(1e-6), S(1e-2), S(0.25), S(0.999), S(1.001), S(2), S(2.999), S(3.001), std::numbers::pi_v<S>};
}

template <class S>
Vector3<S> along_a(S angle) {
  return angle * Vector3<S>(S(0.48), S(-0.6), S(0.64));
}

/// Central difference of a vector function, column by column; its error is about epsilon^(2/3).
template <class S, class F>
Matrix3<S> difference(const Vector3<S>& w, const F& f) {
  const S step = std::cbrt(epsilon<S>);
  Matrix3<S> D;
  for (int i = 0; i < 3; ++i) {
    const Vector3<S> dw = step * Vector3<S>::Unit(i);
    D.col(i) = (f(Vector3<S>(w + dw)) - f(Vector3<S>(w - dw))) / (2 * step);
  }
  return D;
}

template <class S>
const S difference_error = 20 * std::pow(epsilon<S>, S(2) / 3);

TEMPLATE_TEST_CASE("so3: hat is the cross product and vee undoes it", "[math][so3][fast]", float, double) {
  using S = TestType;
  const Vector3<S> a(S(0.3), S(-2), S(0.7)), b(S(1.5), S(0.2), S(-0.4));
  CHECK((so3::hat(a) * b - a.cross(b)).norm() < 4 * epsilon<S>);
  CHECK(so3::vee(so3::hat(a)) == a);
  CHECK((so3::vee<S>(so3::hat(a) + I<S>) - a).norm() == 0);
}

TEMPLATE_TEST_CASE("so3: exp is a rotation by |w| about w", "[math][so3][fast]", float, double) {
  using S = TestType;
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector3<S> w = along_a(angle);
    const Matrix3<S> R = so3::exp(w);
    CHECK(distance<S>(R.transpose() * R, I<S>) < 16 * epsilon<S>);
    CHECK((R * w - w).norm() <= 4 * epsilon<S> * angle);
    CHECK(distance<S>(R, Eigen::AngleAxis<S>(angle, along_a(S(1))).toRotationMatrix()) < 8 * epsilon<S>);
    CHECK(distance<S>(so3::exp<S>(w / 2) * so3::exp<S>(w / 2), R) < 8 * epsilon<S>);
    CHECK(distance(quaternion::rotation_matrix(quaternion::exp(w)), R) < 8 * epsilon<S>);
    CHECK(distance(so3::rotation<S>(along_a(S(1)), angle), R) < 8 * epsilon<S>);
    CHECK(distance<S>(so3::rotation<S>(along_a(S(1)), -angle), R.transpose()) < 8 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("so3: log inverts exp up to a half turn", "[math][so3][fast]", float, double) {
  using S = TestType;
  const S pi = std::numbers::pi_v<S>;
  std::vector<S> all = angles<S>();
  all.pop_back();
  all.insert(all.end(), {S(0.5), S(0.51), pi - S(1e-2), pi - S(1e-5), pi - std::max(S(1e-12), 8 * epsilon<S>)});
  for (const S angle : all) {
    for (const Vector3<S>& axis :
         {along_a(S(1)), Vector3<S>(1, 0, 0), Vector3<S>(0, -1, 0), Vector3<S>(0, 0, 1), Vector3<S>(S(-0.6), S(0.8), 0)}) {
      CAPTURE(angle, axis.transpose());
      const Vector3<S> w = angle * axis;
      CHECK((so3::log(so3::exp(w)) - w).norm() < 8 * epsilon<S>);  // about 1e-15 for double
    }
  }
}

TEMPLATE_TEST_CASE("so3: the axis of a half turn has its first non-zero component positive", "[math][so3][fast]", float, double) {
  using S = TestType;
  const S pi = std::numbers::pi_v<S>;
  for (const Vector3<S>& axis : {Vector3<S>(1, 0, 0), Vector3<S>(0, 1, 0), Vector3<S>(0, 0, 1)}) {
    const Matrix3<S> R = 2 * axis * axis.transpose() - I<S>;
    CHECK((so3::log(R) - pi * axis).norm() < 2 * epsilon<S>);
  }
  const Vector3<S> axis(0, S(0.6), S(-0.8));
  const Matrix3<S> R = 2 * axis * axis.transpose() - I<S>;
  CHECK((so3::log(R) - pi * axis).norm() < 8 * epsilon<S>);
}

TEMPLATE_TEST_CASE("so3: dexp matches a central difference and dlog inverts it", "[math][so3][fast]", float, double) {
  using S = TestType;
  const Vector3<S> y(S(0.3), S(-0.7), S(0.5));
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector3<S> w = along_a(angle);
    const Matrix3<S> R = so3::exp(w);
    const Matrix3<S> numeric = difference<S>(w, [&](const Vector3<S>& u) { return so3::vee<S>(so3::exp(u) * R.transpose()); });
    CHECK(distance(so3::dexp(w), numeric) < difference_error<S>);
    CHECK(distance<S>(so3::dexp(w) * so3::dlog(w), I<S>) < 16 * epsilon<S>);
    CHECK(distance<S>(so3::dlog(w) * R, so3::dlog<S>(-w)) < 16 * epsilon<S>);
    CHECK(distance<S>(so3::dlog(w).transpose(), so3::dlog<S>(-w)) < 4 * epsilon<S>);
    CHECK(distance<S>(so3::dexp(w).transpose(), so3::dexp<S>(-w)) < 4 * epsilon<S>);
    CHECK((so3::dexp(w, y) - so3::dexp(w) * y).norm() < 4 * epsilon<S>);
    CHECK((so3::dlog(w, y) - so3::dlog(w) * y).norm() < 4 * epsilon<S>);
    CHECK((so3::dlog_transpose(w, y) - so3::dlog(w).transpose() * y).norm() < 4 * epsilon<S>);
  }
  for (const S angle : {S(5), S(6.2), S(8)}) {  // on both sides of the pole of dlog at 2 pi
    CAPTURE(angle);
    const Vector3<S> w = along_a(angle);
    CHECK(distance<S>(so3::dexp(w) * so3::dlog(w), I<S>) < 1000 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("so3: derivatives of the transposed dlog match central differences", "[math][so3][fast]", float, double) {
  using S = TestType;
  const Vector3<S> f(S(0.3), S(-0.7), S(0.5)), v(S(-0.2), S(0.4), S(0.9));
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector3<S> w = along_a(angle);
    const auto first = [&](const Vector3<S>& u) { return so3::dlog_transpose(u, f); };
    const auto second = [&](const Vector3<S>& u) { return Vector3<S>(so3::dlog_transpose_derivative(u, f) * v); };
    CHECK(distance(so3::dlog_transpose_derivative(w, f), difference<S>(w, first)) < difference_error<S>);
    CHECK(distance(so3::dlog_transpose_second_derivative(w, f, v), difference<S>(w, second)) < difference_error<S>);
  }
}

}  // namespace so3_test
