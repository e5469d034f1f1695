// SPDX-License-Identifier: BSD-3-Clause
// Without loops forward dynamics in one pass; with loops, the additional solves.
#include "racers.hpp"
#include "support/acceleration_level_loops.hpp"

using experiments::AccelerationLevelLoops;

namespace {

template <class Tableau>
maximal_time::Made explicit_steps(const maximal_time::Model& model, const maximal_time::State& start, double h) {
  if (model.loops().empty()) return experiments::racer(actio::RungeKutta<actio::Model<double>, Tableau>(model), start, h);
  return experiments::racer(AccelerationLevelLoops(model, 0, Tableau{}), start, h);
}

}  // namespace

maximal_time::Made maximal_time::heun(const Model& model, const State& start, double h) {
  return explicit_steps<actio::Heun>(model, start, h);
}
maximal_time::Made maximal_time::rk4(const Model& model, const State& start, double h) {
  return explicit_steps<actio::RungeKutta4>(model, start, h);
}
