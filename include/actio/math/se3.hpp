// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rigid motions: exponential, logarithm and their right-trivialised tangents, d exp(x) exp(x)^-1 = [dexp(x) dx].
// x = (w, v) [rad, m]. A 6x6 [[a, 0], [b, a]] acts as the dual number a + eps b: hence the block forms. [vi_math.md, section 1.2]
#include "actio/core/types.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/series.hpp"
#include "actio/math/so3.hpp"

/// Rigid motions, x = (w, v) [rad, m]: exponential, logarithm and their right-trivialised tangents.  [vi_math.md, section 1.2]
namespace actio::se3 {

/// Returns [[diagonal, 0], [lower, diagonal]].
template <Scalar S>
Matrix6<S> dual(const Matrix3<S>& diagonal, const Matrix3<S>& lower) {
  Matrix6<S> m;
  m.template topLeftCorner<3, 3>() = diagonal;
  m.template topRightCorner<3, 3>().setZero();
  m.template bottomLeftCorner<3, 3>() = lower;
  m.template bottomRightCorner<3, 3>() = diagonal;
  return m;
}

/// Returns exp(x) = (exp(w), dexp(w) v).
template <Scalar S>
Pose<S> exp(const Vector6<S>& x) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
  const series::Exp<S> c = series::exp_coefficients<S>(w.squaredNorm());
  return {so3::detail::quadratic<S>(w, c.A, c.B), so3::detail::quadratic_times<S>(w, c.B, c.C, v)};
}

/// Returns log(T) = (w, dlog(w) p) with w = log R, |w| <= pi.
template <Scalar S>
Vector6<S> log(const Pose<S>& T) {
  const Vector3<S> w = so3::log(T.R);
  return spatial<S>(w, so3::dlog(w, T.p));
}

/// Returns Ad_T, 6x6: twists in B to twists in A.
template <Scalar S>
Matrix6<S> adjoint(const Pose<S>& T) {
  return T.adjoint();
}

/// Returns ad_x = [[hat(w), 0], [hat(v), hat(w)]]: ad(x) y = [x, y].
template <Scalar S>
Matrix6<S> ad(const Vector6<S>& x) {
  return dual<S>(so3::hat<S>(x.template head<3>()), so3::hat<S>(x.template tail<3>()));
}

namespace detail {

/// Returns hat(z) + c (hat(w) hat(v) + hat(v) hat(w)) + c1 (w.v) hat(w)^2, the lower block of dexp and dlog.
template <class S>
Matrix3<S> lower_block(const Vector3<S>& w, const Vector3<S>& v, const S& c, const S& c1, const Vector3<S>& z) {
  const S wv = w.dot(v), a = c1 * wv, scale = S(-2) * c * wv - a * w.squaredNorm();
  const Vector3<S> along_w = c * v + a * w, along_v = c * w, back = -z;
  return so3::detail::rank_one_plus<S>(along_w, w, scale, back) + along_v * v.transpose();
}

}  // namespace detail

/// Returns dexp(x), 6x6:  d exp(x) exp(x)^-1 = [dexp(x) dx].
template <Scalar S>
Matrix6<S> dexp(const Vector6<S>& x) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
  const series::Dexp<S> c = series::dexp_coefficients<S>(w.squaredNorm());
  const Vector3<S> skew = c.B * v + (w.dot(v) * c.B1) * w;
  const Matrix3<S> Q = detail::lower_block<S>(w, v, c.C, c.C1, skew);
  return dual<S>(so3::detail::quadratic<S>(w, c.B, c.C), Q);
}

/// Returns the inverse of dexp(x); singular at |w| = 2 pi n, n > 0.
template <Scalar S>
Matrix6<S> dlog(const Vector6<S>& x) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
  const series::Dlog<S> c = series::dlog_coefficients<S>(w.squaredNorm());
  const Vector3<S> skew = v / S(-2);
  const Matrix3<S> E = detail::lower_block<S>(w, v, c.g, c.g1, skew);
  return dual<S>(so3::detail::quadratic<S>(w, S(ValueOf<S>(-0.5)), c.g), E);
}

/// Returns dlog(x)^T y for a covector y = (n, f), by cross products.
template <Scalar S>
Vector6<S> dlog_transpose(const Vector6<S>& x, const Vector6<S>& y) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>(), n = y.template head<3>(), f = y.template tail<3>();
  const series::Dlog<S> c = series::dlog_coefficients<S>(w.squaredNorm());
  const S half = S(ValueOf<S>(0.5));
  const Vector3<S> wf = w.cross(f), vf = v.cross(f), wn = w.cross(n), wwf = w.cross(wf);
  // w x (w x n) + w x (v x f) = w x (w x n + v x f)
  const Vector3<S> sum = wn + vf;
  return spatial<S>(n + half * sum + c.g * (w.cross(sum) + v.cross(wf)) + (c.g1 * w.dot(v)) * wwf, f + half * wf + c.g * wwf);
}

/// Returns D_x (dlog(x)^T y) at fixed y = (n, f): [[M1(w, n) + M2(w, f, v), M1(w, f)], [M1(w, f), 0]].
template <Scalar S>
Matrix6<S> dlog_transpose_derivative(const Vector6<S>& x, const Vector6<S>& y) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>(), n = y.template head<3>(), f = y.template tail<3>();
  const series::Dlog2<S> c = series::dlog_coefficients2<S>(w.squaredNorm());
  const Matrix3<S> off = so3::detail::dlog_transpose_derivative<S>(w, f, c.g, c.g1);
  const Matrix3<S> first = so3::detail::dlog_transpose_derivative<S>(w, n, c.g, c.g1);
  const Matrix3<S> second = so3::detail::dlog_transpose_second_derivative<S>(w, f, v, c);
  Matrix6<S> m;
  m.template topLeftCorner<3, 3>() = first + second;
  m.template topRightCorner<3, 3>() = off;
  m.template bottomLeftCorner<3, 3>() = off;
  m.template bottomRightCorner<3, 3>().setZero();
  return m;
}

}  // namespace actio::se3
