// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#include "support/loop_racers.hpp"

using namespace actio;

namespace experiments {

loop_racers::Made loop_racers::variational(const Model& model, const State& start, double h, double tolerance) {
  return racer(VariationalIntegrator(model, {.tolerance = tolerance}), start, h);
}

VectorX<double> loop_racers::forces_at_rest(const Model& model, const State& start) {
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset(start);
  const double h = 1e-6;  // the impulse of the first step holds half of the forces and, as the start is at rest, nothing else
  if (!integrator.step({}, h)) return VectorX<double>::Zero(integrator.closure_impulses().size());
  return integrator.closure_impulses() / (h / 2);
}

}  // namespace experiments
