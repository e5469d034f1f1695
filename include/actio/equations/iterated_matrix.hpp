// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step with loops and couplings, solved by conjugate gradients over a factored tree.
#include <algorithm>
#include <array>
#include <vector>

#include "actio/constraints/closures.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/constraints/row_products.hpp"
#include "actio/equations/articulated_matrix.hpp"
#include "actio/math/invert.hpp"
#include "actio/solvers/krylov.hpp"

namespace actio::detail {

/// Solves the same systems as MaximalMatrix, without a matrix of the closures:
///   (T + G^T k G)^-1 b = T^-1 (b - G^T y),   W y = G T^-1 b,   W = G T^-1 G^T + 1/k,
/// T an ArticulatedMatrix, by conjugate gradients over products with W, O(bodies + rows) each, or by GMRES if these fail, since W is not
/// symmetric where contacts slide. Their number depends on the conditioning of W: half a dozen for loops that are connected at corners, as
/// many as there are rungs for a ladder. Newton's iteration begins with the forces of the last step, so that one solution suffices for a
/// smooth motion. Bodies may lack inertia, and loops may be redundant.
///                                                                 [srm_math.md, section 5.2; compliant_math.md, section 2.2]
template <class ModelType>
class IteratedMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< the type of tolerances

  /// @param model outlives this.
  explicit IteratedMatrix(const Model& model)
      : open_(model), mobility_(model), blocks_(blocks_of(model)), rows_(num_rows(closures_of(model)), none()), products_(model),
        gradients_(size(), 10 * epsilon<S>), gmres_(size(), 60), compliance_(VectorX<S>::Zero(size())), rates_(compliance_), r_(compliance_), y_(compliance_),
        product_(compliance_), column_(compliance_), f_(VectorX<S>::Zero(model.nv())) {}

  /// Returns whether the row can be added: rows of closures, and those that an ArticulatedMatrix takes.
  bool takes(const ConstraintRow<S>& row) const noexcept { return row.closure >= 0 || open_.takes(row); }

  /// As in ArticulatedMatrix.
  ///@{
  void begin(const TreePose<S>& tree) noexcept { open_.begin(tree); }
  void set_masses(const ConstVectorRef<S>& joint) noexcept {
    open_.set_masses(joint);
    std::fill(rows_.begin(), rows_.end(), none());
  }
  /// @param left outlives the matrix if it belongs to a closure.
  void add(const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    if (left.closure < 0) return open_.add(left, right, stiffness);
    rows_[static_cast<std::size_t>(left.closure)] = &left;
    compliance_[left.closure] = S(1) / stiffness;
  }
  bool factor(const TreePose<S>& tree) noexcept { return open_.factor(tree) && set_blocks(tree); }
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept {
    open_.solve(tree, x);
    if (size() == 0) return;
    set_rates(tree, x, rates_);
    r_ = rates_;
    y_.setZero();
    const auto times = [&](const VectorX<S>& y, VectorX<S>& out) {
      set_response(tree, y);
      set_rates(tree, f_, out);
      out += compliance_.cwiseProduct(y);
    };
    const auto precondition = [&](const auto& r, auto&& out) {
      for (const Block& block : blocks_) {
        out.segment(block.first, block.count) = block.inverse.topLeftCorner(block.count, block.count) * r.segment(block.first, block.count);
      }
    };
    constexpr V accurate = 10 * epsilon<S>;  // y exceeds its effect in proportion to the stiffness of the rows
    constexpr V solved = V(sizeof(V) >= 8 ? 1e-10 : 1e-4);
    if (!(gradients_.solve(times, precondition, r_, y_, accurate, static_cast<int>(10 * size() + 100)).residual < solved)) {
      precondition(rates_, r_);  // W is not symmetric, since contacts slide: y may be anything
      y_.setZero();
      const auto preconditioned = [&](const auto& y, auto&& out) {
        column_ = y;
        times(column_, product_);
        precondition(product_, out);
      };
      gmres_.solve(preconditioned, r_, y_, accurate, 300);
    }
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
    for (const Closure<S>& closure : closures_of(model)) {
      blocks.push_back({.first = static_cast<Eigen::Index>(closure.first), .count = static_cast<Eigen::Index>(closure.count)});
    }
    return blocks;
  }
  /// A row without stiffness: it acts on nothing.
  static const ConstraintRow<S>* none() noexcept {
    static const ConstraintRow<S> row;
    return &row;
  }
  struct Rows {
    const std::vector<const ConstraintRow<S>*>& pointers;
    std::size_t size() const noexcept { return pointers.size(); }
    const ConstraintRow<S>& operator[](std::size_t k) const noexcept { return *pointers[k]; }
  };

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(rows_.size()); }

  bool set_blocks(const TreePose<S>& tree) noexcept {
    for (Block& block : blocks_) {
      const auto n = static_cast<std::size_t>(block.count);
      std::array<S, 36> W{};
      std::array<int, 6> exchanged;
      for (std::size_t r = 0; r < n; ++r) {
        const ConstraintRow<S>& row = this->row(block, r);
        for (std::size_t c = 0; c < r; ++c) W[r + n * c] = W[c + n * r] = mobility_.between(row, this->row(block, c));
        // Rows without stiffness, or on bodies without full inertia, are not preconditioned.
        const S own = mobility_(tree, row);
        W[r + n * r] = own > S(0) ? S(own + compliance_[block.first + static_cast<Eigen::Index>(r)]) : S(1);
      }
      if (!invert_in_place(W.data(), static_cast<int>(n), exchanged.data())) return false;
      block.inverse.topLeftCorner(block.count, block.count) = Eigen::Map<const MatrixX<S>>(W.data(), block.count, block.count);
    }
    return true;
  }
  const ConstraintRow<S>& row(const Block& block, std::size_t r) const noexcept { return *rows_[static_cast<std::size_t>(block.first) + r]; }
  /// Computes w = G v.
  void set_rates(const TreePose<S>& tree, const ConstVectorRef<S>& v, VectorX<S>& w) noexcept { products_.rates(tree, Rows{rows_}, v, w); }
  /// Computes f_ = T^-1 G^T y.
  void set_response(const TreePose<S>& tree, const VectorX<S>& y) noexcept {
    f_.setZero();
    products_.add_forces(tree, Rows{rows_}, y, f_);
    open_.solve(tree, f_);
  }

  ArticulatedMatrix<Model> open_;  // T
  FreeMobility<Model> mobility_;
  std::vector<Block> blocks_;
  std::vector<const ConstraintRow<S>*> rows_;  // those of closures; none() if their stiffness is zero
  RowProducts<Model> products_;
  ConjugateGradients<S> gradients_;
  Gmres<S> gmres_;
  VectorX<S> compliance_, rates_, r_, y_, product_, column_;  // (rows); compliance is 1/k
  VectorX<S> f_;                   // (nv)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class IteratedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
