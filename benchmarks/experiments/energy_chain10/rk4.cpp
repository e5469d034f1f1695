// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"

#include "runs.hpp"

experiments::EnergyRun energy_chain10::rk4(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("Runge-Kutta 4", actio::RungeKutta(model), start, h, duration);
}
