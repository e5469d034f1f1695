// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "runs.hpp"

maximal_segments::Made maximal_segments::maximal(const Model& model, const State& start) {
  return experiments::racer(actio::MaximalIntegrator(model), start, h);
}
maximal_segments::Quality maximal_segments::maximal_quality(const Model& model, const State& start, int steps) {
  return quality(actio::MaximalIntegrator(model), start, steps);
}
