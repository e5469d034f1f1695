// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "runs.hpp"

experiments::EnergyRun energy_chain10::variational_se3(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("variational, se3", actio::VariationalIntegrator<actio::Model<double>, actio::Drnea<actio::Se3>>(model),
                                 start, h, duration);
}
