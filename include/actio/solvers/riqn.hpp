// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/solvers/root.hpp"

namespace actio {

/// The recursive impulse-based quasi-Newton iteration x <- x - H f(x) with one H for the whole iteration; for the discrete
/// Euler-Lagrange equation H = h M(q_k)^-1, by articulated-body recursion.            [Lee et al. 2016, Alg. 3, (25)]
struct Riqn {
  static constexpr Method method = Method::riqn;

  /// @param x initial guess in, root out.  @param z workspace of the same size.
  template <class Problem, class S>
    requires RootProblem<Problem, S>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, VectorX<S>& z, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options);
    while (!rule.stop(value_of(S(problem.residual(x))))) {
      problem.update(z);
      x += z;
    }
    return rule.result();
  }
};

}  // namespace actio
