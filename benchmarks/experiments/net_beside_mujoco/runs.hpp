// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A net in MuJoCo, and trees without loops by Runge-Kutta 4 in both.
#include "support/loop_racers.hpp"
#include "support/mujoco.hpp"

namespace net_beside_mujoco {

using namespace experiments::loop_racers;

struct MujocoSettings {
  bool newton = false;               ///< instead of conjugate gradients
  bool rk4 = false;                  ///< instead of semi-implicit Euler steps
  double timeconst = 0.02;           ///< of solref [s]
  double least = 0.9, most = 0.95;   ///< of solimp
  int iterations = 100;
  double tolerance = 1e-8;
};

/// The same bodies, ball joints and loops, these as `connect` equalities. All joints must be balls and all loops of points.  @returns null
/// if MuJoCo refuses.
Made mujoco_racer(const experiments::Mujoco& mujoco, const Model& model, const State& start, double h, const MujocoSettings& settings = {});

/// Ours, for models without active loops.
Made rk4(const Model& model, const State& start, double h);

}  // namespace net_beside_mujoco
