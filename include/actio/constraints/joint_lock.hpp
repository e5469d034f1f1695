// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a joint of the tree takes away, as rows on the pose of its child's frame M in its parent's frame F: for coordinates in which
// joints are held by impulses.                                                                  [vi_math.md, section 11.1]
#include "actio/constraints/body_rows.hpp"
#include "actio/math/householder.hpp"
#include "actio/math/se3.hpp"
#include "actio/math/small.hpp"
#include "actio/model/joints/default_joints.hpp"

namespace actio::detail {

/// No shift along, no turn about, the two directions perpendicular to n; or about all three.
template <Scalar S>
void shifts_across(const PoseRowsAt<S>& at, const Vector3<S>& n, PoseRows<S>& rows) {
  for (const Vector3<S>& across : perpendiculars(n)) at.shift(across, rows);
}
template <Scalar S>
void turns_across(const PoseRowsAt<S>& at, const Vector3<S>& n, PoseRows<S>& rows) {
  for (const Vector3<S>& across : perpendiculars(n)) at.turn(across, rows);
}
template <Scalar S>
void all_shifts(const PoseRowsAt<S>& at, PoseRows<S>& rows) {
  for (int k = 0; k < 3; ++k) at.shift(Vector3<S>::Unit(k), rows);
}
template <Scalar S>
void all_turns(const PoseRowsAt<S>& at, PoseRows<S>& rows) {
  for (int k = 0; k < 3; ++k) at.turn(Vector3<S>::Unit(k), rows);
}

/// Rows that vanish where T_FM = pose(q) for some q, 6 - nv of them, independent there.  @param q about that: where the joint counts
/// whole turns, which.  For every joint type: our own follow below; one of a user's own may bring a member lock_rows(at, q, rows).
/// Else the rows are what log(pose(q*)^-1 T_FM) has across the motion subspace, q* being the coordinate of T_FM. Their wrenches span
/// all that the joint bears; they are exact where T_FM is a pose of the joint, off by the order of the row's value elsewhere, and
/// smooth in T_FM at a fixed q. Which of the many bases it is, the joint at q decides: multipliers of these rows are not wrenches
/// along axes, and may change their meaning where q does.
template <JointType J, Scalar S>
requires std::same_as<S, typename J::Real>
void lock_rows(const J& joint, const PoseRowsAt<S>& at, const typename J::Config& q, PoseRows<S>& rows) {
  if constexpr (requires { joint.lock_rows(at, q, rows); }) {
    joint.lock_rows(at, q, rows);
  } else {
    using Subspace = Householder<S, J::nv>;
    const typename J::Config there = joints::coordinate(joint, quaternion::from_parts<S>(at.w, at.e), at.T.p, q);
    const Subspace subspace(joint.motion_subspace(there), Subspace(joint.motion_subspace(q)));
    const Vector6<S> x = se3::log<S>(joint.pose(there).inverse() * at.T);
    for (int k = 0; k < 6 - J::nv; ++k) {
      const Vector6<S> n = subspace.complement(k);
      rows.add(n.dot(x), n.template head<3>(), n.template tail<3>());
    }
  }
}
///@{
/// The same of our own joints: shifts before turns, along the axes of F or across the joint's own. See PoseRowsAt for each.
/// @pre rows has room for 6 - nv more.
template <Scalar S>
void lock_rows(const Revolute<S>& joint, const PoseRowsAt<S>& at, const typename Revolute<S>::Config&, PoseRows<S>& rows) {
  detail::all_shifts(at, rows);
  detail::turns_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Prismatic<S>& joint, const PoseRowsAt<S>& at, const typename Prismatic<S>::Config&, PoseRows<S>& rows) {
  detail::shifts_across(at, joint.axis(), rows);
  detail::all_turns(at, rows);
}
template <Scalar S>
void lock_rows(const Helical<S>& joint, const PoseRowsAt<S>& at, const typename Helical<S>::Config& q, PoseRows<S>& rows) {
  detail::shifts_across(at, joint.axis(), rows);
  at.screw(joint.axis(), joint.pitch(), q[0], rows);
  detail::turns_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Cylindrical<S>& joint, const PoseRowsAt<S>& at, const typename Cylindrical<S>::Config&, PoseRows<S>& rows) {
  detail::shifts_across(at, joint.axis(), rows);
  detail::turns_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Universal<S>& joint, const PoseRowsAt<S>& at, const typename Universal<S>::Config&, PoseRows<S>& rows) {
  detail::all_shifts(at, rows);
  at.angle(joint.axis(), joint.axis2(), rows);
}
template <Scalar S>
void lock_rows(const Spherical<S>&, const PoseRowsAt<S>& at, const typename Spherical<S>::Config&, PoseRows<S>& rows) {
  detail::all_shifts(at, rows);
}
template <Scalar S>
void lock_rows(const Planar<S>&, const PoseRowsAt<S>& at, const typename Planar<S>::Config&, PoseRows<S>& rows) {
  at.shift(Vector3<S>::UnitZ(), rows);
  detail::turns_across<S>(at, Vector3<S>::UnitZ(), rows);
}
template <Scalar S>
void lock_rows(const Free<S>&, const PoseRowsAt<S>&, const typename Free<S>::Config&, PoseRows<S>&) {}
///@}

}  // namespace actio::detail
