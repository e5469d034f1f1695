// SPDX-License-Identifier: BSD-3-Clause
#include "newton.hpp"

using namespace actio;
using experiments::PublishedNewton;

std::optional<std::vector<experiments::NewtonUpdate>> maximal_newton_convergence::last_step(const Model& model, const State& start,
                                                                                            int steps, int updates) {
  const MaximalOptions<double> options{
      .tolerance = 1e-10, .max_iterations = 100, .max_halvings = 0, .velocity = NodeVelocity::interval, .carry_residual = false};
  MaximalIntegrator<Model, PublishedNewton> integrator(model, options);
  integrator.reset(start);
  std::vector<experiments::NewtonUpdate> last;
  for (int k = 1; k <= steps; ++k) {
    if (k == steps) PublishedNewton::record = {&last, updates};
    const StepResult<double> result = integrator.step({}, PublishedNewton::h);
    PublishedNewton::record = {};
    if (!result) return {};
  }
  return last;
}
