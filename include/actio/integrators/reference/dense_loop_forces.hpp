// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Loop forces for Waveform from a dense Schur complement, to compare sequential regularisation with.
#include <Eigen/Cholesky>

#include "actio/core/options.hpp"
#include "actio/core/status.hpp"
#include "actio/core/types.hpp"
#include "actio/model/checks.hpp"

namespace actio {

/// Loop forces that satisfy  d''  + 2 alpha d' + alpha^2 d = 0  in the accelerations, from the dense Schur complement of the loops, D T
/// D^T, which sequential regularisation avoids. O(loops bodies + loops^3); fails where loops are redundant or the pose is singular.
/// For trees whose D is constant; the matrix is built from the tree's response to a unit force in each row.
///                                                                                [Ascher and Lin 1999, section 3; Baumgarte 1972]
template <Scalar S>
class SchurForces {
 public:
  /// @param rows of all loops.  @param alpha >= 0 [1/s].  @throws OptionsError if alpha is negative.
  SchurForces(Eigen::Index rows, ValueOf<S> alpha)
      : alpha_(alpha), schur_(MatrixX<S>::Zero(rows, rows)), target_(VectorX<S>::Zero(rows)), unit_(target_), y_(target_) {
    detail::require_option(alpha >= 0, "SchurForces", "alpha", alpha, ">= 0");
    if (rows > 0) factors_.compute(MatrixX<S>::Identity(rows, rows));  // allocates
  }

  /// See LoopForces. The tree must also have rates_of(a, y): y = D a.
  ///@{
  int copies() const noexcept { return 1; }
  void begin(VectorX<S>& lambda) const noexcept { lambda.setZero(); }
  template <class Tree, class Respond>
  Status update(Tree& tree, const Respond& respond, const S&, VectorX<S>& lambda) noexcept {
    if (lambda.size() == 0) return Status::converged;
    const S alpha(alpha_);
    unit_.setZero();
    if (const Status status = respond(unit_); status != Status::converged) return status;
    tree.rates_of(tree.acceleration(), target_);  // D a without loop forces
    for (Eigen::Index r = 0; r < lambda.size(); ++r) {
      unit_[r] = S(1);
      if (const Status status = respond(unit_); status != Status::converged) return status;
      unit_[r] = S(0);
      tree.rates_of(tree.acceleration(), y_);
      schur_.col(r) = target_ - y_;
    }
    lambda = target_ + S(2) * alpha * tree.rate() + alpha * alpha * tree.gap();
    factors_.compute(schur_);
    const auto pivots = factors_.vectorD();
    if (!(pivots.minCoeff() > S(64 * epsilon<S>) * pivots.maxCoeff()))
      return detail::all_finite(schur_) ? Status::singular : Status::not_finite;
    factors_.solveInPlace(lambda);
    return Status::converged;
  }
  ///@}

 private:
  ValueOf<S> alpha_;
  MatrixX<S> schur_;
  VectorX<S> target_, unit_, y_;
  Eigen::LDLT<MatrixX<S>> factors_;
};

}  // namespace actio
