// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean force of a spring and damper over a variational step: one-sided, of a limit or contact, or two-sided, of a loop or coupling.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "actio/constraints/compliance.hpp"
#include "actio/core/elementary.hpp"
#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// A spring with the energy U = K d^(n+1)/(n+1) of the depth d = max(-gap, 0), and the damping force (C + c U') dd/dt, over a step of
/// length h from gap a to gap b, with depths d_a and d_b:
///   F(b) = (1 - g) D + g U'(d_b) + (C (d_b - d_a) + c (U(d_b) - U(d_a)))/h, not below 0,   D = (U(d_b) - U(d_a))/(a - b);
///   P: Lm = h/2 F;   V: 0 <= Lp  _|_  J v + A (1 - g)/g (Lp - Lm) >= 0;   g = z^4/(1 + z^4),  z = h^2 U'' A/4,  A = J M^-1 J^T,
/// U'' at the larger of the two depths. g is small where the step resolves the spring: D then does exactly the work U(d_a) - U(d_b), and V
/// changes nothing. It is close to 1 where the step is too long for that: the force is then that at the end, and V that of a rigid contact.
/// F does not increase with b, and energy does not increase for any K, n, h and g.
/// V is that of a rigid contact also where h (C + c U') A/2 > 1: half of the damping force at each end would reverse the rate.
/// A two-sided spring is linear; F is then linear in a and b, and V is  J v + A (1 - g)/g (Lp - Lm) = 0.
///                                                                                                 [variational_contact.md, section 5]
template <Scalar S>
class StepSpring {
 public:
  StepSpring() = default;  ///< rigid
  /// @param two_sided whether it pulls, too: d = -gap, and F may be negative.
  explicit StepSpring(const Compliance<S>& law, bool two_sided = false) : K_(law.stiffness), C_(law.damping), is_two_sided_(two_sided) {}
  explicit StepSpring(const PowerLaw<S>& law) : K_(law.coefficient), n_(law.exponent), c_(law.dissipation) {}
  explicit StepSpring(const std::variant<Compliance<S>, PowerLaw<S>>& law)
      : StepSpring(std::visit([](const auto& one) { return StepSpring(one); }, law)) {}

  bool acts = false;  ///< whether the spring acts in this step; otherwise the row is rigid
  S force{};          ///< half of F at the last iterate [N]

  bool is_soft() const noexcept { return is_finite(K_); }  ///< whether there is a spring
  /// Returns U, 0 of a rigid row [J].
  S energy(const S& gap) const noexcept {
    if (is_two_sided_) return is_soft() ? S(K_ * gap * gap / S(2)) : S(0);
    return is_soft() && gap < S(0) ? S(-gap * of_depth(-gap) / (n_ + S(1))) : S(0);
  }

  /// Begins a step. A linear spring that is stiffer than the regularisation of rigid rows, settle_rigid_rows(), is treated as rigid.
  /// @param mobility A of the row at the beginning of the step [1/kg].  @pre is_soft()
  void begin(const S& mobility, const S& h) noexcept {
    h_ = h;
    z4_ = S(0);
    has_foreseen_ = is_overdamped_ = false;
    of_unit_ = h * h * mobility / S(4);
    acts = n_ > S(1) || S(4) * of_unit_ * (K_ + C_ / h) * settling_softness<S>() < S(2);
  }
  /// F, which may be negative here, and -dF/db > 0.
  struct Tangent {
    S force, slope;
  };
  /// Returns the tangent of F at b; at 0 that of b < 0.
  Tangent tangent(const S& a, const S& b) const noexcept {
    const S z4 = z4_between(a, b), rest = S(1) / (S(1) + z4), g = S(1) - rest;  // rest = 1 - g
    if (is_two_sided_) {
      const S K_begin = rest / S(2) * K_, K_end = K_ - K_begin;
      return {-K_begin * a - K_end * b - C_ * (b - a) / h_, std::max(S(K_end + C_ / h_), least_slope())};
    }
    const S da = std::max(S(-a), S(0)), db = std::max(S(-b), S(0));
    const S D = discrete_gradient(a, b), at_end = of_depth(db), steep = b > S(0) ? S(0) : stiffness(db);
    const S slope_of_D = are_apart(a, b) ? S((at_end - D) / (a - b)) : S(steep / S(2));
    const S slope_of_g = db > da ? S(by_z(z4, at_end - D) * (n_ - S(1)) / db) : S(0);
    const S slope = rest * slope_of_D + g * steep + slope_of_g + ((b > S(0) ? S(0) : C_) + c_ * at_end) / h_;
    return {rest * D + g * at_end + (C_ * (db - da) + c_ * D * (a - b)) / h_, std::max(slope, least_slope())};
  }
  /// Derivatives of F, where it is not zero, by a at constant z, by -b, and by ln z; and those of ln z by a and b.
  struct Rates {
    S by_begin, slope, by_z, z_by_begin, z_by_end;
  };
  Rates rates(const S& a, const S& b) const noexcept {
    const S z4 = z4_between(a, b), rest = S(1) / (S(1) + z4), slope = tangent(a, b).slope;
    if (is_two_sided_) return {C_ / h_ - rest / S(2) * K_, slope, by_z(z4, K_ * (a - b) / S(2)), S(0), S(0)};
    const S da = std::max(S(-a), S(0)), db = std::max(S(-b), S(0)), at_a = of_depth(da), D = discrete_gradient(a, b);
    const S D_a = are_apart(a, b) ? S((at_a - D) / (a - b)) : a > S(0) ? S(0) : S(-stiffness(da) / S(2));
    const S z_by_depth = n_ > S(1) ? S((n_ - S(1)) / std::max(da, db)) : S(0);
    return {rest * D_a + ((a > S(0) ? S(0) : C_) + c_ * at_a) / h_, slope, by_z(z4, of_depth(db) - D), da < db ? S(0) : S(-z_by_depth),
            da < db ? S(-z_by_depth) : S(0)};
  }
  /// A row of P with half of F as its force:  0 <= Lm/h  _|_  off/h + J w + R Lm/h >= 0.
  struct Row {
    S off, R;
  };
  /// Returns the row of an update at an iterate b, as a step of Newton's method, and sets the force. The row is the tangent of F at b or,
  /// where the gap is open without force or for the first time, the tangent at 0. Updates then anticipate that a gap closes, and find the
  /// force of a gap that opened in the step.
  Row row(const S& a, const S& b) noexcept {
    z4_ = z4_between(a, b);
    is_overdamped_ = of_unit_ * (C_ + c_ * of_depth(deepest(a, b))) > h_ / S(2);
    const auto [at_b, slope] = tangent(a, b);
    force = (is_two_sided_ ? at_b : std::max(S(0), at_b)) / S(2);
    if (is_two_sided_ || b <= S(0) || (at_b > S(0) && std::exchange(has_foreseen_, true))) return {-at_b / slope, S(2) / (h_ * slope)};
    const auto [at_0, its_slope] = tangent(a, S(0));
    return {b - at_0 / its_slope, S(2) / (h_ * its_slope)};
  }
  /// Returns whether the compliance of V depends on A at the beginning of the step.
  bool has_graded_momentum() const noexcept { return !is_overdamped_ && z4_ > least() && S(1) > z4_ * settling_softness<S>(); }
  /// Returns A (1 - g)/g h, the compliance of V, or that of a rigid contact.  @param mobility A at the end of the step [1/kg].
  S of_momentum(const S& mobility, const S& h) const noexcept {
    const S of_share = is_overdamped_ ? S(0) : S(S(1) / std::max(z4_, least()));
    return mobility > S(0) ? S(h * mobility * std::max(of_share, settling_softness<S>())) : S(1);  // without mobility any positive value works
  }

 private:
  static S deepest(const S& a, const S& b) noexcept { return std::max(S(-std::min(a, b)), S(0)); }
  /// Returns z^4 = g/(1 - g) > 0 between two gaps.
  S z4_between(const S& a, const S& b) const noexcept {
    const S z = of_unit_ * (n_ > S(1) ? stiffness(deepest(a, b)) : K_);
    return std::max(S(z * z * z * z), least());
  }
  /// Returns dF/d ln z.  @param difference U'(d_b) - D.
  static S by_z(const S& z4, const S& difference) noexcept {
    return z4 > least() ? S(S(4) * z4 * difference / ((S(1) + z4) * (S(1) + z4))) : S(0);
  }
  /// Returns D.
  S discrete_gradient(const S& a, const S& b) const noexcept {
    const S da = std::max(S(-a), S(0)), db = std::max(S(-b), S(0)), deepest = std::max(da, db);
    const S t = deepest > S(0) ? S((std::min(da, db) - deepest) / deepest) : S(0);
    const S mean = of_depth(deepest) * (t < S(0) ? S(elementary::expm1((n_ + S(1)) * elementary::log1p(t)) / ((n_ + S(1)) * t)) : S(1));
    const S share = a <= S(0) && b <= S(0) ? S(1) : da == db ? S(0) : S((db - da) / (a - b));  // of the way on which the spring acts
    return share * mean;
  }
  /// Returns whether a difference over a - b has no rounding errors that matter.
  static bool are_apart(const S& a, const S& b) noexcept {
    static const S apart = std::sqrt(epsilon<S>);
    return std::abs(a - b) > apart * std::max(S(0), S(-std::min(a, b)));
  }
  S of_depth(const S& d) const noexcept { return K_ * elementary::pow(d, n_); }               // U'
  S stiffness(const S& d) const noexcept { return n_ * K_ * elementary::pow(d, n_ - S(1)); }  // U''
  S least_slope() const noexcept { return of_unit_ > S(0) ? S(epsilon<S> / of_unit_) : S(1); }
  static const S& least() noexcept {  // of z^4: a smaller one would change momenta by less, but be lost in rounding errors
    static const S value = elementary::pow(epsilon<S>, S(0.75F));
    return value;
  }

  S K_ = std::numeric_limits<S>::infinity(), n_ = S(1), C_{}, c_{};
  S h_{}, of_unit_{};  // z of a stiffness of 1 N/m
  S z4_{};             // z^4 at the last iterate; 0 until row()
  bool has_foreseen_ = false;   // whether an open gap was met in this step
  bool is_two_sided_ = false;
  bool is_overdamped_ = false;  // whether the damper is too stiff for the step
};

}  // namespace actio::detail
