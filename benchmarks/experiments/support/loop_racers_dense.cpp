// SPDX-License-Identifier: BSD-3-Clause
#include "support/acceleration_level_loops.hpp"
#include "support/loop_racers.hpp"

experiments::loop_racers::Made experiments::loop_racers::in_accelerations(const Model& model, const State& start, double h) {
  return racer(AccelerationLevelLoops(model), start, h);
}
