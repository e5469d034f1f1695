// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rows of a step on a tree of bodies, and products with their Jacobian.
#include <span>

#include "actio/constraints/row_products.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio::detail {

/// Rows of a step on a tree at one configuration, and products with their Jacobian G in O(bodies + rows), in any scalar.
/// Only the constructor allocates.
template <class ModelType>
class RowsOnTree {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param capacity largest number of rows.  @param model outlives this.
  RowsOnTree(const Model& model, std::size_t capacity)
      : model_(&model), tree_(model), constraints_(capacity), rows_(static_cast<Eigen::Index>(capacity)), products_(model) {}

  /// Places the tree at q (nq) and removes all rows.
  void begin(const ConstVectorRef<S>& q) noexcept {
    place(*model_, tree_, q);
    clear();
  }
  /// Removes all rows.
  void clear() noexcept {
    constraints_.clear();
    rows_.clear();
  }
  /// Adds a group of rows.  @param rows at least its size; either all of them connect two bodies or none does.
  /// @returns false if the capacity is exhausted.
  [[nodiscard]] bool add(const NewGroup<S>& group, std::span<const ConstraintRow<S>> rows) noexcept {
    bool fits = rows_.add(group);
    for (std::size_t r = 0; r < static_cast<std::size_t>(group.size); ++r) fits = fits && constraints_.add(rows[r]);
    return fits;
  }
  [[nodiscard]] bool complete() const noexcept { return true; }  ///< to be called after the last row, as that of CompliantTree
  const RowsOnTree& problem() const noexcept { return *this; }   ///< the object that has the rows: this one

  const TreePose<S>& tree() const noexcept { return tree_; }  ///< as begin() placed it
  /// Returns the kinds, R and bias of the rows.
  ///@{
  const ConeRows<S>& rows() const noexcept { return rows_; }
  ConeRows<S>& rows() noexcept { return rows_; }
  ///@}
  /// Returns a row of G.
  const ConstraintRow<S>& constraint(Eigen::Index row) const noexcept { return constraints_[static_cast<std::size_t>(row)]; }
  /// See RowProducts.
  ///@{
  const BodyArray<Vector6<S>>& twists(const ConstVectorRef<S>& v) noexcept { return products_.twists(tree_, v); }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) noexcept { products_.rates(tree_, constraints_, v, w); }
  ///@}
  /// Computes f (nv) = G^T lambda, lambda (rows).
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) noexcept { set_forces(constraints_, lambda, f); }
  /// As rates() and forces(), for some of the rows.  @param w, lambda their entries only.
  ///@{
  void rates_of(std::span<const Eigen::Index> rows, const ConstVectorRef<S>& v, VectorRef<S> w) noexcept {
    products_.rates(tree_, Selection{constraints_, rows}, v, w);
  }
  template <class Forces>
  void forces_of(std::span<const Eigen::Index> rows, const Forces& lambda, VectorRef<S> f) noexcept {
    set_forces(Selection{constraints_, rows}, lambda, f);
  }
  ///@}
  /// Computes f (nv), a row of G.
  void covector(Eigen::Index row, VectorRef<S> f) noexcept { forces_of({&row, 1}, Eigen::Matrix<S, 1, 1>(S(1)), f); }

 private:
  struct Selection {
    const ConstraintRows<S>& all;
    std::span<const Eigen::Index> chosen;
    std::size_t size() const noexcept { return chosen.size(); }
    const ConstraintRow<S>& operator[](std::size_t k) const noexcept { return all[static_cast<std::size_t>(chosen[k])]; }
  };
  template <class Rows, class Forces>
  void set_forces(const Rows& rows, const Forces& lambda, VectorRef<S> f) noexcept {
    f.setZero();
    products_.add_forces(tree_, rows, lambda, f);
  }

  const Model* model_;
  TreePose<S> tree_;
  ConstraintRows<S> constraints_;
  ConeRows<S> rows_;
  RowProducts<Model> products_;
};

}  // namespace actio::detail
