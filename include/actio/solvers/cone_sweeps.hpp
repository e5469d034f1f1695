// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant forces by sweeps over the groups: never far off, never exact, done when time is up.
#include <algorithm>

#include "actio/solvers/cone_dual.hpp"

namespace actio {

/// One group after the other is given the forces that answer its slack rates in the norm of a diagonal above its block of W (projected
/// block Gauss-Seidel). Forces are in their sets after each sweep; under the convex law lambda^T W lambda / 2 + b^T lambda falls with each
/// group. Linear convergence, slow on long stacks and badly scaled rows; Coulomb's law converges where friction is moderate.
/// No allocation.                                                                                 [compliant_math.md, section 8]
template <Scalar S>
class ConeSweeps {
 public:
  /// @param problem outlives this.
  explicit ConeSweeps(const DenseConeProblem<S>& problem) : problem_(&problem), rho_(problem.W.diagonal()) {
    for (const RowGroup<S>& group : problem.rows.groups()) {
      auto rho = rho_.segment(group.first, group.size);
      rho = problem.W.block(group.first, group.first, group.size, group.size).cwiseAbs().rowwise().sum();  // Gershgorin's bound
      if (group.size == 3) rho.tail(2).setConstant(rho.tail(2).maxCoeff());
    }
  }

  /// @param lambda (rows) in: a guess, inside the sets or not; out: better [N, N m].  @param sweeps >= 0.
  void run(ConeLaw law, int sweeps, VectorX<S>& lambda) const noexcept {
    for (int k = 0; k < sweeps; ++k) {
      for (const RowGroup<S>& group : problem_->rows.groups()) {
        Vector3<S> rho = Vector3<S>::Ones(), w = Vector3<S>::Zero();
        for (int r = 0; r < group.size; ++r) {
          const Eigen::Index i = group.first + r;
          rho[r] = rho_[i];
          w[r] = problem_->W.col(i).dot(lambda) + problem_->b[i] - rho[r] * lambda[i];  // W is symmetric
        }
        lambda.segment(group.first, group.size) = group_force(group, law, rho, w).lambda.head(group.size);
      }
    }
  }

 private:
  const DenseConeProblem<S>* problem_;
  VectorX<S> rho_;
};

}  // namespace actio
