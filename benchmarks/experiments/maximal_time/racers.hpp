// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include "support/race.hpp"

namespace maximal_time {

using Model = actio::Model<double>;
using State = actio::State<double>;
using Made = std::unique_ptr<experiments::Racer>;

Made maximal(const Model& model, const State& start, double h);
Made heun(const Model& model, const State& start, double h);
Made rk4(const Model& model, const State& start, double h);
Made variational(const Model& model, const State& start, double h);  ///< without loops

/// Returns the state with velocities that satisfy its loops.
State allowed(const Model& model, const State& start);

}  // namespace maximal_time
