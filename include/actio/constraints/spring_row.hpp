// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraint row of a spring between two points.
#include <utility>

#include "actio/constraints/row.hpp"
#include "actio/dynamics/generalized_forces.hpp"

namespace actio::detail {

/// Returns the row of a spring: its value is its length at rest minus that in this pose [m], its force is the tension.
/// @param T_WA, T_WB poses of the bodies of its ends.
template <Scalar S>
ConstraintRow<S> spring_row(const PointSpring<S>& spring, const Pose<S>& T_WA, const Pose<S>& T_WB) {
  const SpringLine<S> line(spring, T_WA, T_WB);
  ConstraintRow<S> row;
  row.value = -line.stretch(spring);
  row.bodies[0] = {spring.body_a, point_wrench<S>(T_WA, spring.point_a, line.direction)};
  row.bodies[1] = {spring.body_b, point_wrench<S>(T_WB, spring.point_b, Vector3<S>(-line.direction))};
  if (spring.body_a == 0) std::swap(row.bodies[0], row.bodies[1]);
  return row;
}

}  // namespace actio::detail
