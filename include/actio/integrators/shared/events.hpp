// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Events within a variational step at which it is cut in pieces: impacts, and reversals of slip.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/core/status.hpp"

namespace actio::detail {

/// Returns the share of a piece up to the first event in it, 1 if there is none, and leaves the attempt that ends there. An event is due
/// where a margin that is open at the beginning is at most `touch` at the end; its time is found by the Illinois method.
/// @param bounds StepBounds, after the increment over the whole piece was found.  @param find (share) makes an attempt, which includes its
/// end where slip is followed.  @param find_end () does the latter for the whole piece.  @param margin (at_end) returns the smallest margin
/// there, else at the beginning.  @param result out: the status, on failure.
template <class S, class Bounds, class Find, class FindEnd, class Margin>
S find_event(Bounds& bounds, Find&& find, FindEnd&& find_end, Margin&& margin, StepResult<S>& result) noexcept {
  if (result && bounds.follows_slip()) {
    find_end();
    if (result && bounds.keep_reversed()) find(S(1));
  }
  if (!result || !(margin(true) < S(0))) return S(1);
  const S aim = bounds.touch / S(2);
  const auto gap = [&](bool at_end) { return std::min(S(1), S(margin(at_end) - aim)); };  // a contact that is not found is far away
  S open(0), closed(1), at_open = gap(false), at_closed = gap(true);
  for (int side = 0, k = 0; k < 60; ++k) {
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

}  // namespace actio::detail
