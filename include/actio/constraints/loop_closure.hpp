// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraint rows of a closed loop of each LoopType: the conditions on the pose of frame B, fixed to one body, relative to frame A,
// fixed to another body.                                                                              [vi_math.md, section 11.1]
#include "actio/constraints/joint_lock.hpp"
#include "actio/model/loop.hpp"

namespace actio::detail {

/// Returns the number of rows of a loop closure of this type.
constexpr int num_rows(LoopType type) {
  switch (type) {
    case LoopType::ball: return 3;
    case LoopType::revolute: return 5;
    case LoopType::universal: return 4;
    case LoopType::fixed: return 6;
    case LoopType::prismatic: return 5;
    case LoopType::cylindrical: return 4;
    case LoopType::planar: return 3;
    case LoopType::point_on_line: return 2;
    case LoopType::distance: return 1;
  }
  return 0;
}

/// Returns the constraint violation of a loop in translation [m]; rotations are not counted.  @param T_AB pose of frame B in frame A.
template <Scalar S>
S closure_gap(const Loop<S>& loop, const Pose<S>& T_AB) {
  using std::abs;
  switch (loop.type) {
    case LoopType::planar: return abs(loop.axis.dot(T_AB.p));
    case LoopType::prismatic:
    case LoopType::cylindrical:
    case LoopType::point_on_line: return loop.axis.cross(T_AB.p).norm();
    case LoopType::distance: return abs(T_AB.p.norm() - loop.length);
    default: return T_AB.p.norm();
  }
}

/// Appends the rows of a loop closure, which vanish where the loop is closed.
/// @param at the pose of frame B in frame A.  @pre rows has space for num_rows(loop.type) more.
template <Scalar S>
void closure_rows(const Loop<S>& loop, const PoseRowsAt<S>& at, PoseRows<S>& rows) {
  switch (loop.type) {
    case LoopType::ball: return detail::all_translation_rows(at, rows);
    case LoopType::revolute: detail::all_translation_rows(at, rows); return detail::rotation_rows_across(at, loop.axis, rows);
    case LoopType::universal: detail::all_translation_rows(at, rows); return at.angle(loop.axis, loop.axis2, rows);
    case LoopType::fixed: detail::all_translation_rows(at, rows); return detail::all_rotation_rows(at, rows);
    case LoopType::prismatic: detail::translation_rows_across(at, loop.axis, rows); return detail::all_rotation_rows(at, rows);
    case LoopType::cylindrical:
      detail::translation_rows_across(at, loop.axis, rows);
      return detail::rotation_rows_across(at, loop.axis, rows);
    case LoopType::planar: at.translation_row(loop.axis, rows); return detail::rotation_rows_across(at, loop.axis, rows);
    case LoopType::point_on_line: return detail::translation_rows_across(at, loop.axis, rows);
    case LoopType::distance: return at.distance(loop.length, rows);
  }
}

}  // namespace actio::detail
