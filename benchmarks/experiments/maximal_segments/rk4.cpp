// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"
#include "support/acceleration_level_loops.hpp"

maximal_segments::Made maximal_segments::rk4(const Model& model, const State& start) {
  return experiments::racer(experiments::AccelerationLevelLoops(model), start, h);
}
maximal_segments::Quality maximal_segments::rk4_quality(const Model& model, const State& start, int steps) {
  return quality(experiments::AccelerationLevelLoops(model), start, steps);
}
