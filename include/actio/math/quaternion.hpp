// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unit quaternions: Hamilton, body to world, stored (x, y, z, w) as Eigen does. The matrices left_matrix and right_matrix
// of the maximal-coordinate paper act on (w, x, y, z); only this file converts between the two orders.
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "actio/core/elementary.hpp"
#include "actio/core/types.hpp"
#include "actio/math/series.hpp"

namespace actio {

/// Four numbers (x, y, z, w) as Eigen stores them; products and rotations are in namespace quaternion.
template <class S>
using Quaternion = Eigen::Quaternion<S>;
/// (4) The components (x, y, z, w) of a quaternion, unless a name says (w, x, y, z).
template <class S>
using Vector4 = Eigen::Matrix<S, 4, 1>;
namespace detail {

/// (4 x 4) Acts on (w, x, y, z): see left_matrix() and right_matrix().
template <class S>
using Matrix4 = Eigen::Matrix<S, 4, 4>;

}  // namespace detail

/// Hamilton's unit quaternions as rotations, body to world.
namespace quaternion {

/// Returns the quaternion (w, v).
template <Scalar S>
Quaternion<S> from_parts(const S& w, const Vector3<S>& v) {
  return Quaternion<S>(w, v[0], v[1], v[2]);
}

/// Returns a b, which applies the rotation b first.
template <Scalar S>
Quaternion<S> multiply(const Quaternion<S>& a, const Quaternion<S>& b) {
  return Quaternion<S>(
      a.w() * b.w() - a.x() * b.x() - a.y() * b.y() - a.z() * b.z(), a.w() * b.x() + a.x() * b.w() + a.y() * b.z() - a.z() * b.y(),
      a.w() * b.y() + a.y() * b.w() + a.z() * b.x() - a.x() * b.z(), a.w() * b.z() + a.z() * b.w() + a.x() * b.y() - a.y() * b.x());
}

/// Returns q / |q|.  @pre q is not zero.
template <Scalar S>
Quaternion<S> normalized(const Quaternion<S>& q) {
  using std::sqrt;
  const S norm2 = q.coeffs().squaredNorm();
  const S scale = S(1) / sqrt(norm2);
  return Quaternion<S>(q.w() * scale, q.x() * scale, q.y() * scale, q.z() * scale);
}

/// Returns the one of q and -q with w >= 0; if w = 0, the one whose first non-zero component is positive.
template <Scalar S>
Quaternion<S> canonical(const Quaternion<S>& q) {
  if (all(S(0) < q.w())) return q;
  const auto first_of = [](const S& a, const S& b) { return S(select(a < S(0), a, S(select(S(0) < a, a, b)))); };
  const S leading = first_of(q.w(), first_of(q.x(), first_of(q.y(), q.z())));
  const S sign = select(leading < S(0), S(-1), S(1));
  return Quaternion<S>(sign * q.w(), sign * q.x(), sign * q.y(), sign * q.z());
}

/// Returns the unit quaternion of a rotation vector w [rad], of any length.
template <Scalar S>
Quaternion<S> exp(const Vector3<S>& w) {
  const series::HalfAngle<S> half = series::half_angle<S>(w.squaredNorm());
  return Quaternion<S>(half.c, half.s * w[0], half.s * w[1], half.s * w[2]);
}

/// Returns the shortest rotation vector of a unit quaternion or its negative [rad], |log| <= pi.
template <Scalar S>
Vector3<S> log(const Quaternion<S>& q) {
  const Vector3<S> v = q.vec();
  if (all(S(0) < q.w())) return series::log_factor<S>(v.squaredNorm(), q.w()) * v;
  const Quaternion<S> c = canonical(q);
  return series::log_factor<S>(v.squaredNorm(), c.w()) * c.vec();
}

/// Returns the rotation about a unit axis by an angle [rad]. The small angles of a time step need polynomials only.
template <Scalar S>
Quaternion<S> about(const Vector3<S>& axis, const std::type_identity_t<S>& angle) {
  const series::HalfAngle<S> half = series::half_angle<S>(angle * angle);
  return from_parts<S>(half.c, (half.s * angle) * axis);
}

/// Returns the value of angle + 2 pi k that is nearest to `near` [rad].
template <Scalar S>
S nearest_angle(const S& angle, const S& near) {
  const S whole = S(2 * std::numbers::pi_v<ValueOf<S>>);
  return angle + whole * S(std::round(value_of(S((near - angle) / whole))));
}

/// Returns the angle, nearest to `near` [rad], of a rotation q about the unit axis n; for a rotation about another axis, that of its part
/// about n. Regular at every angle; q and -q are the same rotation.
template <Scalar S>
S angle_about(const Vector3<S>& n, const Quaternion<S>& q, const S& near) {
  using elementary::atan2;
  return nearest_angle<S>(S(2) * atan2(S(n.dot(q.vec())), S(q.w())), near);
}

/// Returns the rotation matrix of a unit quaternion.
template <Scalar S>
Matrix3<S> rotation_matrix(const Quaternion<S>& q) {
  const S x2 = q.x() + q.x(), y2 = q.y() + q.y(), z2 = q.z() + q.z();
  const S wx = q.w() * x2, wy = q.w() * y2, wz = q.w() * z2;
  const S xx = q.x() * x2, xy = q.x() * y2, xz = q.x() * z2, yy = q.y() * y2, yz = q.y() * z2, zz = q.z() * z2;
  Matrix3<S> R;
  R << S(1) - (yy + zz), xy - wz, xz + wy,  //
      xy + wz, S(1) - (xx + zz), yz - wx,   //
      xz - wy, yz + wx, S(1) - (xx + yy);
  return R;
}

/// Returns the canonical unit quaternion of a rotation matrix.
/// 4 q q^T is linear in R; its column with the largest diagonal entry (>= 1) is q up to scale, without cancellation.
template <Scalar S>
Quaternion<S> from_matrix(const Matrix3<S>& R) {
  const S xy = R(1, 0) + R(0, 1), yz = R(2, 1) + R(1, 2), xz = R(0, 2) + R(2, 0);
  const S wx = R(2, 1) - R(1, 2), wy = R(0, 2) - R(2, 0), wz = R(1, 0) - R(0, 1);
  Vector4<S> best(wx, wy, wz, S(1) + R(0, 0) + R(1, 1) + R(2, 2));
  S largest = best[3];
  const auto prefer_if_larger = [&](const S& diagonal, const S& x, const S& y, const S& z, const S& w) {
    const auto larger = largest < diagonal;
    best = Vector4<S>(select(larger, x, best[0]), select(larger, y, best[1]), select(larger, z, best[2]), select(larger, w, best[3]));
    largest = select(larger, diagonal, largest);
  };
  const S xx = S(1) + R(0, 0) - R(1, 1) - R(2, 2), yy = S(1) - R(0, 0) + R(1, 1) - R(2, 2), zz = S(1) - R(0, 0) - R(1, 1) + R(2, 2);
  prefer_if_larger(xx, xx, xy, xz, wx);
  prefer_if_larger(yy, xy, yy, yz, wy);
  prefer_if_larger(zz, xz, yz, zz, wz);
  return canonical(normalized(Quaternion<S>(best[3], best[0], best[1], best[2])));
}

/// Returns q as (w, x, y, z), the order of left_matrix and right_matrix.
template <Scalar S>
Vector4<S> to_wxyz(const Quaternion<S>& q) {
  return Vector4<S>(q.w(), q.x(), q.y(), q.z());
}

/// Returns the quaternion with components (w, x, y, z).
template <Scalar S>
Quaternion<S> from_wxyz(const Vector4<S>& c) {
  return Quaternion<S>(c[0], c[1], c[2], c[3]);
}

/// Returns L(q):  L(q) to_wxyz(p) = to_wxyz(q p)     [Brüdigam and Manchester 2020, sec. II; vi_math.md, section 11]
template <Scalar S>
detail::Matrix4<S> left_matrix(const Quaternion<S>& q) {
  detail::Matrix4<S> L;
  L << q.w(), -q.x(), -q.y(), -q.z(),  //
      q.x(), q.w(), -q.z(), q.y(),     //
      q.y(), q.z(), q.w(), -q.x(),     //
      q.z(), -q.y(), q.x(), q.w();
  return L;
}

/// Returns R(q):  R(q) to_wxyz(p) = to_wxyz(p q)
template <Scalar S>
detail::Matrix4<S> right_matrix(const Quaternion<S>& q) {
  detail::Matrix4<S> R;
  R << q.w(), -q.x(), -q.y(), -q.z(),  //
      q.x(), q.w(), q.z(), -q.y(),     //
      q.y(), -q.z(), q.w(), q.x(),     //
      q.z(), q.y(), -q.x(), q.w();
  return R;
}

}  // namespace quaternion
}  // namespace actio
