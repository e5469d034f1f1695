// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean force of a one-sided spring and damper over a variational step.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// A spring with the energy U = K d^2/2 and a damper C on the compression d = min(gap, 0), over a step of length h from gap a to gap b:
///   F(b) = -(1 - g) (U(b) - U(a))/(b - a) - g U'(b) - C (d(b) - d(a))/h,  not below 0;
///   P: Lm = h/2 F;   V: 0 <= Lp  _|_  J v + A (1 - g)/g (Lp - Lm) >= 0;   g = z^4/(1 + z^4),  z = h^2 K A/4,  A = J M^-1 J^T.
/// g is small where the step resolves the spring: the first term then does exactly the work -(U(b) - U(a)), and V changes nothing. It
/// is close to 1 where the step is too long for that: the force is then that at the end, and V that of a rigid contact. F is convex and
/// does not increase with b, and no K and h add energy.                                            [variational_contact.md, section 5]
template <Scalar S>
struct StepSpring {
  S K{}, C{};  ///< >= 0 [N/m, N s/m]
  S z4{};      ///< z^4 = g/(1 - g), see begin()

  /// Sets g.  @param mobility A of the row at the beginning of the step [1/kg].
  /// @returns false if the spring is stiffer than settle_rigid_rows() makes a rigid contact.
  bool begin(const S& mobility, const S& h) noexcept {
    static const S least = std::pow(epsilon<S>, S(0.75F));  // a smaller one would change momenta by less, but be lost in rounding errors
    const S z = h * h * K * mobility / S(4);
    z4 = std::max(z * z * z * z, least);
    return h * h * mobility * (K + C / h) * settling_softness<S>() < S(2);
  }
  /// F, which may be negative here, and -dF/db > 0.
  struct Tangent {
    S force, slope;
  };
  /// Returns the tangent of F at b; at 0 that of b < 0.
  Tangent tangent(const S& a, const S& b, const S& h) const noexcept {
    const S da = std::min(a, S(0)), db = std::min(b, S(0));
    const S share = a <= S(0) && b <= S(0) ? S(1) : da == db ? S(0) : S((db - da) / (b - a));  // of the way on which the spring acts
    const S g = S(1) - S(1) / (S(1) + z4), damper = C / h, half = (S(1) - g) * K / S(2);
    const S slope = b > S(0) ? S(half * share * share) : S(half * share * (S(2) - share) + g * K + damper);
    return {-half * (da + db) * share - g * K * db - damper * (db - da), std::max(slope, epsilon<S> * (K + damper))};
  }
  /// Returns the line that stands for F in an update at an iterate b of P: the tangent at b or, where the gap is open without force or for
  /// the first time, the one at 0. With it, updates anticipate that a gap closes, and find the force of a gap that opened in the step.
  /// @param foreseen whether an open gap was met in this step; false at its beginning.
  Tangent line(const S& a, const S& b, const S& h, bool& foreseen) const noexcept {
    const Tangent at_b = tangent(a, b, h);
    if (b <= S(0) || (at_b.force > S(0) && std::exchange(foreseen, true))) return at_b;
    const Tangent at_0 = tangent(a, S(0), h);
    return {at_0.force - at_0.slope * b, at_0.slope};
  }
  /// Returns A (1 - g)/g h, the compliance of V.  @param mobility A at the end of the step [1/kg].
  S of_momentum(const S& mobility, const S& h) const noexcept {
    return mobility > S(0) ? S(h * mobility * std::max(S(1) / z4, settling_softness<S>())) : S(1);  // without mobility any will do
  }
};

}  // namespace actio::detail
