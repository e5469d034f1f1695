// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <Eigen/LU>

#include "actio/solvers/newton.hpp"

namespace actio {

/// Newton's iteration with the exact Jacobian as a dense matrix and a dense solve: O(n^3) an update, the baseline of the paper.
///                                                              [Lee et al. 2016, Alg. 4; vi_math.md, sections 7.3 and 13]
/// Eigen's elimination may allocate beyond some hundred unknowns.
struct DenseNewton {
  static constexpr JacobianUse jacobian = JacobianUse::dense;  ///< the exact one, for every update

  /// For n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;                        ///< (n) the update
    MatrixX<S> J;                        ///< (n, n) the Jacobian
    Eigen::PartialPivLU<MatrixX<S>> lu;  ///< of J
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)), J(MatrixX<S>::Zero(n, n)), lu(n) {}
  };

  /// As find_root().
  template <class S, DenseProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::dense_newton);
    const auto measure = [&] { return value_of(S(problem.residual(x))); };
    detail::safeguarded<S>(problem, x, work.z, rule, measure(), measure, [&](VectorX<S>& z) {
      problem.jacobian(work.J);
      rule.count_factorization();
      work.lu.compute(work.J);
      z = work.lu.solve(problem.value());
      z = -z;
      return is_finite(S(z.sum()));
    });
    return rule.result();
  }
};

}  // namespace actio
