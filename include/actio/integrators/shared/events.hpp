// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Events within a variational step at which it is cut in pieces: impacts, and reversals of slip.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/core/status.hpp"
#include "actio/integrators/shared/step_bounds.hpp"
#include "actio/integrators/shared/substeps.hpp"

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

/// Makes the substeps of the integrators with limits, friction and contacts.
struct StepEvents {
  /// Makes one substep, or what precedes an event in it; on failure the node is unchanged, or was kept.
  /// @param step the integrator. It finds the increment over a part of the step, and its end; applies an impact() to the node where the
  /// part ends or begins; and goes there by finish().  @param bounds StepBounds.  @param relaxed the laws that the substep may break.
  template <class I, class Bounds, class Memory, class S>
  static void advance(I& step, Bounds& bounds, const Input<S>& input, RelaxedLaws relaxed, Substeps<Memory, S>& substeps,
                      StepResult<S>& result) noexcept {
    const StepPart<S> whole{input, substeps.h(), substeps.begin(), substeps.end(), relaxed};
    if (whole.begin == S(0)) bounds.clear_impulses();
    const bool may_cut = substeps.pieces() <= bounds.most_events;
    bounds.let_wait(!relaxed.restitution && may_cut, step.configuration());
    bounds.follow_slip(may_cut);
    step.find_increment(whole, result);
    S share(1);
    bool strikes = false, reverses = false;
    if constexpr (Bounds::supported) {
      const auto margin = [&](bool at_end) { return std::min(step.waiting_gap(at_end), bounds.kept_rate(at_end)); };
      if (result && bounds.impacts_in_place() && margin(true) <= bounds.touch) {
        substeps.keep();
        strike_in_place(step, bounds, whole, result);
      }
      const auto find_to = [&](const S& there) {
        step.find_increment(whole.up_to(there), result);
        if (result && bounds.follows_slip()) step.find_end(whole.up_to(there), result);
      };
      share = find_event(bounds, find_to, [&] { step.find_end(whole, result); }, margin, result);
      strikes = result && step.waiting_gap(true) <= bounds.touch;
      reverses = result && bounds.kept_rate(true) <= bounds.touch;
      if (strikes || reverses) substeps.keep();
    }
    const StepPart<S> part = whole.up_to(share);
    if (result && !bounds.follows_slip()) step.find_end(part, result);
    if (!result) return;
    bounds.add_impulses();
    if (strikes) step.impact(part, true, result);
    if (result) step.finish(part, strikes || reverses, result);
    if (!result) return;
    result.reversals += reverses ? 1 : 0;
    if (share < S(1)) substeps.cut(share);
  }

 private:
  /// Applies the impacts of a part at its beginning, and finds the increment after them.
  template <class I, class Bounds, class S>
  static void strike_in_place(I& step, Bounds& bounds, const StepPart<S>& part, StepResult<S>& result) noexcept {
    for (int rounds = 1; result && step.waiting_gap(true) <= bounds.touch; ++rounds) {
      step.impact(part, false, result);
      if (!result) return;
      if (rounds == bounds.most_events) bounds.let_wait(false, step.configuration());
      step.find_increment(part, result);
    }
  }
};

}  // namespace actio::detail
