// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Restitution of a contact or joint limit in a variational step, and the energy guard of an impact.
#include <algorithm>
#include <cmath>

#include "actio/core/scalar.hpp"

namespace actio {

/// How impacts of contacts and limits with restitution are made.                         [variational_contact.md, section 4]
enum class Impacts {
  plastic,   ///< without restitution, at the end of a step
  located,   ///< at their time, which is searched for: of second order. Bounces shorter than the rest of the step are plastic.
  in_place,  ///< at the beginning of the step in which they occur: of first order; faster, and exact in the energy
};

namespace detail {

/// The part of a contact or limit in impacts. One with restitution that is open where a step begins waits: it is no row of P and V, so that
/// it may end the step violated. The step is then made differently.
template <Scalar S>
struct Rebound {
  S restitution{};       ///< e, 0 ... 1; 0 where there is a spring
  bool waits = false,    ///< whether it is left out of P and V in this step
      strikes = false;   ///< whether it takes part in the present impact, where it does not have to be closed
};

/// Returns the largest share t in [0, 1] of the way from impulses Lc to L for which the energy is at most that before the impact: the root
/// of  |p + J^T (Lc + t (L - Lc))|^2 = |p|^2  in the metric of M^-1; 1 if L keeps it, apart from rounding.
/// @param before, compressed, after squared norms of the momenta before the impact, with Lc, and with L [J].
/// @param way that of J^T (L - Lc) [J].  @pre compressed <= before, apart from rounding
template <Scalar S>
S kept_share(const S& before, const S& compressed, const S& after, const S& way, const S& rounding) noexcept {
  if (after <= before * (S(1) + rounding)) return S(1);
  const S b = (after - compressed - way) / S(2), c = std::min(S(0), S(compressed - before));
  return std::clamp(S(-c / (b + std::sqrt(std::max(S(0), S(b * b - way * c))))), S(0), S(1));
}

}  // namespace detail
}  // namespace actio
