// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Root finders with a dense Jacobian: Newton's method by LU and Broyden's method, for comparison.
#include <Eigen/LU>

#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/root.hpp"

namespace actio {

/// Newton's method with the exact Jacobian as a dense matrix and a dense solution: O(n^3) per update, the baseline of the paper.
///                                                              [Lee et al. 2016, Alg. 4; vi_math.md, sections 7.3 and 13]
/// Eigen's elimination may allocate beyond some hundred unknowns.
struct DenseNewton {
  static constexpr JacobianUse jacobian = JacobianUse::dense;  ///< the exact one, for every update

  /// Storage for n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;                        ///< (n) the update
    MatrixX<S> J;                        ///< (n, n) the Jacobian
    Eigen::PartialPivLU<MatrixX<S>> lu;  ///< factors of J
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)), J(MatrixX<S>::Zero(n, n)), lu(n) {}
  };

  /// Finds the root: see find_root().
  template <class S, DenseProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::dense_newton);
    return detail::iterate_safeguarded<S>(problem, x, work.z, rule, [&] { return value_of(S(problem.residual(x))); }, [&] {
      problem.jacobian(work.J);
      rule.count_factorization();
      work.lu.compute(work.J);
      work.z = work.lu.solve(problem.value());
      work.z = -work.z;
      return is_finite(S(work.z.sum())) || !rule.end(Status::singular);
    });
  }
};

/// Broyden's good method as compared in the paper: the inverse of the exact Jacobian at the initial guess, O(n^3) once, then a change of
/// rank one per update, O(n^2).                                                      [Lee et al. 2016, section 5]
/// Updates are taken without safeguards: for comparison with the paper only. Eigen's elimination may allocate beyond some hundred unknowns.
struct DenseBroyden {
  static constexpr JacobianUse jacobian = JacobianUse::dense;  ///< the exact one, once

  /// Storage for n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> f,                        ///< (n) the last f
        z,                               ///< (n) the update
        Hy,                              ///< (n) column factor of the change of H
        row;                             ///< (n) row factor of it
    MatrixX<S> J,                        ///< (n, n) the Jacobian at the guess
        H;                               ///< (n, n) its inverse, changed in each update
    Eigen::PartialPivLU<MatrixX<S>> lu;  ///< factors of J
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n)
        : f(VectorX<S>::Zero(n)), z(f), Hy(f), row(f), J(MatrixX<S>::Zero(n, n)), H(J), lu(n) {}
  };

  /// Finds the root: see find_root().
  template <class S, DenseProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::broyden);
    while (!rule.stop(value_of(S(problem.residual(x))), problem)) {
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
      rule.update(x, work.z);
    }
    return rule.result();
  }
};

}  // namespace actio
