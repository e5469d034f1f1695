// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <Eigen/LU>

#include "actio/solvers/root.hpp"

namespace actio {

/// Broyden's good method as the paper compares it: the inverse of the exact Jacobian at the initial guess, O(n^3) once, then
/// changed by a matrix of rank one an update, O(n^2).                                [Lee et al. 2016, section 5]
/// Updates are taken as they are, without safeguards: for comparison with the paper only. Eigen's elimination may allocate beyond some
/// hundred unknowns.
struct DenseBroyden {
  static constexpr JacobianUse jacobian = JacobianUse::dense;  ///< the exact one, once

  /// For n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> f,                        ///< (n) of the last evaluation
        z,                               ///< (n) the update
        Hy,                              ///< (n) column of what H changes by
        row;                             ///< (n) row of it
    MatrixX<S> J,                        ///< (n, n) the Jacobian at the guess
        H;                               ///< (n, n) its inverse, changed from update to update
    Eigen::PartialPivLU<MatrixX<S>> lu;  ///< of J
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n)
        : f(VectorX<S>::Zero(n)), z(f), Hy(f), row(f), J(MatrixX<S>::Zero(n, n)), H(J), lu(n) {}
  };

  /// As find_root().
  template <class S, DenseProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::broyden);
    const auto floor = [&] { return problem.floor(); };
    while (!rule.stop(value_of(S(problem.residual(x))), floor)) {
      if (rule.result().factorizations == 0) {
        problem.jacobian(work.J);
        work.lu.compute(work.J);
        work.H = work.lu.permutationP();
        work.lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(work.H);
        work.lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(work.H);
        rule.count_factorization();
      } else {
        work.f -= problem.value();  // -y
        work.Hy.noalias() = work.H * work.f;
        const S denominator = -work.z.dot(work.Hy);
        work.row.noalias() = work.H.transpose() * work.z;
        work.Hy += work.z;
        if (denominator != S(0)) work.row /= denominator;
        else work.row.setZero();
        work.H.noalias() += work.Hy * work.row.transpose();
      }
      work.f = problem.value();
      work.z.noalias() = work.H * work.f;
      work.z = -work.z;
      rule.count_solve();
      x += work.z;
    }
    return rule.result();
  }
};

}  // namespace actio
