// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean force of a servo over a variational step.
#include <algorithm>

#include "actio/core/types.hpp"
#include "actio/model/properties.hpp"

namespace actio::detail {

/// The mean force F of a Servo over a step of length h by an increment x from q, and F0 at rest, both limited to -limit ... limit:
///   F(x) = -k (q + x/2 - rest) - max(d, h k/2) x/h + extra,   F0(q) = -k (q - rest) + extra
///   P: Lm = s h F(x) - (s - 1/2) h F0(q),   V: Lp = (1 - s) h F(x) + (s - 1/2) h F0(q (+) x)
/// s h F is the row of dry friction with a compliance. The damper reaches at least to the end of the step, so that
/// x F(x) <= U(q) - U(q (+) x), U' = -F0: no gains and no step add energy. s is share_at_begin() of the servo that the step resolves worst,
/// the same for all.                                                                        [variational_contact.md, section 10]
template <Scalar S>
struct StepServo {
  S slope{},  ///< -h dF/dx, > 0 [N m s/rad, N s/m]
      offset{},  ///< F = -slope (x/h + offset) within the limits [rad/s, m/s]
      extra{};   ///< see Input::servo [N m, N]

  /// Begins a step.  @param q [rad, m] of its entry; any if the servo has no stiffness.
  void begin(const Servo<S>& servo, const S& q, const S& more, const S& h) noexcept {
    const S half = h * servo.stiffness / S(2);
    slope = std::max(servo.damping, half) + half;
    extra = more;
    offset = (servo.stiffness * (q - servo.rest) - extra) / slope;
  }
  /// Returns F0 [N m, N].
  S at_rest(const Servo<S>& servo, const S& q) const noexcept {
    return std::clamp(S(extra - servo.stiffness * (q - servo.rest)), S(-servo.limit), servo.limit);
  }
};

}  // namespace actio::detail
