// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/solvers/riqn.hpp"

namespace actio {

/// Broyden's good method in product form over the problem's own inverse: H grows by one factor an update, of which only the step
/// is kept, and nothing is O(n^2). Updates are taken as they are: for comparison.       [Kelley 1995, section 7.3; vi_math.md, section 7.6]
struct Broyden {
  static constexpr JacobianUse jacobian = JacobianUse::none;  ///< the approximate inverse alone
  static constexpr int capacity = 10;                         ///< steps kept; then it begins anew

  /// For n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;      ///< (n) the update
    MatrixX<S> steps;  ///< (n, capacity) side by side, oldest first
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)), steps(MatrixX<S>::Zero(n, capacity)) {}
  };

  /// As find_root().
  template <class S, RootProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::broyden);
    const auto floor = [&] { return problem.floor(); };
    int kept = 0;
    while (!rule.stop(value_of(S(problem.residual(x))), floor)) {
      problem.update(work.z);
      rule.count_solve();
      if (!extend(work, kept)) kept = 0;
      x += work.z;
      if (kept == capacity) kept = 0;
      work.steps.col(kept++) = work.z;
    }
    return rule.result();
  }

 private:
  /// z = -H0 f becomes z = -H f; false when the last factor is close to singular and z stays as it was.
  template <class S>
  static bool extend(Workspace<S>& work, int kept) noexcept {
    if (kept == 0) return true;
    for (int k = 0; k + 1 < kept; ++k) {
      const S share = work.steps.col(k).dot(work.z) / work.steps.col(k).squaredNorm();
      work.z += share * work.steps.col(k + 1);
    }
    const auto last = work.steps.col(kept - 1);
    const S left = S(1) - last.dot(work.z) / last.squaredNorm();
    if (!(value_of(left) > ValueOf<S>(0.1))) return false;
    work.z /= left;
    return true;
  }
};

}  // namespace actio
