// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mimic joints and gears: a row on the coordinates of two joints, and what it is to each of them.
#include "actio/constraints/coordinate_rows.hpp"
#include "actio/model/loop.hpp"

namespace actio {

/// How far the follower is from where the leader wants it [rad, m].  @param q (nq).
template <Scalar S>
S coupling_gap(const Coupling<S>& coupling, const std::type_identity_t<ConstVectorRef<S>>& q) {
  return q[coupling.follower_q] - coupling.ratio * q[coupling.leader_q] - coupling.offset;
}

/// The row's share on one of its joints, as a row on the pose of that joint's child.  @param follows which of the two.  @param q of that
/// joint.  @param value of the row [rad, m], to be given to one of the two only.
template <JointType J, Scalar S>
  requires std::same_as<S, typename J::Real>
void coupling_row(const Coupling<S>& coupling, bool follows, const J& joint, const typename J::Config& q, const S& value, PoseRows<S>& rows) {
  if constexpr (J::nv == 1) {  // others are refused when the model is built
    const Vector6<S> along = dual_subspace<J>(joint.motion_subspace(q)) * (follows ? S(1) : S(-coupling.ratio));
    rows.add(value, along.template head<3>(), along.template tail<3>());
  }
}

}  // namespace actio
