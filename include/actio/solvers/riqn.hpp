// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/solvers/root.hpp"

namespace actio {

/// The recursive impulse-based quasi-Newton iteration x <- x - H f(x) with one H for the whole iteration; for the discrete
/// Euler-Lagrange equation H = h M(q_k)^-1, by articulated-body recursion.            [Lee et al. 2016, Alg. 3, (25)]
/// As published: updates are taken as they are, without safeguards. Automatic begins with it and has them.
struct Riqn {
  static constexpr JacobianUse jacobian = JacobianUse::none;  ///< the approximate inverse alone

  /// For n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;  ///< (n) the update
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)) {}
  };

  /// As find_root().
  template <class S, RootProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::riqn);
    const auto floor = [&] { return problem.floor(); };
    while (!rule.stop(value_of(S(problem.residual(x))), floor)) {
      problem.update(work.z);
      rule.count_solve();
      x += work.z;
    }
    return rule.result();
  }
};

}  // namespace actio
