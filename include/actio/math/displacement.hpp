// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A small rigid motion kept by what differs from the identity, so that it is exact relative to its own size.
#include "actio/core/types.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/so3.hpp"

namespace actio {

/// dT of one step, as unit quaternion and displacement: point a of the frame at node k+1 is dR a + d in the frame at node k.
/// v of dQ and d are O(h) and never the difference of two O(1) numbers.                  [vi_math.md, section 4]
template <Scalar S>
struct Displacement {
  Quaternion<S> dQ;  ///< turn, w > 0
  Vector3<S> d;      ///< shift of the origin [m]

  static Displacement identity() { return {Quaternion<S>(S(1), S(0), S(0), S(0)), Vector3<S>::Zero()}; }

  /// (exp(w), dexp(w) v) of x = (w, v) [rad, m].
  static Displacement exp(const Vector6<S>& x) {
    const Vector3<S> w = x.template head<3>(), v = x.template tail<3>();
    return {quaternion::exp(w), so3::dexp(w, v)};
  }

  /// (w, dlog(w) d) with w the rotation vector of dQ.
  Vector6<S> log() const {
    const Vector3<S> w = quaternion::log(dQ);
    return spatial<S>(w, so3::dlog(w, d));
  }

  /// (dR - I) a = 2 v x (w a + v x a): how far dR moves the point a.
  Vector3<S> minus_identity(const Vector3<S>& a) const {
    const Vector3<S> v = dQ.vec();
    const Vector3<S> inner = dQ.w() * a + v.cross(a);
    return S(2) * v.cross(inner);
  }

  /// (dR^T - I) a.
  Vector3<S> minus_identity_inverse(const Vector3<S>& a) const {
    const Vector3<S> v = dQ.vec();
    const Vector3<S> inner = v.cross(a) - dQ.w() * a;
    return S(2) * v.cross(inner);
  }

  Vector3<S> rotate(const Vector3<S>& a) const { return a + minus_identity(a); }
  Vector3<S> rotate_inverse(const Vector3<S>& a) const { return a + minus_identity_inverse(a); }

  /// a b: first b, as for poses; small stays small.
  friend Displacement operator*(const Displacement& a, const Displacement& b) {
    return {quaternion::multiply(a.dQ, b.dQ), a.d + b.d + a.minus_identity(b.d)};
  }

  Displacement inverse() const { return {dQ.conjugate(), -rotate_inverse(d)}; }

  /// T^-1 dT T: the motion of the parent A, seen from a frame B fixed to it at T_AB.
  Displacement seen_from(const Pose<S>& T) const {
    const Matrix3<S> R_BA = detail::transposed(T.R);
    const Vector3<S> v_A = dQ.vec(), d_A = d + minus_identity(T.p);
    const Vector3<S> v = R_BA * v_A;
    return {Quaternion<S>(dQ.w(), v[0], v[1], v[2]), R_BA * d_A};
  }

  /// Ad_dT^T F: a wrench or momentum in the frame at node k, the same in the frame at node k+1; mu+ = Ad_dT^T mu-.
  Vector6<S> wrench_to_end(const Vector6<S>& F) const {
    const Vector3<S> n = F.template head<3>(), f = F.template tail<3>();
    const Vector3<S> moved = n - d.cross(f);
    return spatial<S>(rotate_inverse(moved), rotate_inverse(f));
  }

  /// Ad_dT^-T F: from the frame at node k+1 to the frame at node k.
  Vector6<S> wrench_to_start(const Vector6<S>& F) const {
    const Vector3<S> n = rotate(F.template head<3>()), f = rotate(F.template tail<3>());
    return spatial<S>(n + d.cross(f), f);
  }

  Pose<S> pose() const { return Pose<S>::from(dQ, d); }
};

}  // namespace actio
