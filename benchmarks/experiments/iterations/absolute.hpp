// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/solvers/reference/dense_roots.hpp"

namespace iterations {

/// A root finder that stops at the tolerance on |f| [N m s], as the released code does, instead of on the problem's relative norm.
template <bool exact>
struct Absolute {
  static constexpr actio::JacobianUse jacobian = actio::JacobianUse::dense;
  template <class S>
  using Workspace = actio::DenseNewton::Workspace<S>;

  template <class S, class Problem>
  static actio::RootResult<S> solve(Problem& problem, actio::VectorX<S>& x, Workspace<S>& work,
                                    const actio::RootOptions<S>& options) noexcept {
    actio::RootResult<S> result{actio::Status::converged, exact ? actio::Method::dense_newton : actio::Method::riqn, 0, 0, 0, S(0)};
    while (true) {
      result.norm = problem.residual(x);
      ++result.evaluations;
      if (problem.value().norm() <= options.tolerance) return result;
      if (result.iterations == options.max_iterations) break;
      if constexpr (exact) {
        problem.jacobian(work.J);
        work.lu.compute(work.J);
        work.z = work.lu.solve(problem.value());
        work.z = -work.z;
        ++result.factorizations;
      } else {
        problem.update(work.z);
      }
      ++result.iterations;
      x += work.z;
    }
    result.status = actio::Status::max_iterations;
    return result;
  }
};

}  // namespace iterations
