// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#include "racers.hpp"

maximal_vs_joint::Made maximal_vs_joint::automatic(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(actio::VariationalIntegrator(model, {.tolerance = tolerance}), start, h);
}
