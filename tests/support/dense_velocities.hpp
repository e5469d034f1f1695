// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A cone problem with dense matrices M and G: a reference for tests.
#include <Eigen/LU>

#include <utility>

#include "actio/solvers/cone/problem.hpp"

namespace actio::test {

/// Rows on few velocities, with dense M and G. A ConeProblem; a factorisation takes O(n^3), all else O(n rows).
template <Scalar S>
class DenseVelocities {
 public:
  /// @param M (n, n) symmetric, positive definite [kg m^2, kg m, kg].  @param G (rows, n).  @param v_free (n) [rad/s, m/s].
  /// @param h time step [s].  @param rows as many as G has.
  DenseVelocities(MatrixX<S> M, MatrixX<S> G, VectorX<S> v_free, const S& h, ConeRows<S> rows);

  /// See ConeProblem.
  ///@{
  const ConeRows<S>& rows() const noexcept { return rows_; }
  const S& h() const noexcept { return h_; }
  const VectorX<S>& v_free() const noexcept { return v_free_; }
  const VectorX<S>& mobility() const noexcept { return mobility_; }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) const noexcept { w.noalias() = G_ * v; }
  void momentum(const ConstVectorRef<S>& v, VectorRef<S> p) const noexcept { p.noalias() = M_ * v; }
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) const noexcept { f.noalias() = G_.transpose() * lambda; }
  bool factor(std::span<const detail::GroupForce<S>> forces) noexcept;
  void solve(VectorRef<S> x) noexcept;
  S inverse_mass_norm(const ConstVectorRef<S>& f) noexcept;
  ///@}

 private:
  MatrixX<S> M_, G_, sum_;
  VectorX<S> v_free_, work_;
  S h_;
  ConeRows<S> rows_;
  Eigen::PartialPivLU<MatrixX<S>> mass_factors_, factors_;
  VectorX<S> mobility_;
};

template <Scalar S>
DenseVelocities<S>::DenseVelocities(MatrixX<S> M, MatrixX<S> G, VectorX<S> v_free, const S& h, ConeRows<S> rows)
    : M_(std::move(M)),
      G_(std::move(G)),
      sum_(M_),
      v_free_(std::move(v_free)),
      work_(v_free_),
      h_(h),
      rows_(std::move(rows)),
      mass_factors_(M_),
      factors_(M_),
      mobility_((G_ * mass_factors_.solve(G_.transpose())).diagonal()) {}

template <Scalar S>
bool DenseVelocities<S>::factor(std::span<const detail::GroupForce<S>> forces) noexcept {
  sum_ = M_;
  for (std::size_t g = 0; g < forces.size(); ++g) {
    const RowGroup<S>& group = rows_.groups()[g];
    for (int r = 0; r < group.size; ++r) {
      for (int c = 0; c < group.size; ++c) {
        const S stiffness = h_ * forces[g].H(r, c);
        if (stiffness != S(0)) sum_.noalias() += stiffness * G_.row(group.first + r).transpose() * G_.row(group.first + c);
      }
    }
  }
  factors_.compute(sum_);
  return is_finite(S(factors_.matrixLU().diagonal().cwiseInverse().sum())) && is_finite(S(factors_.matrixLU().sum()));
}

template <Scalar S>
void DenseVelocities<S>::solve(VectorRef<S> x) noexcept {
  work_ = factors_.solve(x);
  x = work_;
}

template <Scalar S>
S DenseVelocities<S>::inverse_mass_norm(const ConstVectorRef<S>& f) noexcept {
  work_ = mass_factors_.solve(f);
  return std::sqrt(f.dot(work_));
}

}  // namespace actio::test
