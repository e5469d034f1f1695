// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "racers.hpp"

maximal_time::Made maximal_time::maximal(const Model& model, const State& start, double h) {
  return experiments::racer(actio::MaximalIntegrator(model), start, h);
}

maximal_time::State maximal_time::allowed(const Model& model, const State& start) {
  actio::MaximalIntegrator integrator(model);
  integrator.reset(start);
  State state = start;
  [[maybe_unused]] const actio::Status status = integrator.read(state);
  return state;
}
