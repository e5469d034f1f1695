// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The default root finder: RIQN while it is cheap, otherwise Newton's method with the exact Jacobian.
#include "actio/core/elementary.hpp"
#include "actio/solvers/root/newton.hpp"

namespace actio {

namespace detail {
template <class V>
class LaneRoot;  // integrators/lanes/lane_root.hpp
}

/// The cheapest method that converges: RIQN if few updates suffice; otherwise the exact Jacobian, factored once at the guess, and again if
/// an update reduces the norm by less than nine tenths; updates that do not reduce it are shortened. [vi_math.md, sections 7.5, 7.8, 14.2]
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
    const V goal = std::max(options.tolerance, 10 * epsilon<S>), small = 1000 * epsilon<S>;
    StoppingRule<V> rule(options, Method::riqn);
    memory.keeps_inverse = false;
    for (V norm(0), before(0); !memory.exact;) {
      before = std::exchange(norm, value_of(S(problem.residual(x))));
      const int made = rule.result().iterations;
      if (made > 0 && before > small) memory.contraction = std::max(norm / before, epsilon<S>);
      if (rule.stop(norm, problem)) break;
      if (norm > small && updates(norm, goal, memory.contraction) + static_cast<V>(made) > V(most_updates)) {
        memory.exact = true;
        if (made > 0 && !(norm < before)) {
          x -= work.z;
          problem.evaluate(x);
        }
        continue;
      }
      problem.update(work.z);
      rule.update(x, work.z);
    }
    if (rule.result().iterations > most_updates) memory.exact = true;
    memory.keeps_inverse = !memory.exact && rule.result().iterations <= 1 && memory.contraction < V(0.02);
    if (rule.result().status != Status::converged) newton(problem, x, work.z, memory, rule, goal);
    return rule.result();
  }

 private:
  template <class V> friend class detail::LaneRoot;

  // A factorisation of the exact Jacobian, with its rates, costs one to two updates of RIQN more than that of M.
  static constexpr int most_updates = 3; ///< with more updates of RIQN than this, the exact Jacobian is cheaper
  static constexpr int few_updates = 2;  ///< with at most this many, RIQN is cheaper

  /// Returns the number of updates that reduce a norm to the goal at a contraction.
  template <class V>
  static V updates(V norm, V goal, V contraction) noexcept {
    if (norm <= goal) return V(0);
    return contraction < V(1) ? elementary::log(norm / goal) / -elementary::log(contraction) : std::numeric_limits<V>::infinity();
  }

  /// Iterates with the exact Jacobian from x, where f was evaluated last if it was.
  template <class S, class Problem>
  static void newton(Problem& problem, VectorX<S>& x, VectorX<S>& z, Memory<ValueOf<S>>& memory, StoppingRule<ValueOf<S>>& rule,
                     ValueOf<S> goal) noexcept {
    using V = ValueOf<S>;
    rule.set_method(Method::simplified_newton);
    if (rule.result().evaluations == 0) problem.evaluate(x);
    else rule.judge_again();
    V norm(0), before(0);
    bool factored = false;  // at x, and norm is that by these factors
    const auto linearize = [&] { return factored = detail::linearize<S>(problem, rule, norm); };
    const auto evaluate = [&] { return norm = value_of(S(problem.newton_residual(x))); };
    if (!linearize()) return rule.count_evaluation();
    for (;;) {
      before = norm;
      if (!factored) evaluate();
      if (rule.stop(norm, problem)) return;
      if (rule.result().iterations == 0 && updates(norm, goal, memory.contraction) <= V(few_updates)) memory.exact = false;
      if (!factored && norm > before / 10 && !(norm < 1000 * epsilon<S>) && !(norm < 10 * problem.floor())) {
        rule.set_method(Method::newton);
        if (!detail::shorten<S>(problem, x, z, rule, norm, before, evaluate)) {
          rule.end(Status::max_iterations);
          return;
        }
        if (!linearize()) return;
      }
      factored = false;
      problem.update(z);
      rule.update(x, z);
    }
  }
};

}  // namespace actio
