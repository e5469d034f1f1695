// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's method within one step, update by update.
#include <optional>
#include <vector>

#include "actio/model/state.hpp"
#include "support/published_newton.hpp"

namespace maximal_newton_convergence {

using Model = actio::Model<double>;
using State = actio::State<double>;

/// Makes steps with the published start, guess, line search and termination and returns the updates of the last one.
/// @param steps >= 1.  @param updates number of updates made in the last step.  @returns none if a step failed.
std::optional<std::vector<experiments::NewtonUpdate>> last_step(const Model& model, const State& start, int steps, int updates);

}  // namespace maximal_newton_convergence
