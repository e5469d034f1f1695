// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What anyone can check of a solution, however it was found.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/solvers/cone_rows.hpp"

namespace actio {

/// How far forces lambda and slack rates y = w + bias + R lambda are from answering each other; all zero for the exact solution.
///                                                                                     [compliant_math.md, sections 4.1, 5.1 and 5.2]
template <Scalar S>
struct ConeCertificate {
  S force{};  ///< largest distance of a force from its set, of the largest force
  S rate{};   ///< largest slack rate that its force should have prevented, of the scale of rates
  S power{};  ///< largest |lambda . y| of a group, which would vanish, of the product of both scales
  S worst() const { return std::max({force, rate, power}); }  ///< infinite where a force or rate is not finite
};

/// @param y (rows).  @param rate_scale what rates are measured by, such as the largest free one [m/s, rad/s].
template <Scalar S>
ConeCertificate<S> certify(const ConeRows<S>& rows, ConeLaw law, const VectorX<S>& lambda, const VectorX<S>& y, const S& rate_scale) {
  using std::abs, std::max;
  if (!is_finite(S(lambda.sum() + y.sum()))) {
    constexpr S infinite = std::numeric_limits<S>::infinity();
    return {infinite, infinite, infinite};
  }
  ConeCertificate<S> worst;
  S force_scale(0);
  for (const RowGroup<S>& group : rows.groups()) {
    const Vector3<S> f = of_group(group, lambda), slack = of_group(group, y);
    force_scale = max(force_scale, S(f.norm()));
    const S f_t = f.template tail<2>().norm(), slip = slack.template tail<2>().norm();
    S outside(0), rate(0), power = abs(f.dot(slack));
    switch (group.kind) {
      case RowKind::bilateral: rate = abs(slack[0]); break;
      case RowKind::unilateral:
        outside = max(S(0), S(-f[0]));
        rate = max(S(0), S(-slack[0]));
        break;
      case RowKind::friction:
        outside = max(S(0), S(abs(f[0]) - group.limit));
        power = abs(f[0] * slack[0] + group.limit * abs(slack[0]));
        break;
      case RowKind::contact:
        outside = max(S(0), S(f_t - group.limit * f[0]));
        if (law == ConeLaw::coulomb) {
          rate = max(S(0), S(-slack[0]));
          power = abs(f.dot(slack) + group.limit * slip * f[0]);
        } else {
          rate = max(S(0), S(group.limit * slip - slack[0]));
        }
    }
    worst.force = max(worst.force, outside);
    worst.rate = max(worst.rate, rate);
    worst.power = max(worst.power, power);
  }
  if (force_scale > S(0)) {
    worst.force /= force_scale;
    worst.power /= force_scale * rate_scale;
  }
  worst.rate /= rate_scale;
  return worst;
}

}  // namespace actio
