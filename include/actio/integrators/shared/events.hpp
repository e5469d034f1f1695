// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Events within a variational step at which it is cut in pieces: impacts, and reversals of slip.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/core/status.hpp"

namespace actio::detail {

/// Returns the share of a piece at whose end a margin is between 0 and `touch`, by the Illinois method; 1 if it is not negative at the end.
/// @param find (share) makes an attempt.  @param margin (at_end) returns the margin at the end of the attempt, else at the beginning.
/// @param touch > 0.  @param most number of attempts.  @param result out: the status, on failure.
template <class S, class Find, class Margin>
S locate_event(Find&& find, Margin&& margin, const S& touch, int most, StepResult<S>& result) noexcept {
  if (!result || !(margin(true) < S(0))) return S(1);
  const S aim = touch / S(2);
  const auto gap = [&](bool at_end) { return std::min(S(1), S(margin(at_end) - aim)); };  // a contact that is not found is far away
  S open(0), closed(1), at_open = gap(false), at_closed = gap(true);
  for (int side = 0, k = 0; k < most; ++k) {
    const S share = (open * at_closed - closed * at_open) / (at_closed - at_open);
    find(share);
    if (!result) return share;
    const S here = gap(true);
    if (std::abs(here) <= aim) return share;
    if (here < S(0)) {
      closed = share;
      at_closed = here;
      if (std::exchange(side, -1) == -1) at_open /= S(2);
    } else {
      open = share;
      at_open = here;
      if (std::exchange(side, 1) == 1) at_closed /= S(2);
    }
  }
  result.status = Status::max_iterations;
  return closed;
}

/// Returns the share of a piece up to the first event in it, an impact or a reversal of slip; 1 if there is none. The last attempt then
/// ends there. Slip that an impact within the piece stops or reverses jumps: its direction is then not kept.
/// @param bounds StepBounds, after the increment over the whole piece was found.  @param find as above; it includes the end of the attempt
/// where slip is followed.  @param find_end () finds the end of the whole piece.  @param margin as above, the smallest of all.
template <class S, class Bounds, class Find, class FindEnd, class Margin>
S find_event(Bounds& bounds, Find&& find, FindEnd&& find_end, Margin&& margin, StepResult<S>& result) noexcept {
  const S touch = bounds.touch;
  if (result && bounds.follows_slip()) {
    find_end();
    if (result && bounds.keep_reversed()) {
      find(S(1));
      const S share = locate_event(find, margin, touch, 20, result);
      if (result || result.status == Status::callback_failed) return share;
      result.status = Status::converged;
      result.culprit = {};
      bounds.follow_slip(false);
      find(S(1));
    }
  }
  return locate_event(find, margin, touch, 60, result);
}

}  // namespace actio::detail
