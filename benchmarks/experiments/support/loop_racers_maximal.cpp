// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"
#include "support/loop_racers.hpp"

experiments::loop_racers::Made experiments::loop_racers::maximal(const Model& model, const State& start, double h, double tolerance) {
  return racer(actio::MaximalIntegrator(model, {.tolerance = tolerance}), start, h);
}
