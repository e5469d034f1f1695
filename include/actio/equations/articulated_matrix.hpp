// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step on a tree with compliant rows, factored by articulated-body recursion.
#include "actio/constraints/row.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/math/symmetric_inertia.hpp"

namespace actio::detail {

/// The matrix M + h G^T H G of a Newton step on a tree with compliant rows, in O(bodies + rows), for rows with one part: a row between a
/// body and the world adds to the inertia of that body, a row on one joint adds to the stiffness of that joint. What remains is one
/// articulated-body factorisation with M_i + h J^T H J in the place of M_i.                   [compliant_math.md, section 8]
template <class ModelType>
class ArticulatedMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  static constexpr bool takes_closures = false;  ///< whether set_closure() adds the stiffness of rows of loops and couplings

  /// @param model outlives this.
  explicit ArticulatedMatrix(const Model& model) : model_(&model), rates_(model), factors_(model) {}

  /// Begins a step at the pose of the tree.
  void begin(const TreePose<S>& tree) noexcept { rates_.S_end = tree.subspace; }
  /// Begins a matrix, with M only.
  void set_masses() noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) rates_.K[i] = MomentumRate<S>::of(SymmetricInertia<S>::of(model_->inertia(i)).matrix());
  }
  /// Adds  left stiffness right^T  to body i, for two wrenches in its frame.  @param stiffness their entry of h H [kg, kg m^2].
  void add_to_body(BodyIndex i, const S& stiffness, const Vector6<S>& left, const Vector6<S>& right) noexcept {
    rates_.K[i] = rates_.K[i].less_outer(-stiffness * left, right);
  }
  /// Factors the matrix.  @param joint (nv) armature and all other terms on the diagonal [kg m^2, kg].  @returns false if it is singular.
  bool factor(const TreePose<S>& tree, const VectorX<S>& joint) noexcept {
    return tree_lu_factor(*model_, tree, rates_, factors_, joint) == 0;
  }
  /// Replaces x (nv) by the inverse times x.  @pre factor() returned true
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept { tree_lu_solve(*model_, tree, rates_, factors_, x, x); }

 private:
  const Model* model_;
  TreeMatrix<S> rates_;  // K: inertia and rows of the bodies; S_end: motion subspaces
  TreeLu<S> factors_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ArticulatedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
