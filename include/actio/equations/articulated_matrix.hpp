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

  /// @param model outlives this.
  explicit ArticulatedMatrix(const Model& model) : model_(&model), rates_(model), factors_(model), joint_(VectorX<S>::Zero(model.nv())) {}

  /// Returns whether the row's stiffness can be added; that of other rows has to be eliminated afterwards.
  bool takes(const ConstraintRow<S>& row) const noexcept { return row.num_parts() <= 1; }

  /// Begins a step at the pose of the tree.
  void begin(const TreePose<S>& tree) noexcept { rates_.S_end = tree.subspace; }
  /// Begins a matrix, with M only.  @param joint (nv) armature and all other terms on the diagonal [kg m^2, kg].
  void set_masses(const ConstVectorRef<S>& joint) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) rates_.K[i] = MomentumRate<S>::of(SymmetricInertia<S>::of(model_->inertia(i)).matrix());
    joint_ = joint;
  }
  /// Adds  left^T stiffness right  for two rows of one group.  @param stiffness their entry of h H [kg, kg m^2].  @pre takes(left)
  void add(const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    for (std::size_t part = 0; part < 2; ++part) {
      const auto& body = left.bodies[part];
      const auto& joint = left.joints[part];
      if (body.body > 0) rates_.K[body.body] = rates_.K[body.body].less_outer(-stiffness * body.wrench, right.bodies[part].wrench);
      if (joint.v >= 0) joint_[joint.v] += stiffness * joint.coefficient * right.joints[part].coefficient;
    }
  }
  /// Factors the matrix.  @returns false if it is singular.
  bool factor(const TreePose<S>& tree) noexcept { return tree_lu_factor(*model_, tree, rates_, factors_, joint_) == 0; }
  /// Replaces x (nv) by the inverse times x.  @pre factor() returned true
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept { tree_lu_solve(*model_, tree, rates_, factors_, x, x); }

 private:
  const Model* model_;
  TreeMatrix<S> rates_;  // K: inertia and rows of the bodies; S_end: motion subspaces
  TreeLu<S> factors_;
  VectorX<S> joint_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ArticulatedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
