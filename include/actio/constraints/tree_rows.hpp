// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows on the bodies and joints of a tree: ranges and dry friction of joints, couplings, closed loops.
#include <array>
#include <utility>

#include "actio/constraints/coupling.hpp"
#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/row.hpp"
#include "actio/model/properties.hpp"

namespace actio {

/// The lower (side 1) or upper (side -1) end of the range of a flat joint's entry: value >= 0 inside [rad, m].
/// @param configuration (nq).  @param q, v which entries of configuration and velocities.
template <Scalar S>
ConstraintRow<S> limit_row(const ModelProperties<S>& properties, const ConstVectorRef<S>& configuration, Eigen::Index q, Eigen::Index v, int side) {
  ConstraintRow<S> row;
  row.value = side > 0 ? S(configuration[q] - properties.lower[v]) : S(properties.upper[v] - configuration[q]);
  row.joints[0] = {v, S(side)};
  return row;
}

/// Dry friction of a joint's entry: its rate alone.  @param v which entry of the velocities.
template <Scalar S>
ConstraintRow<S> friction_row(Eigen::Index v) {
  ConstraintRow<S> row;
  row.joints[0] = {v, S(1)};
  return row;
}

/// Follower against leader: a value [rad, m] and two joint entries.  @param q (nq).
template <Scalar S>
ConstraintRow<S> coupling_row(const Coupling<S>& coupling, const ConstVectorRef<S>& q) {
  ConstraintRow<S> row;
  row.value = coupling_gap<S>(coupling, q);
  row.joints = {{{coupling.follower_v, S(1)}, {coupling.leader_v, S(-coupling.ratio)}}};
  return row;
}

/// The rows of a loop.  @param T_WA, T_WB poses of the two bodies in the world.  @param rows out, the first so many; biases are zero.
/// @returns how many.
template <Scalar S>
std::size_t loop_rows(const Loop<S>& loop, const Pose<S>& T_WA, const Pose<S>& T_WB, std::array<ConstraintRow<S>, 6>& rows) {
  const Pose<S> T_FM = (T_WA * loop.T_A).inverse() * (T_WB * loop.T_B);
  PoseRows<S> pose_rows;
  closure_rows(loop, PoseRowsAt<S>(T_FM), pose_rows);
  for (std::size_t k = 0; k < pose_rows.count; ++k) {
    const Vector6<S>& wrench = pose_rows.wrench[k];  // on frame B, in frame B
    rows[k] = {};
    rows[k].value = pose_rows.value[k];
    rows[k].bodies[0] = {loop.body_b, loop.T_B.wrench_to_parent(wrench)};
    rows[k].bodies[1] = {loop.body_a, -loop.T_A.wrench_to_parent(T_FM.wrench_to_parent(wrench))};
    if (loop.body_b == 0) std::swap(rows[k].bodies[0], rows[k].bodies[1]);
  }
  return pose_rows.count;
}

}  // namespace actio
