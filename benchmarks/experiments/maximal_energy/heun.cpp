// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "runs.hpp"

experiments::EnergyRun maximal_energy::heun(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("Heun", actio::RungeKutta<actio::Model<double>, actio::Heun>(model), start, h, duration);
}
