// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "runs.hpp"

using namespace actio;

maximal_order::End maximal_order::maximal(const Model& model, const State& start, double h, int steps) {
  return end_of(MaximalIntegrator(model), start, h, steps);
}
maximal_order::End maximal_order::maximal_as_published(const Model& model, const State& start, double h, int steps) {
  return end_of(MaximalIntegrator(model, {.velocity = NodeVelocity::interval}), start, h, steps);
}
