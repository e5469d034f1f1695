// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Closed loops by the dense Schur complement of their rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "actio/integrators/closed_node.hpp"
#include "actio/integrators/closed_step.hpp"
#include "actio/math/invert.hpp"

namespace actio {

/// G M^-1 G^T + R, which may be singular, and its inverse as far as the rank goes. A solve of M for each row, O(rows bodies + rows^3) a
/// factorisation; O(bodies + rows^2) a solve: the fastest below a dozen rows. Takes any tree.
/// All members but the constructor neither allocate nor throw.                                   [srm_math.md, sections 5.2 and 5.3]
template <class ModelType>
class DenseClosures {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers

  /// @param rows of the closures.  @param model outlives this.
  DenseClosures(const Model& model, Eigen::Index rows)
      : model_(&model), Z_(MatrixX<S>::Zero(model.nv(), rows)), A_(MatrixX<S>::Zero(rows, rows)), inverse_(A_), J_inverse_GT_(Z_), rates_(Z_),
        coupled_(A_), rest_(VectorX<S>::Zero(rows)), rate_(rest_), size_(static_cast<std::size_t>(rows)), row_(size_.size()), column_(size_.size()) {}

  static constexpr bool wants_mass = true;  ///< factors of M
  /// What a unit impulse of each row moves: the diagonal of G M^-1 G^T.  @param at R is not looked at.  @param mobility (rows) out.
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
    for (Eigen::Index k = 0; k < A_.rows(); ++k) {
      at.closures.covector(at.tree, k, Z_.col(k));
      abi_solve(*model_, at.tree, at.mass, Z_.col(k), Z_.col(k));
      at.closures.rates(at.tree, Z_.col(k), A_.col(k));
    }
    mobility = A_.diagonal();
  }
  /// @pre measure() there.  @returns false when something is not finite.
  bool factor_mass(const ClosedNode<Model>& at) noexcept {
    inverse_ = A_;
    inverse_.diagonal() += at.R;
    return invert(inverse_, at.R);
  }
  /// @param w (nv) in: f; out.  @param L (rows) in: d; out.  @returns w^T M w.
  S solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy = Accuracy::full) noexcept {
    rest_ = L;
    const S energy = abi_solve(*model_, at.tree, at.mass, w, w);
    at.closures.rates(at.tree, w, rate_);
    rest_ -= rate_;
    L.noalias() = inverse_ * rest_;
    w.noalias() += Z_ * L;
    rest_.noalias() = A_ * L;
    return energy + L.dot(S(2) * rate_ + rest_);
  }

  /// @param R (rows) of the step.  @pre measure()  @returns false when something is not finite.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept {
    for (Eigen::Index k = 0; k < A_.rows(); ++k) {
      at.closures.covector(at.tree, k, J_inverse_GT_.col(k));
      step.solve(J_inverse_GT_.col(k), J_inverse_GT_.col(k));
      step.closure_covector(k, rates_.col(k));
    }
    coupled_.noalias() = rates_.transpose().lazyProduct(J_inverse_GT_);
    coupled_.diagonal() += R;
    coupled_ /= h;  // about what the mass' is, and of its rank
    const bool finite = invert(coupled_, at.R);
    coupled_ /= h;
    return finite;
  }
  /// As solve_mass(), of a step's own matrix.
  void solve_step(const ClosedNode<Model>&, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept {
    step.solve(w, w);
    rest_ = L;
    rest_.noalias() -= rates_.transpose() * w;
    L.noalias() = coupled_ * rest_;
    w.noalias() += J_inverse_GT_ * L;
  }

 private:
  /// What is left of a row beside others where they say the same, relative to itself.
  static constexpr ValueOf<S> redundant = ValueOf<S>(sizeof(ValueOf<S>) >= 8 ? 1e-11 : 1e-4);
  /// @param about_A A + R, or nearly so.
  bool invert(MatrixX<S>& about_A, const VectorX<S>& R) noexcept {
    const int n = static_cast<int>(R.size());
    for (Eigen::Index k = 0; k < n; ++k) {
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::max(value_of(S(A_(k, k) + R[k])), ValueOf<S>(0)));
    }
    return invert_in_place(about_A.data(), n, n, size_.data(), redundant, row_.data(), column_.data()) >= 0;
  }

  const Model* model_;
  MatrixX<S> Z_, A_, inverse_;                // M^-1 G^T, G M^-1 G^T, (A + R)^-1
  MatrixX<S> J_inverse_GT_, rates_, coupled_;  // of a step: and G_end^T, (G_end J^-1 G^T + R)^-1
  VectorX<S> rest_, rate_;
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class DenseClosures<Model<double>>;
#endif

}  // namespace actio
