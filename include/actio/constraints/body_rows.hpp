// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows that constrain the pose T_FM of a frame M in a frame F: joints and loop closures are made of them.
// A row's covector on M is a wrench in M; the one on F is the opposite wrench, about F's origin.
#include <array>
#include <cstddef>

#include "actio/math/pose.hpp"
#include "actio/math/small.hpp"

namespace actio::detail {

/// Up to six rows g(T_FM) = 0.
template <Scalar S>
struct PoseRows {
  std::size_t count = 0;             ///< rows in use, <= 6
  std::array<S, 6> value;            ///< g [m; rotations: the quaternion's entry, about half the angle; universal joints: a cosine]
  std::array<Vector6<S>, 6> wrench;  ///< dg/dt = wrench . (twist of M relative to F, in M)

  /// Appends a row.  @param g its value.  @param moment, force its wrench, in M.  @pre count < 6.
  void add(const S& g, const Vector3<S>& moment, const Vector3<S>& force) {
    ACTIO_ASSERT(count < 6);
    value[count] = g;
    wrench[count++] = spatial<S>(moment, force);
  }
};

/// The pose at which rows are evaluated, and the kinds of rows.
template <Scalar S>
struct PoseRowsAt {
  Pose<S> T;     ///< T_FM
  Vector3<S> e;  ///< vector part of the quaternion of T.R, ...
  S w;           ///< ... and its scalar part

  /// Takes the quaternion of T.R with w >= 0.
  explicit PoseRowsAt(const Pose<S>& T_FM) : PoseRowsAt(T_FM, quaternion::from_matrix<S>(T_FM.R)) {}
  /// @param rotation the quaternion of T.R with either sign: the values and covectors of rotation rows change sign with it.
  PoseRowsAt(const Pose<S>& T_FM, const Quaternion<S>& rotation) : T(T_FM), e(rotation.vec()), w(rotation.w()) {}

  // Each function appends one row; its vectors are expressed in F unless stated otherwise.       [vi_math.md, section 11.1]

  /// Translation: M's origin stays in the plane through F's origin perpendicular to n.  g = n . p.
  void translation_row(const Vector3<S>& n, PoseRows<S>& rows) const { rows.add(n.dot(T.p), Vector3<S>::Zero(), T.R.transpose() * n); }
  /// Rotation: M does not rotate about n.  g = n . e.  Two such rows across an axis are independent at every angle about that axis.
  void rotation_row(const Vector3<S>& n, PoseRows<S>& rows) const { rows.add(n.dot(e), (w * n + n.cross(e)) / S(2), Vector3<S>::Zero()); }
  /// Angle: the angle between a, fixed in F, and b, fixed and expressed in M, stays as it is when T.R is the identity.
  void angle(const Vector3<S>& a, const Vector3<S>& b, PoseRows<S>& rows) const {
    const Vector3<S> a_M = T.R.transpose() * a;
    rows.add(a_M.dot(b) - a.dot(b), b.cross(a_M), Vector3<S>::Zero());
  }
  /// Screw: M's origin moves along n by `pitch` [m/rad] per radian of M's rotation about n.
  /// @param near approximate angle [rad], which selects the number of whole revolutions.
  void screw(const Vector3<S>& n, const S& pitch, const S& near, PoseRows<S>& rows) const {
    const S s = n.dot(e), angle = quaternion::angle_about<S>(n, quaternion::from_parts<S>(w, e), near);
    const Vector3<S> rate = (w * (w * n + n.cross(e)) + s * e) / (s * s + w * w);  // of the angle
    rows.add(n.dot(T.p) - pitch * angle, -pitch * rate, T.R.transpose() * n);
  }
  /// Distance: M's origin stays at the distance l from F's.  g = (|p|^2 - l^2) / (2 l), smooth everywhere.  @param length l > 0 [m].
  void distance(const S& length, PoseRows<S>& rows) const {
    rows.add((T.p.squaredNorm() - length * length) / (S(2) * length), Vector3<S>::Zero(), T.R.transpose() * T.p / length);
  }
};

/// Up to six rows g = 0 between body a and body b, with  dg/dt = on_a . V_a + on_b . V_b.  The twists V are about the bodies' centres of
/// mass, in the bodies' axes, and so are the covectors, which are opposite wrenches.
template <Scalar S>
struct BodyRows {
  std::size_t count = 0;           ///< rows in use, <= 6
  std::array<S, 6> value;          ///< as in PoseRows
  std::array<Vector6<S>, 6> on_a,  ///< wrench on body a for a unit multiplier, about its centre of mass, in its axes
      on_b;                        ///< the same of body b
};

/// Returns a wrench given about a frame's origin as the wrench about the point c of that frame.
template <Scalar S>
ACTIO_INLINE Vector6<S> about_point(const Vector6<S>& F, const Vector3<S>& c) {
  return vector6<S>(F[0] - (c[1] * F[5] - c[2] * F[4]), F[1] - (c[2] * F[3] - c[0] * F[5]), F[2] - (c[0] * F[4] - c[1] * F[3]), F[3], F[4],
                    F[5]);
}
/// Converts the rows of a pose to rows on the two bodies.
/// @param rows on M, a frame of body b, relative to a frame of body a.  @param T_aM pose of M in body a.  @param T_bM pose of M in body b;
/// null if M is the frame of body b.  @param com_a, com_b centres of mass in the bodies' frames [m].
template <Scalar S>
ACTIO_INLINE void to_bodies(const PoseRows<S>& rows, const Pose<S>& T_aM, const Pose<S>* T_bM, const Vector3<S>& com_a,
                            const Vector3<S>& com_b, BodyRows<S>& out) {
  out.count = rows.count;
  for (std::size_t k = 0; k < rows.count; ++k) {
    out.value[k] = rows.value[k];
    const Vector6<S> opposite = T_aM.wrench_to_parent(rows.wrench[k]);
    out.on_a[k] = -detail::about_point<S>(opposite, com_a);
    out.on_b[k] = detail::about_point<S>(T_bM ? T_bM->wrench_to_parent(rows.wrench[k]) : rows.wrench[k], com_b);
  }
}

}  // namespace actio::detail
