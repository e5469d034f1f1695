// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/explicit/tableaus.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "support/loop_racers.hpp"

using namespace actio;

experiments::loop_racers::Made experiments::loop_racers::srm(const Model& model, const State& start, double h, const Sweeps& sweeps) {
  const SrmOptions<double> options{.iterations = sweeps.iterations, .epsilon = sweeps.epsilon * h, .lambda_0 = sweeps.lambda_0};
  if (sweeps.order == 4) return racer(SequentialRegularization<Model, RungeKutta4>(model, options), start, h);
  return racer(SequentialRegularization(model, options), start, h);
}
