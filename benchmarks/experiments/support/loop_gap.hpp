// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The gap of closed loops.
#include <algorithm>

#include "actio/constraints/loop_closure.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace experiments {

/// Returns the largest gap of a loop [m] with the bodies placed by joint coordinates.  @param kinematics at these.
inline double loop_gap(const actio::Model<double>& model, const actio::KinematicsData<double>& kinematics) {
  double largest = 0;
  for (const actio::Loop<double>& loop : model.loops()) {
    if (!loop.active) continue;
    const actio::Pose<double> T_WA = kinematics.T_WB[loop.body_a] * loop.T_A, T_WB = kinematics.T_WB[loop.body_b] * loop.T_B;
    largest = std::max(largest, actio::detail::closure_gap(loop, T_WA.inverse() * T_WB));
  }
  return largest;
}

}  // namespace experiments
