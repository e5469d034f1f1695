// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A net in Pinocchio, and trees without loops by semi-implicit Euler steps in both.
#include <string>

#include "support/loop_racers.hpp"

namespace net_beside_mujoco {

using namespace experiments::loop_racers;

struct PinocchioSettings {
  bool recursive = false;  ///< `lcaba`, which eliminates bodies one by one, instead of the dense `constraintDynamics`
  double mu = 1e-6;        ///< of the proximal iterations
  double accuracy = 1e-3;  ///< of the accelerations of the loops, where the iterations end [m/s^2]
  int iterations = 50;     ///< at most
};

std::string pinocchio_version();  ///< empty if Pinocchio was not found

/// The same bodies, ball joints and loops, by semi-implicit Euler steps. The bodies must be numbered depth first.
/// @returns null if Pinocchio is absent.  @throws ModelError for other joints than balls and other loops than of points.
Made in_pinocchio(const Model& model, const State& start, double h, const PinocchioSettings& settings = {});

/// Ours, for models without active loops.
Made euler(const Model& model, const State& start, double h);

}  // namespace net_beside_mujoco
