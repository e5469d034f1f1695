// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "runs.hpp"

experiments::EnergyRun energy_chain10::variational(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("variational", actio::VariationalIntegrator(model), start, h, duration);
}
