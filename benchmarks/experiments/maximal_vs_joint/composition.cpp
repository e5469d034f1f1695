// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"

#include "actio/integrators/variational.hpp"
#include "racers.hpp"

maximal_vs_joint::Made maximal_vs_joint::composition(const Model& model, const State& start, double h, double tolerance) {
  using Inner = actio::VariationalIntegrator<Model>;
  return experiments::racer(actio::Composition<Inner, 4>(Inner(model, {.tolerance = tolerance})), start, h);
}
