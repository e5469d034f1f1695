// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The gap of closed loops and rolling contacts.
#include <algorithm>
#include <cmath>
#include <variant>

#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/nonholonomic.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace experiments {

/// Returns the largest gap of a loop or a rolling contact [m] with the bodies placed by joint coordinates.  @param kinematics at these.
inline double loop_gap(const actio::Model<double>& model, const actio::KinematicsData<double>& kinematics) {
  double largest = 0;
  for (const actio::Loop<double>& loop : model.loops()) {
    if (!loop.active) continue;
    const actio::Pose<double> T_WA = kinematics.T_WB[loop.body_a] * loop.T_A, T_WB = kinematics.T_WB[loop.body_b] * loop.T_B;
    largest = std::max(largest, actio::detail::closure_gap(loop, T_WA.inverse() * T_WB));
  }
  for (const actio::Nonholonomic<double>& constraint : model.nonholonomic()) {
    const auto* rolling = std::get_if<actio::Rolling<double>>(&constraint.type);
    if (constraint.active && rolling) largest = std::max(largest, std::abs(actio::detail::contact_gap(*rolling, kinematics.T_WB[constraint.body])));
  }
  return largest;
}

}  // namespace experiments
