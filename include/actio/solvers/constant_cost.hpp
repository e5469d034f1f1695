// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <limits>

#include "actio/solvers/riqn.hpp"

namespace actio {

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
