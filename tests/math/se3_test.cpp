// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/se3.hpp"

#include <cmath>
#include <numbers>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "support/catch.hpp"

namespace se3_test {

using namespace actio;

template <class S>
S distance(const Matrix6<S>& a, const Matrix6<S>& b) {
  return (a - b).norm();
}

template <class S>
const Matrix6<S> I = Matrix6<S>::Identity();

/// Angles on both sides of every switch between formulas, and the half turn, at which dlog is regular.
template <class S>
std::vector<S> angles() {
  return {S(0), S(1e-20), S(1e-6), S(1e-2), S(0.25), S(0.999), S(1.001), S(2), S(2.999), S(3.001), std::numbers::pi_v<S>};
}

template <class S>
Vector6<S> screw(S angle) {
  return spatial<S>(angle * Vector3<S>(S(0.48), S(-0.6), S(0.64)), Vector3<S>(S(0.3), S(0.9), S(-0.4)));
}

template <class S>
const Vector6<S> covector = spatial<S>(Vector3<S>(S(0.7), S(-0.2), S(0.5)), Vector3<S>(S(-0.4), S(0.8), S(0.1)));

/// Central difference, column by column; its error is about epsilon^(2/3).
template <class S, class F>
Matrix6<S> difference(const Vector6<S>& x, const F& f) {
  const S step = std::cbrt(epsilon<S>);
  Matrix6<S> D;
  for (int i = 0; i < 6; ++i) {
    const Vector6<S> dx = step * Vector6<S>::Unit(i);
    D.col(i) = (f(Vector6<S>(x + dx)) - f(Vector6<S>(x - dx))) / (2 * step);
  }
  return D;
}

template <class S>
const S difference_error = 40 * std::pow(epsilon<S>, S(2) / 3);

/// sum of coefficient(k) ad^k, with coefficient(k) = 1 / (k + offset)!: exp for offset 0, dexp for 1.
template <class S>
Matrix6<S> power_series(const Vector6<S>& x, int offset) {
  using Exact = long double;
  const Matrix6<Exact> ad = se3::ad(x).template cast<Exact>();
  Matrix6<Exact> sum = Matrix6<Exact>::Zero(), power = Matrix6<Exact>::Identity();
  for (int k = 0; k < 60; power = (power * ad).eval() / (++k + offset)) sum += power;
  return sum.template cast<S>();
}

TEMPLATE_TEST_CASE("se3: exp and dexp are the power series of ad", "[math][se3][long]", float, double) {
  using S = TestType;
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector6<S> x = screw(angle);
    const Pose<S> T = se3::exp(x);
    CHECK(distance(se3::adjoint(T), power_series(x, 0)) < 16 * epsilon<S>);
    CHECK(distance(se3::dexp(x), power_series(x, 1)) < 16 * epsilon<S>);
    CHECK(distance(se3::exp<S>(x / 2) * se3::exp<S>(x / 2), T) < 16 * epsilon<S>);
    CHECK(distance(se3::exp<S>(-x), T.inverse()) < 16 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("se3: log inverts exp up to a half turn", "[math][se3][long]", float, double) {
  using S = TestType;
  for (S angle : angles<S>()) {
    if (angle == std::numbers::pi_v<S>) angle -= std::max(S(1e-12), 8 * epsilon<S>);
    CAPTURE(angle);
    const Vector6<S> x = screw(angle);
    CHECK((se3::log(se3::exp(x)) - x).norm() < 16 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("se3: dexp matches a central difference and dlog inverts it", "[math][se3][long]", float, double) {
  using S = TestType;
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector6<S> x = screw(angle);
    const Pose<S> T = se3::exp(x);
    const auto relative = [&](const Vector6<S>& y) { return se3::log(se3::exp(y) * T.inverse()); };
    CHECK(distance(se3::dexp(x), difference<S>(x, relative)) < difference_error<S>);
    CHECK(distance<S>(se3::dexp(x) * se3::dlog(x), I<S>) < 32 * epsilon<S>);
    CHECK(distance<S>(se3::dlog(x) * T.adjoint(), se3::dlog<S>(-x)) < 32 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("se3: dlog is a polynomial in ad, and its blocks are those of the rotational dlog of a dual number", "[math][se3][long]",
                   float, double) {
  using S = TestType;
  for (const S t : {S(0.999), S(1.001), S(2), S(3), S(4.5)}) {
    CAPTURE(t);
    const Vector6<S> x = screw(t);
    const Matrix6<S> ad = se3::ad(x), ad2 = ad * ad;
    const S c = 1 / std::tan(t / 2), k = 1 / (std::sin(t / 2) * std::sin(t / 2)), t2 = t * t;  // [vi_math.md, section 1.2]
    const S a2 = 2 / t2 - 3 * c / (4 * t) - k / 8, a4 = 1 / (t2 * t2) - c / (4 * t2 * t) - k / (8 * t2);
    CHECK(distance<S>(se3::dlog(x), I<S> - ad / 2 + a2 * ad2 + a4 * ad2 * ad2) < 200 * epsilon<S>);
  }
  for (const S angle : angles<S>()) {  // the lower block is the derivative of the diagonal block along v
    CAPTURE(angle);
    const Vector6<S> x = screw(angle);
    const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
    const S step = std::cbrt(epsilon<S>);
    const Matrix3<S> dlog = (so3::dlog<S>(w + step * v) - so3::dlog<S>(w - step * v)) / (2 * step);
    const Matrix3<S> dexp = (so3::dexp<S>(w + step * v) - so3::dexp<S>(w - step * v)) / (2 * step);
    CHECK((se3::dlog(x).template bottomLeftCorner<3, 3>() - dlog).norm() < difference_error<S>);
    CHECK((se3::dexp(x).template bottomLeftCorner<3, 3>() - dexp).norm() < difference_error<S>);
    CHECK((se3::dlog(x).template topLeftCorner<3, 3>() - so3::dlog(w)).norm() < 4 * epsilon<S>);
    CHECK((se3::dlog(x).template bottomRightCorner<3, 3>() - so3::dlog(w)).norm() < 4 * epsilon<S>);
    CHECK(se3::dlog(x).template topRightCorner<3, 3>().isZero(0));
  }
}

TEMPLATE_TEST_CASE("se3: the transposed dlog by cross products, and its derivative, match matrices and differences", "[math][se3][long]",
                   float, double) {
  using S = TestType;
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector6<S> x = screw(angle), y = covector<S>;
    CHECK((se3::dlog_transpose(x, y) - se3::dlog(x).transpose() * y).norm() < 8 * epsilon<S>);
    const auto f = [&](const Vector6<S>& at) { return se3::dlog_transpose(at, y); };
    CHECK(distance(se3::dlog_transpose_derivative(x, y), difference<S>(x, f)) < difference_error<S>);
  }
}

TEST_CASE("se3: ad is the Lie bracket and Ad is its group action", "[math][se3][long]") {
  const Vector6<double> x = screw(0.7), y = covector<double>, z = screw(-1.3);
  const Pose<double> T = se3::exp(z);
  CHECK((se3::ad(x) * y + se3::ad(y) * x).norm() < 1e-15);
  CHECK((se3::ad(x) * x).norm() < 1e-15);
  const Vector6<double> moved = T.twist_to_parent(x);
  CHECK(distance<double>(T.adjoint() * se3::ad(x) * T.inverse().adjoint(), se3::ad(moved)) < 1e-14);
  CHECK(distance(T * se3::exp(x) * T.inverse(), se3::exp(moved)) < 1e-14);
}

TEST_CASE("so3 and se3 give exact derivatives on dual numbers, also at zero", "[math][so3][se3][long]") {
  using Dual = Eigen::AutoDiffScalar<Vector6<double>>;
  for (const double angle : {0.0, 1e-9, 0.3, 0.999, 1.001, 2.5}) {
    CAPTURE(angle);
    const Vector6<double> x0 = screw(angle), y0 = covector<double>;
    Vector6<Dual> x, y;
    for (int i = 0; i < 6; ++i) {
      x[i] = Dual(x0[i], 6, i);
      y[i] = Dual(y0[i]);
    }
    const auto jacobian = [](const Vector6<Dual>& f) {
      Matrix6<double> J;
      for (int i = 0; i < 6; ++i) J.row(i) = f[i].derivatives();
      return J;
    };
    CHECK(distance(jacobian(se3::log(se3::exp(x))), I<double>) < 1e-14);
    CHECK(distance(jacobian(se3::dlog_transpose(x, y)), se3::dlog_transpose_derivative(x0, y0)) < 1e-14);
    CHECK(distance<double>(jacobian(Vector6<Dual>(se3::dlog(x).transpose() * y)), se3::dlog_transpose_derivative(x0, y0)) < 1e-14);
    CHECK(distance<double>(jacobian(Vector6<Dual>(se3::dexp(x) * se3::dlog(x) * y)), Matrix6<double>::Zero()) < 1e-13);
    CHECK(jacobian(Vector6<Dual>(se3::dlog_transpose_derivative(x, y) * x)).allFinite());

    // d exp(x) exp(x0)^-1 = [dexp dx], rotation by rotation: the logarithm of a small relative pose
    Pose<Dual> inverse;
    inverse.R = se3::exp<double>(-x0).R.cast<Dual>();
    inverse.p = se3::exp<double>(-x0).p.cast<Dual>();
    CHECK(distance(jacobian(se3::log<Dual>(se3::exp(x) * inverse)), se3::dexp(x0)) < 1e-14);

    const Vector3<Dual> w = x.head<3>(), f = y.head<3>();
    const Vector3<double> w0 = x0.head<3>(), f0 = y0.head<3>();
    const Vector3<Dual> turned = so3::dlog_transpose(w, f);
    const Matrix3<double> M1 = so3::dlog_transpose_derivative(w0, f0);
    for (int i = 0; i < 3; ++i) CHECK((turned[i].derivatives().head<3>().transpose() - M1.row(i)).norm() < 1e-14);
    CHECK(so3::dexp(w)(0, 0).derivatives().allFinite());
    CHECK(so3::dlog(w)(0, 0).derivatives().allFinite());
  }
}

}  // namespace se3_test
