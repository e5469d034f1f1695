// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliance of constraints: springs and dampers of any stiffness, up to rigid, as one step of implicit Euler sees them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/core/elementary.hpp"
#include "actio/core/types.hpp"

namespace actio {

namespace detail {

/// A spring and damper discretised over one step:  lambda = -(w + gain phi) / R,  where w is the rate at the end of the step and phi
/// the deformation at its start.
template <Scalar S>
struct StepCompliance {
  S R;     ///< 1 / (C + h K) [m/(N s), rad/(N m s)]; 0: rigid; infinite: neither spring nor damper
  S gain;  ///< K R [1/s]; 1/h if rigid
};

}  // namespace detail

/// A spring and damper:  lambda = -K phi - C dphi/dt.                                   [Drumwright 2019; compliant_math.md, section 0]
template <Scalar S>
struct Compliance {
  S stiffness = std::numeric_limits<S>::infinity();  ///< K >= 0; infinite: rigid, to eps^(2/3) of the bodies' mobility [N/m, N m/rad]
  S damping{};                                       ///< C >= 0 [N s/m, N m s/rad]
  friend bool operator==(const Compliance&, const Compliance&) = default;  ///< equal constants

  /// Returns K phi^2 / 2 [J]; 0 if rigid.  @param deformation phi [m, rad].
  S energy(const S& deformation) const { return is_finite(stiffness) ? S(stiffness * deformation * deformation / S(2)) : S(0); }
  /// Returns the spring and damper discretised over a step.  @param h time step, > 0 [s].
  detail::StepCompliance<S> over(const S& h) const {
    if (stiffness == std::numeric_limits<S>::infinity()) return {S(0), S(1) / h};
    const S D = damping + h * stiffness;
    // D may be infinite: an infinite C is a damper that allows no motion
    return {S(1) / D, D > S(0) && is_finite(D) ? S(stiffness / D) : S(0)};
  }
};

/// A force that is a power of the penetration:  F = k d^n (1 + c dd/dt),  d = -gap >= 0.  Hertz: n = 3/2, c = 0; Hunt and Crossley: c > 0.
///                                                          [Hertz 1882; Hunt and Crossley 1975; compliant_math.md, section 6.1]
template <Scalar S>
struct PowerLaw {
  S coefficient{};      ///< k > 0 [N/m^n]
  S exponent = S(1.5);  ///< n >= 1
  S dissipation{};      ///< c >= 0 [s/m]
  friend bool operator==(const PowerLaw&, const PowerLaw&) = default;  ///< equal constants

  /// Returns Hertz's law for a sphere on a plane.                                              [Drumwright 2019, (121), (122)]
  /// @param modulus effective modulus E* = E / (1 - nu^2) [Pa].  @param radius of the sphere [m].  @param dissipation c [s/m].
  static PowerLaw hertz(const S& modulus, const S& radius, const S& dissipation = S(0)) {
    using std::sqrt;
    return {S(4) / S(3) * modulus * sqrt(radius), S(1.5), dissipation};
  }
  /// Returns the force without dissipation [N]; zero without penetration.  @param depth d [m].
  S force(const S& depth) const {
    using elementary::pow;
    return depth > S(0) ? S(coefficient * pow(depth, exponent)) : S(0);
  }
  S energy(const S& depth) const { return force(depth) * depth / (exponent + S(1)); }  ///< energy of that force [J]

  /// The spring and damper that have the law's force and slope at a depth, and the gap at which that spring is slack. The row remains the
  /// gap itself: the gradient of -d^n would vanish at first contact.                              [compliant_math.md, section 6.1]
  struct Tangent {
    Compliance<S> spring;  ///< K = dF/dd, C = c F; both zero without penetration
    S slack_gap;           ///< the deformation of the spring is gap - slack_gap [m]
  };
  /// Returns the tangent at a depth d [m].
  Tangent tangent(const S& depth) const {
    const S d = std::max(depth, S(0)), F = force(d);
    if (!(d > S(0))) return {{S(0), S(0)}, S(0)};
    const S K = exponent * F / d;
    return {{K, dissipation * F}, F / K - d};
  }
};

}  // namespace actio
