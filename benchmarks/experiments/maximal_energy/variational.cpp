// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "runs.hpp"

experiments::EnergyRun maximal_energy::variational(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("joint-coordinate variational", actio::VariationalIntegrator(model), start, h, duration);
}
