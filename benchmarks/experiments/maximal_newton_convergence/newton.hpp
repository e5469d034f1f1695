// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's method within one step, update by update.
#include <optional>
#include <vector>

#include "actio/model/state.hpp"

namespace maximal_newton_convergence {

using Model = actio::Model<double>;
using State = actio::State<double>;

constexpr double h = 0.01;  ///< [s]

/// One Newton update. The unknowns s are the velocities [m/s], angular velocities [rad/s] and multipliers [N, N m] of the paper.
struct Update {
  double residual;  ///< norm of f before it, relative to the motion
  double size;      ///< |Delta s|
  double change;    ///< |Delta s - the Delta s before|: what the paper's termination condition names
  int halvings;     ///< by the line search
};

/// Makes steps with the published start, guess and line search and shows the last one.
/// @param steps >= 1: the last of them is shown.  @param updates made in it.  @returns none where a step failed.
std::optional<std::vector<Update>> last_step(const Model& model, const State& start, int steps, int updates);

}  // namespace maximal_newton_convergence
