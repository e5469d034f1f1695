// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "racers.hpp"

maximal_vs_joint::Made maximal_vs_joint::maximal(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(actio::MaximalIntegrator(model, {.tolerance = tolerance}), start, h);
}
