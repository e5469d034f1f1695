// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#include "support/loop_racers.hpp"

experiments::loop_racers::Made experiments::loop_racers::variational(const Model& model, const State& start, double h, double tolerance,
                                                                      actio::Factorization closures) {
  return racer(actio::VariationalIntegrator(model, {.tolerance = tolerance, .factorization = closures}), start, h);
}
