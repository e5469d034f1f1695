// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass matrix of a tree, held by the rows that close its loops.
#include <algorithm>
#include <cmath>
#include <vector>

#include "actio/constraints/tree_closures.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/math/invert.hpp"

namespace actio {

/// Solves  M w - G^T L = f,  G w + R L = d  by articulated bodies and the dense S = G M^-1 G^T + R, which may be singular: rows that say
/// what others say have no multiplier then. A solve of M for each row, O(rows bodies + rows^3) a factorisation; O(bodies + rows^2) a solve.
/// All members but the constructor neither allocate nor throw.                                         [srm_math.md, sections 5.2 and 5.3]
template <class ModelType>
class ClosedMass {
 public:
  using Model = ModelType;
  using S = typename Model::Scalar;

  /// @param rows of the closures.  @param model outlives this.
  ClosedMass(const Model& model, Eigen::Index rows)
      : model_(&model), Z_(MatrixX<S>::Zero(model.nv(), rows)), A_(MatrixX<S>::Zero(rows, rows)), S_inverse_(A_), R_(VectorX<S>::Zero(rows)),
        mobility_(R_), rest_(R_), rate_(R_), moved_(R_), size_(static_cast<std::size_t>(rows)), row_(size_.size()), column_(size_.size()) {}

  /// @param mass factors of M on the tree, where the closures are placed; both outlive the solves.
  /// @param softness R relative to the rows' mobility.  @returns false when something is not finite.
  bool factor(const TreePose<S>& tree, AbiData<S>& mass, TreeClosures<Model>& closures, const S& softness) noexcept {
    tree_ = &tree;
    mass_ = &mass;
    closures_ = &closures;
    for (Eigen::Index k = 0; k < rows(); ++k) {
      closures.covector(tree, k, Z_.col(k));
      abi_solve(*model_, tree, mass, Z_.col(k), Z_.col(k));
      closures.rates(tree, Z_.col(k), A_.col(k));
    }
    S_inverse_ = A_;
    S largest(0);
    for (Eigen::Index k = 0; k < rows(); ++k) largest = std::max(largest, A_(k, k));
    for (Eigen::Index k = 0; k < rows(); ++k) {
      mobility_[k] = A_(k, k) > S(0) ? A_(k, k) : largest > S(0) ? largest : S(1);
      R_[k] = softness * mobility_[k];
      S_inverse_(k, k) += R_[k];
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::max(value_of(S_inverse_(k, k)), ValueOf<S>(0)));
    }
    return invert(S_inverse_);
  }
  /// Inverts a matrix over the rows that is about G M^-1 G^T as far as their rank goes.  @returns false when something is not finite.
  bool invert(MatrixX<S>& like_A) noexcept {
    const int n = static_cast<int>(rows());
    return invert_in_place(like_A.data(), n, n, size_.data(), redundant, row_.data(), column_.data()) >= 0;
  }
  /// R, of the last factorisation.
  const VectorX<S>& softness() const noexcept { return R_; }
  /// The diagonal of G M^-1 G^T: what a unit impulse of a row moves. Of a row that moves nothing here it is the largest of others, so that
  /// its gap, which some rows have in singular poses, counts beside theirs.
  const VectorX<S>& mobility() const noexcept { return mobility_; }

  /// @param w (nv) in: f; out.  @param L (rows) in: d; out.
  /// @returns w^T M w, and of rows that could not be given what they want what that would take of each of them alone.
  S solve(VectorRef<S> w, VectorRef<S> L) noexcept {
    rest_ = L;
    S energy = abi_solve(*model_, *tree_, *mass_, w, w);
    closures_->rates(*tree_, w, rate_);
    rest_ -= rate_;
    L.noalias() = S_inverse_ * rest_;
    w.noalias() += Z_ * L;
    moved_.noalias() = A_ * L;
    energy += L.dot(S(2) * rate_ + moved_);
    rest_ -= moved_ + R_.cwiseProduct(L);
    return energy + rest_.cwiseAbs2().cwiseQuotient(mobility_).sum();
  }

 private:
  /// What is left of a row beside others where they say the same, relative to itself.
  static constexpr ValueOf<S> redundant = ValueOf<S>(sizeof(ValueOf<S>) >= 8 ? 1e-11 : 1e-4);
  Eigen::Index rows() const noexcept { return R_.size(); }

  const Model* model_;
  const TreePose<S>* tree_ = nullptr;
  AbiData<S>* mass_ = nullptr;
  TreeClosures<Model>* closures_ = nullptr;
  MatrixX<S> Z_, A_;      // M^-1 G^T and G M^-1 G^T
  MatrixX<S> S_inverse_;  // of A + R
  VectorX<S> R_, mobility_, rest_, rate_, moved_;
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
};

}  // namespace actio
