// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A small rigid motion, stored as its difference from the identity, so that it is accurate relative to its own size.
#include "actio/core/types.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/so3.hpp"

namespace actio {

/// A pure rotation.
template <Scalar S>
struct PureRotation {
  Quaternion<S> dQ;  ///< unit quaternion of the rotation
};

/// A pure translation.
template <Scalar S>
struct PureTranslation {
  Vector3<S> d;  ///< translation [m]
};

/// The motion dT of one step, as a unit quaternion dQ and a translation d: a point at a in the frame at node k+1 is at dR a + d in the
/// frame at node k. The vector part v of dQ and d are O(h); they are never the difference of two O(1) numbers.  [vi_math.md, section 4]
template <Scalar S>
struct Displacement {
  Quaternion<S> dQ;  ///< rotation, w > 0
  Vector3<S> d;      ///< translation of the origin [m]

  Displacement() = default;  ///< uninitialised
  ACTIO_INLINE Displacement(const Quaternion<S>& rotation, const Vector3<S>& translation)
      : dQ(rotation), d(translation) {}  ///< from dQ, unit, and d [m]
  Displacement(const PureRotation<S>& rotation) : Displacement(rotation.dQ, Vector3<S>::Zero()) {}                       ///< with d = 0
  Displacement(const PureTranslation<S>& translation)
      : Displacement(Quaternion<S>(S(1), S(0), S(0), S(0)), translation.d) {}  ///< with dQ = 1

  static Displacement identity() { return {Quaternion<S>(S(1), S(0), S(0), S(0)), Vector3<S>::Zero()}; }  ///< no motion: dQ = 1, d = 0

  /// Returns (exp(w), dexp(w) v) for x = (w, v) [rad, m].
  static Displacement exp(const Vector6<S>& x) {
    const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
    return {quaternion::exp(w), so3::dexp(w, v)};
  }

  /// Returns (w, dlog(w) d) [rad, m], where w is the rotation vector of dQ, |w| <= pi.
  Vector6<S> log() const {
    const Vector3<S> w = quaternion::log(dQ);
    return spatial<S>(w, so3::dlog(w, d));
  }

  /// Returns (dR - I) a = 2 v x (w a + v x a), the displacement of the point a by the rotation dR.
  ACTIO_INLINE Vector3<S> minus_identity(const Vector3<S>& a) const {
    const S w = dQ.w() + dQ.w(), x = dQ.x(), y = dQ.y(), z = dQ.z();
    const Vector3<S> inner(w * a[0] + S(2) * (y * a[2] - z * a[1]), w * a[1] + S(2) * (z * a[0] - x * a[2]),
                           w * a[2] + S(2) * (x * a[1] - y * a[0]));
    return Vector3<S>(y * inner[2] - z * inner[1], z * inner[0] - x * inner[2], x * inner[1] - y * inner[0]);
  }

  /// Returns (dR^T - I) a.
  ACTIO_INLINE Vector3<S> minus_identity_inverse(const Vector3<S>& a) const {
    const S w = dQ.w() + dQ.w(), x = dQ.x(), y = dQ.y(), z = dQ.z();
    const Vector3<S> inner(S(2) * (y * a[2] - z * a[1]) - w * a[0], S(2) * (z * a[0] - x * a[2]) - w * a[1],
                           S(2) * (x * a[1] - y * a[0]) - w * a[2]);
    return Vector3<S>(y * inner[2] - z * inner[1], z * inner[0] - x * inner[2], x * inner[1] - y * inner[0]);
  }

  ACTIO_INLINE Vector3<S> rotate(const Vector3<S>& a) const { return detail::sum(a, minus_identity(a)); }                  ///< dR a
  ACTIO_INLINE Vector3<S> rotate_inverse(const Vector3<S>& a) const { return detail::sum(a, minus_identity_inverse(a)); }  ///< dR^T a

  /// Returns a b, which applies b first, as for poses. Small motions keep their relative accuracy.
  ACTIO_INLINE friend Displacement operator*(const Displacement& a, const Displacement& b) {
    return {quaternion::multiply(a.dQ, b.dQ), detail::sum<S>(detail::sum(a.d, b.d), a.minus_identity(b.d))};
  }

  ///@{
  /// Returns a b for a pure rotation or translation b, with fewer multiplications.
  ACTIO_INLINE friend Displacement operator*(const Displacement& a, const PureRotation<S>& b) {
    return {quaternion::multiply(a.dQ, b.dQ), a.d};
  }
  ACTIO_INLINE friend Displacement operator*(const Displacement& a, const PureTranslation<S>& b) {
    return {a.dQ, detail::sum<S>(a.d, a.rotate(b.d))};
  }
  ///@}

  Displacement inverse() const { return {dQ.conjugate(), -rotate_inverse(d)}; }  ///< dT^-1 = (dQ^-1, -dR^T d)

  /// Returns T^-1 dT T: the motion dT of the parent A, expressed in a frame B that is fixed to A at T = T_AB.
  ACTIO_INLINE Displacement seen_from(const Pose<S>& T) const {
    using detail::column_times;
    const Matrix3<S>& R = T.R;
    const S x = dQ.x(), y = dQ.y(), z = dQ.z();
    const Vector3<S> moved = detail::sum(d, minus_identity(T.p));
    return {Quaternion<S>(dQ.w(), column_times(R, 0, x, y, z), column_times(R, 1, x, y, z), column_times(R, 2, x, y, z)),
            Vector3<S>(column_times(R, 0, moved[0], moved[1], moved[2]), column_times(R, 1, moved[0], moved[1], moved[2]),
                       column_times(R, 2, moved[0], moved[1], moved[2]))};
  }

  /// Returns Ad_dT^T F: a wrench or momentum given in the frame at node k, about its origin, expressed in the frame at node k+1;
  /// mu+ = Ad_dT^T mu-.
  ACTIO_INLINE Vector6<S> wrench_to_end(const Vector6<S>& F) const {
    const Vector3<S> moved(F[0] - (d[1] * F[5] - d[2] * F[4]), F[1] - (d[2] * F[3] - d[0] * F[5]), F[2] - (d[0] * F[4] - d[1] * F[3]));
    return spatial<S>(rotate_inverse(moved), rotate_inverse(Vector3<S>(F[3], F[4], F[5])));
  }

  /// Returns Ad_dT^-T F: a wrench or momentum given in the frame at node k+1, expressed in the frame at node k.
  ACTIO_INLINE Vector6<S> wrench_to_start(const Vector6<S>& F) const {
    const Vector3<S> n = rotate(Vector3<S>(F[0], F[1], F[2])), f = rotate(Vector3<S>(F[3], F[4], F[5]));
    return vector6<S>(n[0] + (d[1] * f[2] - d[2] * f[1]), n[1] + (d[2] * f[0] - d[0] * f[2]), n[2] + (d[0] * f[1] - d[1] * f[0]), f[0],
                      f[1], f[2]);
  }

  /// Returns Ad_dT V: a twist or motion given in the frame at node k+1, expressed in the frame at node k.
  ACTIO_INLINE Vector6<S> twist_to_start(const Vector6<S>& V) const {
    const Vector3<S> w = rotate(Vector3<S>(V[0], V[1], V[2])), v = rotate(Vector3<S>(V[3], V[4], V[5]));
    return vector6<S>(w[0], w[1], w[2], v[0] + (d[1] * w[2] - d[2] * w[1]), v[1] + (d[2] * w[0] - d[0] * w[2]),
                      v[2] + (d[0] * w[1] - d[1] * w[0]));
  }

  Pose<S> pose() const { return Pose<S>::from(dQ, d); }  ///< (dR, d), dR as a matrix
};

}  // namespace actio
