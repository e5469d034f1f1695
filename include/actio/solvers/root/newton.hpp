// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's method with the exact Jacobian, its simplified form, and a step of constant cost.
#include <cmath>
#include <limits>

#include "actio/solvers/root/quasi_newton.hpp"

namespace actio {

namespace detail {

/// Updates that are shortened while they lead where f is not meant to be evaluated, or its norm grows.  [vi_math.md, section 7.8]
/// @param norm of f at x, where it was evaluated last.  @param measure () evaluates f at x and returns its norm.
/// @param update (z) fills z from the f that was evaluated last; false when the Jacobian is singular.
template <class S, class Problem, class Measure, class Update>
void safeguarded(Problem& problem, VectorX<S>& x, VectorX<S>& z, StoppingRule<ValueOf<S>>& rule, ValueOf<S> norm, Measure measure, Update update) noexcept {
  using V = ValueOf<S>;
  constexpr int max_cuts = 8;
  const auto floor = [&] { return problem.floor(); };
  while (!rule.stop(norm, floor)) {
    if (!update(z)) {
      rule.end(Status::singular);
      return;
    }
    rule.count_solve();
    x += z;
    const V before = norm;
    norm = measure();
    for (int cut = 0; cut < max_cuts && (!problem.plausible() || !(norm <= before)); ++cut) {
      if (norm < 100 * epsilon<S>) break;  // rounding goes up and down
      z /= S(2);
      x -= z;
      rule.count_evaluation();
      norm = measure();
    }
  }
}

}  // namespace detail

/// Newton's iteration with the exact Jacobian, factored in O(n) anew for every update; the updates are safeguarded.
///                                                                                    [vi_math.md, sections 7.2 and 7.8]
struct Newton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one, for every update
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// As find_root().
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::newton);
    const auto measure = [&] { return value_of(S(problem.residual(x))); };
    detail::safeguarded<S>(problem, x, work.z, rule, measure(), measure, [&](VectorX<S>& z) {
      rule.count_factorization();
      if (!problem.linearize()) return false;
      problem.newton_norm();
      problem.newton_update(z);
      return true;
    });
    return rule.result();
  }
};

/// Newton's iteration with the exact Jacobian at the initial guess, factored once; the updates are safeguarded. The norm is the one that
/// this Jacobian sees: residual() may put other factors in the place of its own.     [vi_math.md, sections 7.5 and 7.8]
struct SimplifiedNewton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one, once
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// As find_root().
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::simplified_newton);
    problem.evaluate(x);
    rule.count_factorization();
    if (!problem.linearize()) {
      rule.count_evaluation();
      rule.end(Status::singular);
      return rule.result();
    }
    const auto measure = [&] {
      problem.evaluate(x);
      return value_of(S(problem.newton_norm()));
    };
    detail::safeguarded<S>(problem, x, work.z, rule, value_of(S(problem.newton_norm())), measure, [&](VectorX<S>& z) {
      problem.newton_update(z);
      return true;
    });
    return rule.result();
  }
};

/// One exact factorisation at the guess and one update, always: for hard real time. There is no tolerance; what is left unsolved
/// is reported and carried on. Fails with max_iterations where that is more than a ten-thousandth, which says that the step is too long
/// for the motion: carried on for long, it blows up.                                      [vi_math.md, section 14.5, ideas 2 and 3]
/// (The guess of a step can cost more: the first three after a start, and those of a motion too fast for its steps, begin with a
/// forward dynamics.)
struct ConstantCost {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one at the guess
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// As find_root(), without options; `norm` is that after the update.
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>&) noexcept {
    using V = ValueOf<S>;
    constexpr V most = V(1e-4);
    problem.evaluate(x);
    if (!problem.linearize()) return {Status::singular, Method::simplified_newton, 1, 1, 0, std::numeric_limits<V>::infinity()};
    RootResult<V> result{Status::converged, Method::simplified_newton, 2, 1, 1, V(0)};
    problem.newton_norm();
    problem.newton_update(work.z);
    x += work.z;
    problem.evaluate(x);
    result.norm = value_of(S(problem.newton_norm()));
    if (!std::isfinite(result.norm)) result.status = Status::not_finite;
    else if (result.norm > most) result.status = Status::max_iterations;
    return result;
  }
};

}  // namespace actio
