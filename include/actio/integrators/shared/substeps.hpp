// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halving: a step that does not converge is repeated in 2, 4, ... substeps.
#include <algorithm>

#include "actio/core/status.hpp"

namespace actio::detail {

/// Makes a step as a whole or, if that does not converge, in 2, 4, ... substeps of equal length. Begins with half the substeps of the last
/// step, since a step after a difficult one is often difficult too.
/// The work has a bound: after 2000 updates of the root finder, and 8 for each of the shortest substeps, the step fails with
/// max_iterations.
/// @param node the integrator's memory, with `substeps` and `time`; unchanged if the step fails.  @param backup another memory, as
/// workspace.
/// @param advance (h, begin, end, result) makes a substep that covers these shares of the input; on failure it changes nothing.
template <class Memory, class S, class Advance>
void step_in_substeps(Memory& node, Memory& backup, const S& h, int max_halvings, StepResult<S>& result, Advance&& advance) noexcept {
  const int most = result.iterations + 2000 + (8 << max_halvings);
  for (int substeps = std::max(1, node.substeps / 2);; substeps *= 2) {
    result.status = Status::converged;
    result.substeps = substeps;
    result.residual = ValueOf<S>(0);
    if (substeps == 1) {
      advance(h, S(0), S(1), result);
    } else {
      backup = node;
      const S share = S(1) / S(substeps);
      for (int k = 0; k < substeps && result; ++k) {
        if (result.iterations > most) result.status = Status::max_iterations;
        else advance(h * share, S(k) * share, S(k + 1) * share, result);
      }
      if (result) node.time = backup.time + h;  // not the sum of the substeps
      else node = backup;
    }
    if (result) node.substeps = substeps;
    if (result || result.status == Status::callback_failed || substeps >= 1 << max_halvings || result.iterations > most) return;
  }
}

}  // namespace actio::detail
