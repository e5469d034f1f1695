// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The default root finder: RIQN while it is cheap, otherwise Newton's method with the exact Jacobian.
#include "actio/solvers/root/quasi_newton.hpp"

namespace actio {

/// The cheapest method that converges: RIQN if few updates suffice; otherwise the exact Jacobian, factored once at the guess, and again if
/// an update reduces the norm by less than nine tenths; updates that do not reduce it are shortened. [vi_math.md, 7.5, 7.8, 14.2]
/// The last contraction of RIQN is remembered, and decides with which method the next root begins.
struct Automatic {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one, if the approximate one is too slow

  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// The data kept from one root to the next.
  template <class V>
  struct Memory {
    V contraction{};             ///< contraction of RIQN when it was last tried; 0 before
    bool exact = false;          ///< whether the next root begins with the exact Jacobian
    bool keeps_inverse = false;  ///< whether RIQN's inverse is good enough for the next root
    /// Compares entry by entry.
    friend bool operator==(const Memory&, const Memory&) = default;
  };

  /// Finds the root: see find_root().
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, Memory<ValueOf<S>>& memory,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    using V = ValueOf<S>;
    const V goal = std::max(options.tolerance, 10 * epsilon<S>);
    StoppingRule<V> rule(options, Method::riqn);
    memory.keeps_inverse = false;
    if (!memory.exact && riqn(problem, x, work.z, memory, rule, goal)) return rule.result();
    newton(problem, x, work.z, memory, rule, goal);
    return rule.result();
  }

 private:
  // A factorisation of the exact Jacobian, with its rates, costs one to two updates of RIQN more than that of M.
  static constexpr int dear = 3;   ///< with more updates of RIQN than this, the exact Jacobian is cheaper
  static constexpr int cheap = 2;  ///< with at most this many, RIQN is cheaper

  /// Returns the number of updates that reduce a norm to the goal at a contraction.
  template <class V>
  static V updates(V norm, V goal, V contraction) noexcept {
    if (norm <= goal) return V(0);
    return contraction < V(1) ? std::log(norm / goal) / -std::log(contraction) : std::numeric_limits<V>::infinity();
  }

  /// Iterates with RIQN.  @returns false if it gives up: x is then the best so far, and f was evaluated there.
  template <class S, class Problem>
  static bool riqn(Problem& problem, VectorX<S>& x, VectorX<S>& z, Memory<ValueOf<S>>& memory, StoppingRule<ValueOf<S>>& rule, ValueOf<S> goal) noexcept {
    using V = ValueOf<S>;
    const auto floor = [&] { return problem.floor(); };
    for (V norm = value_of(S(problem.residual(x))), before = norm;; before = norm, norm = value_of(S(problem.residual(x)))) {
      const bool first = rule.result().iterations == 0;
      if (!first && before > 1000 * epsilon<S>) memory.contraction = std::max(norm / before, epsilon<S>);
      if (rule.stop(norm, floor)) {
        if (rule.result().iterations > dear) memory.exact = true;
        memory.keeps_inverse = !memory.exact && rule.result().iterations <= 1 && memory.contraction < V(0.02);
        return rule.result().status == Status::converged;
      }
      if (norm > 1000 * epsilon<S> && updates(norm, goal, memory.contraction) + static_cast<V>(rule.result().iterations) > V(dear)) {
        memory.exact = true;
        if (!first && !(norm < before)) {
          x -= z;
          problem.evaluate(x);
        }
        return false;
      }
      problem.update(z);
      rule.count_update();
      x += z;
    }
  }

  template <class S, class Problem>
  static void newton(Problem& problem, VectorX<S>& x, VectorX<S>& z, Memory<ValueOf<S>>& memory, StoppingRule<ValueOf<S>>& rule, ValueOf<S> goal) noexcept {
    using V = ValueOf<S>;
    constexpr int max_cuts = 8;
    const auto floor = [&] { return problem.floor(); };
    rule.set_method(Method::simplified_newton);
    if (rule.result().evaluations == 0) {
      problem.evaluate(x);
      rule.count_evaluation();
    }
    V norm(0);
    const auto linearize = [&] {
      rule.count_factorization();
      norm = value_of(S(problem.linearize()));
      return !detail::is_singular(norm) || !rule.end(Status::singular);
    };
    if (!linearize() || rule.judge(norm, floor)) return;
    if (rule.result().iterations == 0 && updates(norm, goal, memory.contraction) <= V(cheap)) memory.exact = false;
    while (true) {
      problem.newton_update(z);
      rule.count_update();
      x += z;
      const V before = norm;
      norm = value_of(S(problem.newton_residual(x)));
      if (rule.stop(norm, floor)) return;
      if (!(norm > before / 10) || norm < 1000 * epsilon<S> || norm < 10 * floor()) continue;
      rule.set_method(Method::newton);
      for (int cut = 0; !problem.plausible() || !(norm <= before); ++cut) {
        if (cut == max_cuts) {  // the norm cannot be reduced from here
          rule.end(Status::max_iterations);
          return;
        }
        z /= S(2);
        x -= z;
        rule.count_evaluation();
        norm = value_of(S(problem.newton_residual(x)));
      }
      if (!linearize()) return;
    }
  }
};

}  // namespace actio
