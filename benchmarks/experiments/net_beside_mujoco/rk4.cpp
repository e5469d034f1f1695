// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "runs.hpp"

net_beside_mujoco::Made net_beside_mujoco::rk4(const Model& model, const State& start, double h) {
  return experiments::racer(actio::RungeKutta(model), start, h);
}
