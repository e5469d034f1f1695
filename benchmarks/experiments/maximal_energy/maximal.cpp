// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "runs.hpp"

using namespace actio;

experiments::EnergyRun maximal_energy::maximal(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("maximal", MaximalIntegrator(model), start, h, duration);
}
experiments::EnergyRun maximal_energy::maximal_as_published(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("maximal, as published", MaximalIntegrator(model, {.velocity = NodeVelocity::interval}), start, h,
                                 duration);
}
