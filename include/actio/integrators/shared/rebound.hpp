// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Restitution of a contact or joint limit in a variational step.
#include "actio/core/scalar.hpp"

namespace actio {

/// How impacts of contacts and limits with restitution are made.                         [variational_contact.md, section 4]
enum class Impacts {
  plastic,   ///< without restitution, at the end of a step
  located,   ///< at their time, which is searched for: of second order. Bounces shorter than the rest of the step are plastic.
  in_place,  ///< at the beginning of the step in which they occur: of first order; faster, and exact in the energy
};

namespace detail {

/// The state of a contact or limit with respect to impacts. With restitution, and open where a step begins, it waits: P and V do not have
/// its row, so that it may be violated at the end of the step. The integrator then shortens or repeats the step.
template <Scalar S>
struct Rebound {
  S restitution{};       ///< e, 0 ... 1; 0 where there is a spring
  bool waits = false,    ///< whether it is left out of P and V in this step
      strikes = false;   ///< whether it takes part in the present impact, where it does not have to be closed
};

}  // namespace detail
}  // namespace actio
