// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/riqn.hpp"

#include "actio/integrators/variational.hpp"
#include "racers.hpp"

using namespace actio;

maximal_vs_joint::Made maximal_vs_joint::riqn(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(VariationalIntegrator(model, {.tolerance = tolerance}, Drnea<Split>{}, Riqn{}), start, h);
}
