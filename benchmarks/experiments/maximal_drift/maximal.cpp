// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "runs.hpp"

maximal_drift::Run maximal_drift::maximal(const Model& model, const State& start, double h, double duration) {
  return run("maximal", actio::MaximalIntegrator(model), start, h, duration);
}

maximal_drift::State maximal_drift::allowed(const Model& model, const State& start) {
  actio::MaximalIntegrator integrator(model);
  integrator.reset(start);
  State state = start;
  [[maybe_unused]] const actio::Status status = integrator.read(state);
  return state;
}
