// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halving: a step that does not converge is repeated in 2, 4, ... substeps.
#include <algorithm>

#include "actio/core/status.hpp"

namespace actio::detail {

/// Makes a step as a whole or, if that does not converge, in 2, 4, ... substeps of equal length. Begins with half the substeps of the last
/// step, since a step after a difficult one is often difficult too.
/// @param node the integrator's memory, with `pieces` and `time`; unchanged if the step fails.  @param backup another memory, as workspace.
/// @param advance (h, begin, end, result) makes a substep that covers these shares of the input; on failure it changes nothing.
template <class Memory, class S, class Advance>
void step_in_pieces(Memory& node, Memory& backup, const S& h, int max_halvings, StepResult<S>& result, Advance&& advance) noexcept {
  for (int pieces = std::max(1, node.pieces / 2);; pieces *= 2) {
    result.status = Status::converged;
    result.substeps = pieces;
    result.residual = ValueOf<S>(0);
    if (pieces == 1) {
      advance(h, S(0), S(1), result);
    } else {
      backup = node;
      const S share = S(1) / S(pieces);
      for (int k = 0; k < pieces && result; ++k) advance(h * share, S(k) * share, S(k + 1) * share, result);
      if (result) node.time = backup.time + h;  // not the sum of the substeps
      else node = backup;
    }
    if (result) node.pieces = pieces;
    if (result || result.status == Status::callback_failed || pieces >= 1 << max_halvings) return;
  }
}

}  // namespace actio::detail
