// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The energy that the correction of constraint violations adds in a step: how it is bounded, and how it is counted.
#include <algorithm>
#include <cmath>

#include "actio/core/types.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio::detail {

/// Finds the largest share of the recovery of violations with which the velocities have no more energy than `enough`, or than they have
/// without any recovery: springs may add energy too.
/// @param enough, brought [J]; `brought` is the energy of v1 with all of the recovery.  @param v1 (nv) the solution; out: with that share.
/// @param work (nv) overwritten.  @param energy returns the kinetic energy of velocities (nv) [J].
/// @param again takes a share off the recovery, solves for v1 and returns whether that succeeded; if not, this returns at once.
template <Scalar S, class Energy, class Again>
void bound_recovery(const S& enough, const S& brought, const VectorX<S>& v1, VectorX<S>& work, const Energy& energy,
                    const Again& again) noexcept {
  work = v1;
  if (!again(S(1))) return;
  const S none = energy(v1), allowed = std::max(enough, none);
  if (!(brought > allowed)) {
    again(S(-1));
    return;
  }
  // With bilateral rows only, which are linear, the energy with a share s of the recovery is  none + b s + a s^2.
  using std::sqrt;
  work -= v1;
  const S a = energy(work), b = brought - none - a, root = sqrt(std::max(b * b + S(4) * a * (allowed - none), S(0)));
  const S share = std::clamp(b > S(0) ? S(2) * (allowed - none) / (b + root) : (root - b) / (S(2) * a), S(0), S(1));
  constexpr ValueOf<S> rounding(sizeof(ValueOf<S>) >= 8 ? 1e-9F : 1e-4F);
  if (again(-share) && energy(v1) > (1 + rounding) * allowed) again(share);
}

/// Returns the work of the forces of rows that correct violations, over a step of h [J]: the force times the rate at which the violation is
/// corrected, less what a damper that drives it loses.
/// @param correction (rows) the part of the bias that corrects; 0 for other rows [m/s, rad/s].  @param share of it that was applied.
template <Scalar S>
S correction_work(const ConeRows<S>& rows, const ConstVectorRef<S>& correction, const S& share, const ConstVectorRef<S>& lambda,
                  const S& h) noexcept {
  S sum(0);
  for (Eigen::Index k = 0; k < lambda.size(); ++k) {
    const S driven = -h * share * correction[k] * lambda[k], lost = h * rows.R()[k] * lambda[k] * lambda[k];
    sum += driven > S(0) ? std::max(S(driven - lost), S(0)) : driven;
  }
  return sum;
}

}  // namespace actio::detail
