// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Root finders with the exact Jacobian: Newton's method, its simplified form, and one update at constant cost.
#include <cmath>
#include <limits>
#include <utility>

#include "actio/solvers/root/quasi_newton.hpp"

namespace actio {

namespace detail {

/// Factors J where f was evaluated last.  @param norm out: that of f by these factors.  @returns false, with that status, if J is singular.
template <class S, class Problem>
bool linearize(Problem& problem, StoppingRule<ValueOf<S>>& rule, ValueOf<S>& norm) noexcept {
  rule.count_factorization();
  norm = value_of(S(problem.linearize()));
  return !is_singular(norm) || !rule.end(Status::singular);
}

/// Halves the last update z of x while x is outside of the region where f may be evaluated, or the norm of f grows. Norms at the size of
/// rounding errors fluctuate.                                                                         [vi_math.md, section 7.8]
/// @param norm of f at x, in and out.  @param before that before the update.  @param measure () evaluates f at x and returns its norm.
/// @returns false if three halvings are not enough.
template <class S, class Problem, class Measure>
bool shorten(Problem& problem, VectorX<S>& x, VectorX<S>& z, StoppingRule<ValueOf<S>>& rule, ValueOf<S>& norm, ValueOf<S> before,
             Measure&& measure) noexcept {
  for (int cut = 0; (!problem.plausible() || !(norm <= before)) && !(norm < 100 * epsilon<S>); ++cut) {
    if (cut == 3) return false;
    z /= S(2);
    x -= z;
    rule.count_evaluation();
    norm = measure();
  }
  return true;
}

/// Iterates with updates that are shortened. An update of which no eighth reduces the norm ends the iteration, unless only rounding errors
/// are left.  @param measure () evaluates f at x and returns its norm.
/// @param update () sets z; returns false to end the iteration, with the status of the stopping rule.
template <class S, class Problem, class Measure, class Update>
RootResult<ValueOf<S>> iterate_safeguarded(Problem& problem, VectorX<S>& x, VectorX<S>& z, StoppingRule<ValueOf<S>>& rule,
                                           Measure&& measure, Update&& update) noexcept {
  ValueOf<S> norm = measure();
  for (bool is_stuck = false; !rule.stop(norm, problem) && (!is_stuck || norm < 10 * problem.floor()) && update();) {
    rule.update(x, z);
    const ValueOf<S> before = std::exchange(norm, measure());
    is_stuck = !shorten<S>(problem, x, z, rule, norm, before, measure);
  }
  return rule.result();
}

}  // namespace detail

/// Newton's method with the exact Jacobian, factored in O(n) for every update; the updates are safeguarded.
///                                                                                    [vi_math.md, sections 7.2 and 7.8]
struct Newton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one, for every update
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// Finds the root: see find_root().
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::newton);
    return detail::iterate_safeguarded<S>(problem, x, work.z, rule, [&] { return value_of(S(problem.residual(x))); }, [&] {
      ValueOf<S> norm;
      if (!detail::linearize<S>(problem, rule, norm)) return false;
      problem.update(work.z);
      return true;
    });
  }
};

/// Simplified Newton's method: the exact Jacobian at the initial guess is factored once; the updates are safeguarded. The norm is that by
/// its factors.                                                                       [vi_math.md, sections 7.5 and 7.8]
struct SimplifiedNewton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one, once
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// Finds the root: see find_root().
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::simplified_newton);
    problem.evaluate(x);
    ValueOf<S> norm;
    if (!detail::linearize<S>(problem, rule, norm)) {
      rule.count_evaluation();
      return rule.result();
    }
    const auto measure = [&] { return rule.result().iterations == 0 ? norm : value_of(S(problem.newton_residual(x))); };
    return detail::iterate_safeguarded<S>(problem, x, work.z, rule, measure, [&] {
      problem.update(work.z);
      return true;
    });
  }
};

/// Exactly one factorisation of the exact Jacobian, at the guess, and one update: for hard real time. There is no tolerance; the remaining
/// residual is reported and carried on to later steps. Fails with max_iterations if its norm exceeds a ten-thousandth, which shows that the
/// step is too long for the motion: carried on over many steps, the errors diverge.       [vi_math.md, section 14.5, ideas 2 and 3]
/// The guess of a step can cost more: the first three after a start, and those of a motion too fast for its steps, begin with a
/// forward dynamics.
struct ConstantCost {
  static constexpr JacobianUse jacobian = JacobianUse::factored;  ///< the exact one at the guess
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;  ///< for n unknowns

  /// Makes the update: see find_root(); options are not used, and `norm` in the result is that after the update.
  template <class S, NewtonProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>&) noexcept {
    using V = ValueOf<S>;
    constexpr V most = V(1e-4);
    problem.evaluate(x);
    if (detail::is_singular(S(problem.linearize())))
      return {Status::singular, Method::simplified_newton, 0, 1, 1, std::numeric_limits<V>::infinity()};
    RootResult<V> result{Status::converged, Method::simplified_newton, 1, 2, 1, V(0)};
    problem.update(work.z);
    x += work.z;
    result.norm = value_of(S(problem.newton_residual(x)));
    if (!std::isfinite(result.norm)) result.status = Status::not_finite;
    else if (result.norm > most) result.status = Status::max_iterations;
    return result;
  }
};

}  // namespace actio
