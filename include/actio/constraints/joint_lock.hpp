// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraints that a joint imposes, as rows on the pose of its child's frame M in its parent's frame F: for maximal coordinates, in
// which impulses enforce the joints.                                                             [vi_math.md, section 11.1]
#include "actio/constraints/body_rows.hpp"
#include "actio/math/householder.hpp"
#include "actio/math/se3.hpp"
#include "actio/math/small.hpp"
#include "actio/model/joints/default_joints.hpp"

namespace actio::detail {

///@{
/// Appends rows for translation along, or rotation about, the two directions perpendicular to n, or all three axes of F.
template <Scalar S>
void translation_rows_across(const PoseRowsAt<S>& at, const Vector3<S>& n, PoseRows<S>& rows) {
  for (const Vector3<S>& across : perpendiculars(n)) at.translation_row(across, rows);
}
template <Scalar S>
void rotation_rows_across(const PoseRowsAt<S>& at, const Vector3<S>& n, PoseRows<S>& rows) {
  for (const Vector3<S>& across : perpendiculars(n)) at.rotation_row(across, rows);
}
template <Scalar S>
void all_translation_rows(const PoseRowsAt<S>& at, PoseRows<S>& rows) {
  for (int k = 0; k < 3; ++k) at.translation_row(Vector3<S>::Unit(k), rows);
}
template <Scalar S>
void all_rotation_rows(const PoseRowsAt<S>& at, PoseRows<S>& rows) {
  for (int k = 0; k < 3; ++k) at.rotation_row(Vector3<S>::Unit(k), rows);
}
///@}

/// Appends 6 - nv rows that vanish if T_FM = pose(q) for some q and are independent there.
/// The joints of the library have overloads below. For a user's joint the rows are the components of log(pose(q*)^-1 T_FM) orthogonal to
/// the motion subspace, where q* is the coordinate of T_FM. Their wrenches span the constraint wrenches of the joint. The wrenches are
/// exact where T_FM is a pose of the joint, have an error of the order of the row's value elsewhere, and are smooth in T_FM at a fixed q.
/// The joint at q determines the basis: multipliers of these rows are not wrenches along axes, and their meaning may change with q.
/// @param q near the coordinate of T_FM: it selects the number of whole revolutions if the joint counts them.
template <JointType J, Scalar S>
requires std::same_as<S, typename J::Real>
void lock_rows(const J& joint, const PoseRowsAt<S>& at, const typename J::Config& q, PoseRows<S>& rows) {
  using Subspace = Householder<S, J::nv>;
  const typename J::Config there = joints::coordinate(joint, quaternion::from_parts<S>(at.w, at.e), at.T.p, q);
  const Subspace subspace(joint.motion_subspace(there), Subspace(joint.motion_subspace(q)));
  const Vector6<S> x = se3::log<S>(joint.pose(there).inverse() * at.T);
  for (int k = 0; k < 6 - J::nv; ++k) {
    const Vector6<S> n = subspace.complement(k);
    rows.add(n.dot(x), n.template head<3>(), n.template tail<3>());
  }
}
///@{
/// The same for the joints of the library: translation rows before rotation rows, along the axes of F or perpendicular to the joint's
/// axis. PoseRowsAt describes each kind of row.  @pre rows has space for 6 - nv more.
template <Scalar S>
void lock_rows(const Revolute<S>& joint, const PoseRowsAt<S>& at, const typename Revolute<S>::Config&, PoseRows<S>& rows) {
  detail::all_translation_rows(at, rows);
  detail::rotation_rows_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Prismatic<S>& joint, const PoseRowsAt<S>& at, const typename Prismatic<S>::Config&, PoseRows<S>& rows) {
  detail::translation_rows_across(at, joint.axis(), rows);
  detail::all_rotation_rows(at, rows);
}
template <Scalar S>
void lock_rows(const Helical<S>& joint, const PoseRowsAt<S>& at, const typename Helical<S>::Config& q, PoseRows<S>& rows) {
  detail::translation_rows_across(at, joint.axis(), rows);
  at.screw(joint.axis(), joint.pitch(), q[0], rows);
  detail::rotation_rows_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Cylindrical<S>& joint, const PoseRowsAt<S>& at, const typename Cylindrical<S>::Config&, PoseRows<S>& rows) {
  detail::translation_rows_across(at, joint.axis(), rows);
  detail::rotation_rows_across(at, joint.axis(), rows);
}
template <Scalar S>
void lock_rows(const Universal<S>& joint, const PoseRowsAt<S>& at, const typename Universal<S>::Config&, PoseRows<S>& rows) {
  detail::all_translation_rows(at, rows);
  at.angle(joint.axis(), joint.axis2(), rows);
}
template <Scalar S>
void lock_rows(const Spherical<S>&, const PoseRowsAt<S>& at, const typename Spherical<S>::Config&, PoseRows<S>& rows) {
  detail::all_translation_rows(at, rows);
}
template <Scalar S>
void lock_rows(const Planar<S>&, const PoseRowsAt<S>& at, const typename Planar<S>::Config&, PoseRows<S>& rows) {
  at.translation_row(Vector3<S>::UnitZ(), rows);
  detail::rotation_rows_across<S>(at, Vector3<S>::UnitZ(), rows);
}
template <Scalar S>
void lock_rows(const Free<S>&, const PoseRowsAt<S>&, const typename Free<S>::Config&, PoseRows<S>&) {}
///@}

}  // namespace actio::detail
