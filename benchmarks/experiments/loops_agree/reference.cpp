// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include "support/acceleration_level_loops.hpp"

experiments::loop_racers::Made loops_agree::reference(const Model& model, const State& start, double h) {
  return experiments::racer(experiments::AccelerationLevelLoops(model), start, h);
}
