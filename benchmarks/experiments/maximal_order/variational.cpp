// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "runs.hpp"

maximal_order::End maximal_order::variational(const Model& model, const State& start, double h, int steps) {
  return end_of(actio::VariationalIntegrator(model), start, h, steps);
}
