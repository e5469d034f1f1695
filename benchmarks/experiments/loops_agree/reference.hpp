// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "support/loop_racers.hpp"

namespace loops_agree {

using namespace experiments::loop_racers;

/// Runge-Kutta 4 with loops closed in the accelerations: shares no step with the others.
Made reference(const Model& model, const State& start, double h);

}  // namespace loops_agree
