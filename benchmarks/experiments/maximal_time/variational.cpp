// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "racers.hpp"

maximal_time::Made maximal_time::variational(const Model& model, const State& start, double h) {
  return experiments::racer(actio::VariationalIntegrator(model), start, h);
}
