// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What closed loops and couplings add to the derivative of a variational step.
#include <cmath>
#include <vector>

#include "actio/constraints/closure_force_rates.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// The step  left momentum + G_k^T L = b,  g(q_{k+1}) = 0  at fixed rows, linearised: with the derivative T of the step of the tree alone,
/// (dq_{k+1}, dp_{k+1}) = T(dq_k, c),  c = db - d(G_k^T) L - G_k^T dL,  and dL such that  G_{k+1} dq_{k+1} = 0.
/// dL = X G_{k+1} dq', with dq' that without dL and X the inverse of G_{k+1} J^-1 G_k^T, J that of the step in the velocities at its end.
/// Where rows are redundant, X is a generalised inverse, whose rank is that of the rows. A linearisation takes O(rows bodies + rows^3),
/// a product O(bodies + rows^2). Only the constructor allocates.                                    [vi_math.md, section 7.9]
template <class ModelType>
class StepRowRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// @param model outlives this.
  explicit StepRowRates(const Model& model)
      : model_(&model), begin_(model), end_(model), rotations_(begin_.make_rotations()), end_tree_(model), force_rates_(model),
        wrench_(model.num_bodies(), Vector6<S>::Zero()), inverse_(MatrixX<S>::Zero(begin_.size(), begin_.size())),
        size_(static_cast<std::size_t>(begin_.size())), row_(size_.size()), column_(size_.size()) {
    for (VectorX<S>* work : {&L_, &rates_, &change_}) work->setZero(begin_.size());
    column_of_.setZero(model.nv());
  }

  Eigen::Index size() const noexcept { return begin_.size(); }  ///< number of rows

  /// Begins with a step.  @param tree at q_k.  @param x (nv) its increment.  @param L (rows) its impulses [N s, N m s].
  /// @param rotations of the loops at a node near by: the signs of L are those that follow from them.
  void begin(const TreePose<S>& tree, const ConstVectorRef<S>& x, const ConstVectorRef<S>& L,
             const typename TreeClosures<Model>::Rotations& rotations) noexcept {
    L_ = L;
    rotations_ = rotations;
    begin_.place(tree, rotations_);
    force_rates_.begin(begin_, rotations_, L_);
    model_->integrate(tree.q, x, end_tree_.q);
    place(*model_, end_tree_, end_tree_.q);
    end_.place(end_tree_, rotations_);
  }
  /// Returns the body wrenches (bodies) at q_k of an input [N m, N], with those of -L over half a step in addition.  @param half h/2 [s].
  const BodyArray<Vector6<S>>& wrenches(const BodyArray<Vector6<S>>& input, const S& half) noexcept {
    for (BodyIndex i = 0; i < wrench_.size(); ++i) {
      if (input.size() > 0) wrench_[i] = input[i];
      else wrench_[i].setZero();
    }
    force_rates_.add_wrenches(S(-1) / half, wrench_);
    return wrench_;
  }
  /// Computes X.  @param J factors of the step.  @returns false if something is not finite.
  bool factor(const TreePose<S>& tree, const TreeMatrix<S>& matrix, TreeLu<S>& J) noexcept {
    for (Eigen::Index k = 0; k < size(); ++k) {
      begin_.covector(tree, k, column_of_);
      tree_lu_reduce(*model_, tree, J, column_of_);
      tree_lu_expand_to_end(*model_, tree, matrix, J, column_of_);
      end_.rates(end_tree_, column_of_, inverse_.col(k));
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::abs(inverse_(k, k)));
    }
    const int n = static_cast<int>(size());
    return invert_in_place(inverse_.data(), n, n, size_.data(), redundant_row<S>, row_.data(), column_.data()) >= 0;
  }

  ///@{
  /// Subtract d(G_k^T) L of a variation dq (nv), at wrenches that are fixed to bodies, from the right-hand side b (nv).  The transposed
  /// product subtracts from weights w_q (nv) those that y (nv), weights of b, contribute.
  void subtract_force_rates(const TreePose<S>& tree, const ConstVectorRef<S>& dq, VectorRef<S> b) noexcept {
    force_rates_.add(tree, S(-1), dq, b);
  }
  void subtract_force_rates_transposed(const TreePose<S>& tree, const ConstVectorRef<S>& y, VectorRef<S> w_q) noexcept {
    force_rates_.add_transposed(tree, S(-1), y, w_q);
  }
  ///@}
  /// Subtracts G_k^T dL from b (nv), with dL by which the variation dq1 (nv) at the end of the step, which is that without dL, satisfies
  /// the rows.
  void subtract_impulses(const TreePose<S>& tree, const ConstVectorRef<S>& dq1, VectorRef<S> b) noexcept {
    end_.rates(end_tree_, dq1, rates_);
    change_.noalias() = inverse_.lazyProduct(rates_);
    change_ = -change_;
    begin_.add_forces(tree, change_, b);
  }
  /// The transposed product: subtracts from weights w_q1 (nv) of dq1 what y (nv), weights of b, contribute.
  void subtract_impulses_transposed(const TreePose<S>& tree, const ConstVectorRef<S>& y, VectorRef<S> w_q1) noexcept {
    begin_.rates(tree, y, rates_);
    change_.noalias() = inverse_.transpose().lazyProduct(rates_);
    change_ = -change_;
    end_.add_forces(end_tree_, change_, w_q1);
  }
  /// Returns the largest rate of a row at the end of the step by a variation dq1 (nv).
  S violation(const ConstVectorRef<S>& dq1) noexcept {
    end_.rates(end_tree_, dq1, rates_);
    return rates_.cwiseAbs().maxCoeff();
  }

 private:
  const Model* model_;
  TreeClosures<Model> begin_, end_;
  typename TreeClosures<Model>::Rotations rotations_;
  TreePose<S> end_tree_;
  ClosureForceRates<Model> force_rates_;
  BodyArray<Vector6<S>> wrench_;
  MatrixX<S> inverse_;  // X
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
  VectorX<S> L_, rates_, change_;  // (rows)
  VectorX<S> column_of_;           // (nv)
};

}  // namespace actio::detail
