// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean force of a servo over a variational step.
#include <algorithm>

#include "actio/core/types.hpp"
#include "actio/model/properties.hpp"

namespace actio::detail {

/// The mean force F of a Servo over a step of length h by an increment x from q, limited to -limit ... limit:
///   F(x) = -k (q + x/2 - rest) - max(d, h k/2) x/h + extra
///   P: Lm = s h F(x) - (s - 1/2) h F',   V: Lp = h/2 F(x),   F' that of the step before, after a reset that of the state
/// In P that is the row of dry friction with a compliance. s is share_at_begin() of the servo that the step resolves worst, the same for
/// all. The damper reaches at least to the end of the step, so that x F(x) <= U(q) - U(q (+) x), U' = -F at rest: no gain and no step adds
/// energy.                                                                                        [variational_contact.md, section 10]
template <Scalar S>
struct StepServo {
  S slope{},   ///< of F against the mean rate x/h, > 0 [N m s/rad, N s/m]
      offset{},  ///< F = -slope (x/h + offset) within the limits [rad/s, m/s]
      before{};  ///< F' [N m, N]

  /// Begins a step.  @param q [rad, m] of its entry; any if the servo has no stiffness.  @param extra see Input::servo [N m, N].
  /// @param v rate after a reset, else null [rad/s, m/s].  @param last F' otherwise [N m, N].
  void begin(const Servo<S>& servo, const S& q, const S& extra, const S* v, const S& last, const S& h) noexcept {
    const S half = h * servo.stiffness / S(2), pull = servo.stiffness * (q - servo.rest) - extra;
    slope = std::max(servo.damping, half) + half;
    offset = pull / slope;
    before = v ? std::clamp(S(-pull - servo.damping * *v), S(-servo.limit), servo.limit) : last;
  }
};

}  // namespace actio::detail
