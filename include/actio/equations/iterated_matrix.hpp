// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step with loops and couplings, solved by conjugate gradients over a factored tree.
#include <algorithm>
#include <vector>

#include "actio/constraints/closure_weights.hpp"
#include "actio/constraints/row_products.hpp"
#include "actio/equations/articulated_matrix.hpp"
#include "actio/equations/row_iteration.hpp"

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
      : open_(model), weights_(model), rows_(weights_.rows(), none()), products_(model),
        iteration_(model.nv(), size(), 10 * epsilon<S>), compliance_(VectorX<S>::Zero(size())), y_(compliance_) {}

  /// As in ArticulatedMatrix.
  ///@{
  static constexpr bool takes_closures = true;
  void begin(const TreePose<S>& tree) noexcept { open_.begin(tree); }
  void set_masses() noexcept {
    open_.set_masses();
    std::fill(rows_.begin(), rows_.end(), none());
  }
  void add_to_body(BodyIndex i, const S& stiffness, const Vector6<S>& left, const Vector6<S>& right) noexcept {
    open_.add_to_body(i, stiffness, left, right);
  }
  /// Adds the stiffness of a row of a loop or coupling.  @param row outlives the matrix.
  void set_closure(const ConstraintRow<S>& row, const S& stiffness) noexcept {
    rows_[static_cast<std::size_t>(row.closure)] = &row;
    compliance_[row.closure] = S(1) / stiffness;
  }
  bool factor(const TreePose<S>& tree, const VectorX<S>& joint) noexcept {
    // Rows without stiffness, or on bodies without full inertia, are not preconditioned.
    const auto diagonal = [&](Eigen::Index k, const S& own) { return own > S(0) ? S(own + compliance_[k]) : S(1); };
    const auto row = [&](Eigen::Index k) -> const ConstraintRow<S>& { return *rows_[static_cast<std::size_t>(k)]; };
    return open_.factor(tree, joint) && !weights_.set(tree, row, diagonal);
  }
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept {
    if (size() == 0) return open_.solve(tree, x);
    constexpr V accurate = 10 * epsilon<S>;  // y exceeds its effect in proportion to the stiffness of the rows
    y_.setZero();
    iteration_.solve(System{*this, tree, compliance_}, x, y_, [&](const auto& r, auto&& out) { weights_.times(r, out); }, accurate,
                     static_cast<int>(10 * size() + 100));
  }
  ///@}

 private:
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

  /// See RowIteration.
  struct System {
    IteratedMatrix& of;
    const TreePose<S>& tree;
    const VectorX<S>& R;
    void solve_tree(VectorRef<S> x) const noexcept { of.open_.solve(tree, x); }
    void rates(const ConstVectorRef<S>& v, VectorRef<S> out) const noexcept { of.products_.rates(tree, Rows{of.rows_}, v, out); }
    void add_forces(const ConstVectorRef<S>& y, VectorRef<S> f) const noexcept { of.products_.add_forces(tree, Rows{of.rows_}, y, f); }
  };

  ArticulatedMatrix<Model> open_;  // T
  ClosureWeights<Model> weights_;              // with the compliance of the rows
  std::vector<const ConstraintRow<S>*> rows_;  // those of closures; none() if their stiffness is zero
  RowProducts<Model> products_;
  RowIteration<S, false> iteration_;
  VectorX<S> compliance_, y_;  // (rows); compliance is 1/k
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class IteratedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
