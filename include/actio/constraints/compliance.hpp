// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Springs and dampers that hold constraints, stiff without bound, as one step of implicit Euler has them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/core/types.hpp"

namespace actio {

/// What a spring and damper are to one step:  lambda = -(w + gain phi) / R,  w the rate at its end, phi the deformation at its start.
template <Scalar S>
struct StepCompliance {
  S R;     ///< 1 / (C + h K) [m/(N s), rad/(N m s)]; 0: rigid; infinite: there is no spring
  S gain;  ///< K R [1/s]; 1/h where rigid
};

/// lambda = -K phi - C dphi/dt.                                                        [Drumwright 2019; compliant_math.md, section 0]
template <Scalar S>
struct Compliance {
  S stiffness = std::numeric_limits<S>::infinity();  ///< K >= 0; infinite: rigid, to eps^(2/3) of what bodies give way [N/m, N m/rad]
  S damping{};                                       ///< C >= 0 [N s/m, N m s/rad]
  friend bool operator==(const Compliance&, const Compliance&) = default;  ///< equal constants

  bool is_valid() const { return stiffness >= S(0) && damping >= S(0); }  ///< neither negative nor NaN
  /// K phi^2 / 2 [J]; 0 where rigid.  @param deformation phi [m, rad].
  S energy(const S& deformation) const { return is_finite(stiffness) ? S(stiffness * deformation * deformation / S(2)) : S(0); }
  /// What they are to a step.  @param h > 0 [s].
  StepCompliance<S> over(const S& h) const {
    if (stiffness == std::numeric_limits<S>::infinity()) return {S(0), S(1) / h};
    const S D = damping + h * stiffness;
    // not K / D: C may be infinite, a damper that holds fast
    return {S(1) / D, D > S(0) && is_finite(D) ? S(stiffness / D) : S(0)};
  }
};

/// A force that grows with penetration as a power:  F = k d^n (1 + c dd/dt),  d = -gap >= 0. Hertz: n = 3/2, c = 0; Hunt and Crossley: c > 0.
///                                                          [Hertz 1882; Hunt and Crossley 1975; compliant_math.md, section 6.1]
template <Scalar S>
struct PowerLaw {
  S coefficient{};      ///< k > 0 [N/m^n]
  S exponent = S(1.5);  ///< n >= 1
  S dissipation{};      ///< c >= 0 [s/m]
  friend bool operator==(const PowerLaw&, const PowerLaw&) = default;  ///< equal constants

  /// Of a sphere of radius r and effective modulus E* = E / (1 - nu^2) on a plane [m, Pa].       [Drumwright 2019, (121), (122)]
  /// @param dissipation c [s/m].
  static PowerLaw hertz(const S& modulus, const S& radius, const S& dissipation = S(0)) {
    using std::sqrt;
    return {S(4) / S(3) * modulus * sqrt(radius), S(1.5), dissipation};
  }
  /// Without dissipation [N], zero where nothing penetrates.  @param depth d [m].
  S force(const S& depth) const {
    using std::pow;
    return depth > S(0) ? S(coefficient * pow(depth, exponent)) : S(0);
  }
  S energy(const S& depth) const { return force(depth) * depth / (exponent + S(1)); }  ///< [J]

  /// The spring and damper that have this force, and its slope, at a depth; and the gap at which that spring is slack.
  /// The gap itself must not be bent: a row -d^n vanishes where it first touches.                [compliant_math.md, section 6.1]
  struct Tangent {
    Compliance<S> spring;  ///< K = dF/dd, C = c F; both zero where nothing penetrates
    S slack_gap;           ///< [m]: deformation of the spring is gap - slack_gap
  };
  /// At a depth d [m].
  Tangent tangent(const S& depth) const {
    const S d = std::max(depth, S(0)), F = force(d);
    if (!(d > S(0))) return {{S(0), S(0)}, S(0)};
    const S K = exponent * F / d;
    return {{K, dissipation * F}, F / K - d};
  }
};

}  // namespace actio
