// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "runs.hpp"

maximal_order::End maximal_order::rk4(const Model& model, const State& start, double h, int steps) {
  return end_of(actio::RungeKutta(model), start, h, steps);
}
