// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step with loops and couplings, solved by conjugate gradients over a factored tree.
#include <algorithm>
#include <array>
#include <vector>

#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/equations/articulated_matrix.hpp"
#include "actio/math/invert.hpp"
#include "actio/solvers/krylov.hpp"

namespace actio::detail {

/// Solves the same systems as MaximalMatrix, without a matrix of the closures:
///   (T + G^T k G)^-1 b = T^-1 (b - G^T y),   W y = G T^-1 b,   W = G T^-1 G^T + 1/k,
/// T an ArticulatedMatrix, by conjugate gradients over products with W, O(bodies + rows) each. Their number depends on the conditioning of
/// W: half a dozen for loops that are connected at corners, as many as there are rungs for a ladder. Newton's iteration begins with the
/// forces of the last step, so that one solution suffices for a smooth motion. Bodies may lack inertia, and loops may be redundant.
///                                                                 [srm_math.md, section 5.2; compliant_math.md, section 2.2]
template <class ModelType>
class IteratedMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< the type of tolerances

  /// @param model outlives this.
  explicit IteratedMatrix(const Model& model)
      : model_(&model), open_(model), mobility_(model), blocks_(blocks_of(model)), rows_(count(blocks_), nullptr), gradients_(size(), 10 * epsilon<S>),
        softness_(VectorX<S>::Zero(size())), r_(softness_), y_(softness_), f_(VectorX<S>::Zero(model.nv())),
        V_(model.num_bodies(), Vector6<S>::Zero()), F_(V_) {}

  /// Returns whether the row can be added: rows of closures, and those that an ArticulatedMatrix takes.
  bool takes(const ConstraintRow<S>& row) const noexcept { return row.closure >= 0 || open_.takes(row); }

  /// As in ArticulatedMatrix.
  ///@{
  void begin(const TreePose<S>& tree) noexcept { open_.begin(tree); }
  void set_masses(const ConstVectorRef<S>& joint) noexcept {
    open_.set_masses(joint);
    std::fill(rows_.begin(), rows_.end(), nullptr);
  }
  /// @param left outlives the matrix if it belongs to a closure.
  void add(const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    if (left.closure < 0) return open_.add(left, right, stiffness);
    rows_[static_cast<std::size_t>(left.closure)] = &left;
    softness_[left.closure] = S(1) / stiffness;
  }
  bool factor(const TreePose<S>& tree) noexcept { return open_.factor(tree) && set_blocks(tree); }
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept {
    open_.solve(tree, x);
    if (size() == 0) return;
    set_rates(tree, x, r_);
    y_.setZero();
    const auto times = [&](const VectorX<S>& y, VectorX<S>& out) {
      set_response(tree, y);
      set_rates(tree, f_, out);
      out += softness_.cwiseProduct(y);
    };
    const auto precondition = [&](const VectorX<S>& r, VectorX<S>& out) {
      for (const Block& block : blocks_) {
        out.segment(block.first, block.count) = block.inverse.topLeftCorner(block.count, block.count) * r.segment(block.first, block.count);
      }
    };
    constexpr V accurate = 10 * epsilon<S>;  // y exceeds its effect in proportion to the stiffness of the rows
    gradients_.solve(times, precondition, r_, y_, accurate, static_cast<int>(10 * size() + 100));
    set_response(tree, y_);
    x -= f_;
  }
  ///@}

 private:
  struct Block {  // the rows of a loop or coupling
    Eigen::Index first = 0, count = 0;
    Matrix6<S> inverse = Matrix6<S>::Zero();  // inverse of W for unconstrained bodies, in the upper left
  };

  static std::vector<Block> blocks_of(const Model& model) {
    std::vector<Block> blocks;
    Eigen::Index rows = 0;
    const auto add = [&](Eigen::Index count) {
      blocks.push_back({.first = rows, .count = count});
      rows += count;
    };
    for (const Loop<S>& loop : model.loops()) {
      if (loop.active) add(num_rows(loop.type));
    }
    for (const Coupling<S>& coupling : model.couplings()) {
      if (coupling.active) add(1);
    }
    return blocks;
  }
  static std::size_t count(const std::vector<Block>& blocks) {
    return blocks.empty() ? 0 : static_cast<std::size_t>(blocks.back().first + blocks.back().count);
  }
  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(rows_.size()); }

  bool set_blocks(const TreePose<S>& tree) noexcept {
    for (Block& block : blocks_) {
      const auto n = static_cast<std::size_t>(block.count);
      std::array<S, 36> W{};
      std::array<int, 6> exchanged;
      for (std::size_t r = 0; r < n; ++r) {
        const ConstraintRow<S>* row = this->row(block, r);
        for (std::size_t c = 0; c < r && row; ++c) {
          if (const ConstraintRow<S>* other = this->row(block, c)) W[r + n * c] = W[c + n * r] = mobility_.between(*row, *other);
        }
        // Rows without stiffness, or on bodies without full inertia, are not preconditioned.
        const S own = row ? mobility_(tree, *row) : S(0);
        W[r + n * r] = own > S(0) ? S(own + softness_[block.first + static_cast<Eigen::Index>(r)]) : S(1);
      }
      if (!invert_in_place(W.data(), static_cast<int>(n), exchanged.data())) return false;
      block.inverse.topLeftCorner(block.count, block.count) = Eigen::Map<const MatrixX<S>>(W.data(), block.count, block.count);
    }
    return true;
  }
  const ConstraintRow<S>* row(const Block& block, std::size_t r) const noexcept { return rows_[static_cast<std::size_t>(block.first) + r]; }
  /// Computes w = G v.
  void set_rates(const TreePose<S>& tree, const ConstVectorRef<S>& v, VectorX<S>& w) noexcept {
    body_twists(*model_, tree, v, V_);
    for (std::size_t k = 0; k < rows_.size(); ++k) w[static_cast<Eigen::Index>(k)] = rows_[k] ? rows_[k]->rate(V_, v) : S(0);
  }
  /// Computes f_ = T^-1 G^T y.
  void set_response(const TreePose<S>& tree, const VectorX<S>& y) noexcept {
    for (Vector6<S>& F : F_) F.setZero();
    f_.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (rows_[k]) rows_[k]->apply(y[static_cast<Eigen::Index>(k)], F_, f_);
    }
    add_joint_forces(*model_, tree, F_, f_);
    open_.solve(tree, f_);
  }

  const Model* model_;
  ArticulatedMatrix<Model> open_;  // T
  FreeMobility<Model> mobility_;
  std::vector<Block> blocks_;
  std::vector<const ConstraintRow<S>*> rows_;  // those of closures; null if their stiffness is zero
  ConjugateGradients<S> gradients_;
  VectorX<S> softness_, r_, y_;    // (rows) 1/k
  VectorX<S> f_;                   // (nv)
  BodyArray<Vector6<S>> V_, F_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class IteratedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
