// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rotations: exponential, logarithm and their right-trivialised tangents, d exp(w) exp(w)^T = hat(dexp(w) dw).
// Formulas: [vi_math.md, section 1.2]. dlog is singular at |w| = 2 pi n, n > 0, and at no other angle.
#include "actio/core/elementary.hpp"
#include "actio/core/types.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/series.hpp"

/// Rotations: exponential, logarithm and their right-trivialised tangents.                           [vi_math.md, section 1.2]
namespace actio::so3 {

/// Returns hat(a):  hat(a) b = a x b.
template <Scalar S>
Matrix3<S> hat(const Vector3<S>& a) {
  Matrix3<S> m;
  m << S(0), -a[2], a[1],  //
      a[2], S(0), -a[0],   //
      -a[1], a[0], S(0);
  return m;
}

/// Returns the vector of the skew part of m: vee(hat(a)) = a.
template <Scalar S>
Vector3<S> vee(const Matrix3<S>& m) {
  return Vector3<S>((m(2, 1) - m(1, 2)) / S(2), (m(0, 2) - m(2, 0)) / S(2), (m(1, 0) - m(0, 1)) / S(2));
}

namespace detail {

/// Returns I + a hat(w) + b hat(w)^2.
template <class S>
ACTIO_INLINE Matrix3<S> quadratic(const Vector3<S>& w, const S& a, const S& b) {
  const S bx = b * w[0], by = b * w[1], bz = b * w[2];
  const S ax = a * w[0], ay = a * w[1], az = a * w[2];
  const S xx = bx * w[0], yy = by * w[1], zz = bz * w[2], xy = bx * w[1], xz = bx * w[2], yz = by * w[2];
  Matrix3<S> m;
  m(0, 0) = S(1) - (yy + zz), m(1, 0) = xy + az, m(2, 0) = xz - ay;
  m(0, 1) = xy - az, m(1, 1) = S(1) - (xx + zz), m(2, 1) = yz + ax;
  m(0, 2) = xz + ay, m(1, 2) = yz - ax, m(2, 2) = S(1) - (xx + yy);
  return m;
}

/// Returns y + a w x y + b w x (w x y).
template <class S>
Vector3<S> quadratic_times(const Vector3<S>& w, const S& a, const S& b, const Vector3<S>& y) {
  const Vector3<S> wy = w.cross(y);
  return y + a * wy + b * w.cross(wy);
}

/// Returns a w^T + s I - hat(z), the form to which hat(w) hat(f) = f w^T - (w.f) I reduces every product of hats.
/// Computed entry by entry: faster here than a sum of Eigen expressions, which passes through memory.
template <class S>
Matrix3<S> rank_one_plus(const Vector3<S>& a, const Vector3<S>& w, const S& s, const Vector3<S>& z) {
  Matrix3<S> m;
  m(0, 0) = a[0] * w[0] + s;
  m(1, 0) = a[1] * w[0] - z[2];
  m(2, 0) = a[2] * w[0] + z[1];
  m(0, 1) = a[0] * w[1] + z[2];
  m(1, 1) = a[1] * w[1] + s;
  m(2, 1) = a[2] * w[1] - z[0];
  m(0, 2) = a[0] * w[2] - z[1];
  m(1, 2) = a[1] * w[2] + z[0];
  m(2, 2) = a[2] * w[2] + s;
  return m;
}

template <class S>
Matrix3<S> dlog_transpose_derivative(const Vector3<S>& w, const Vector3<S>& f, const S& g, const S& g1) {
  const Vector3<S> wf = w.cross(f), turn = f / S(2) + g * wf, along_w = g1 * w.cross(wf) - g * f;
  const S scale = g * w.dot(f);
  return rank_one_plus<S>(along_w, w, scale, turn);
}

template <class S>
Matrix3<S> dlog_transpose_second_derivative(const Vector3<S>& w, const Vector3<S>& f, const Vector3<S>& v, const series::Dlog2<S>& c) {
  const Vector3<S> wf = w.cross(f), vf = v.cross(f), wwf = w.cross(wf);
  const S wv = w.dot(v), a = c.g1 * wv;
  const Vector3<S> along_w = c.g1 * (v.cross(wf) + w.cross(vf)) + (c.g2 * wv) * wwf - a * f;
  const Vector3<S> along_v = c.g1 * wwf - c.g * f;
  const Vector3<S> turn = c.g * vf + a * wf;
  const S scale = c.g * v.dot(f) + a * w.dot(f);
  return rank_one_plus<S>(along_w, w, scale, turn) + along_v * v.transpose();
}

}  // namespace detail

/// Returns the rotation by |w| [rad] about w.
template <Scalar S>
Matrix3<S> exp(const Vector3<S>& w) {
  const series::Exp<S> c = series::exp_coefficients<S>(w.squaredNorm());
  return detail::quadratic<S>(w, c.A, c.B);
}

/// Returns the shortest rotation vector [rad], |log R| <= pi; at pi the one whose first non-zero component is positive.
template <Scalar S>
Vector3<S> log(const Matrix3<S>& R) {
  return quaternion::log(quaternion::from_matrix(R));
}

/// Returns the rotation by an angle [rad] about a unit axis, I + sin hat(a) + (1 - cos) hat(a)^2 [Rodrigues].
template <Scalar S>
Matrix3<S> rotation(const Vector3<S>& axis, const std::type_identity_t<S>& angle) {
  using elementary::sin_cos;
  const auto [s, c] = sin_cos(S(angle / S(2)));
  return detail::quadratic<S>(axis, S(2) * s * c, S(2) * s * s);
}

/// Returns dexp(w):  d exp(w) exp(w)^T = hat(dexp(w) dw).
template <Scalar S>
Matrix3<S> dexp(const Vector3<S>& w) {
  const series::Exp<S> c = series::exp_coefficients<S>(w.squaredNorm());
  return detail::quadratic<S>(w, c.B, c.C);
}

/// Returns dexp(w) y, without the matrix.
template <Scalar S>
Vector3<S> dexp(const Vector3<S>& w, const Vector3<S>& y) {
  const series::Exp<S> c = series::exp_coefficients<S>(w.squaredNorm());
  return detail::quadratic_times<S>(w, c.B, c.C, y);
}

/// Returns the inverse of dexp(w); singular at |w| = 2 pi n, n > 0.
template <Scalar S>
Matrix3<S> dlog(const Vector3<S>& w) {
  return detail::quadratic<S>(w, S(ValueOf<S>(-0.5)), series::dlog_coefficient<S>(w.squaredNorm()));
}

/// Returns dlog(w) y, without the matrix.
template <Scalar S>
Vector3<S> dlog(const Vector3<S>& w, const Vector3<S>& y) {
  return detail::quadratic_times<S>(w, S(ValueOf<S>(-0.5)), series::dlog_coefficient<S>(w.squaredNorm()), y);
}

/// Returns dlog(w)^T y = dlog(-w) y.
template <Scalar S>
Vector3<S> dlog_transpose(const Vector3<S>& w, const Vector3<S>& y) {
  return detail::quadratic_times<S>(w, S(ValueOf<S>(0.5)), series::dlog_coefficient<S>(w.squaredNorm()), y);
}

/// Returns M1(w, f) = d/dw (dlog(w)^T f) at fixed f.
template <Scalar S>
Matrix3<S> dlog_transpose_derivative(const Vector3<S>& w, const Vector3<S>& f) {
  const series::Dlog<S> c = series::dlog_coefficients<S>(w.squaredNorm());
  return detail::dlog_transpose_derivative<S>(w, f, c.g, c.g1);
}

/// Returns M2(w, f, v) = d/dw (M1(w, f) v) at fixed f and v.
template <Scalar S>
Matrix3<S> dlog_transpose_second_derivative(const Vector3<S>& w, const Vector3<S>& f, const Vector3<S>& v) {
  return detail::dlog_transpose_second_derivative<S>(w, f, v, series::dlog_coefficients2<S>(w.squaredNorm()));
}

}  // namespace actio::so3
