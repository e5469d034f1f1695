// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"

#include "runs.hpp"

experiments::EnergyRun energy_chain10::euler(const Model& model, const State& start, double h, double duration) {
  return experiments::energy_run("semi-implicit Euler", actio::SemiImplicitEuler(model), start, h, duration);
}
