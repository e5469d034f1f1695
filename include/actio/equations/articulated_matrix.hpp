// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/constraints/row.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/math/symmetric_inertia.hpp"

namespace actio::detail {

/// The matrix of a Newton step on a tree with compliant rows, M + h G^T H G, in O(bodies + rows) where rows have one part: between a body and
/// the world they make that body heavier along them, on one joint they make that joint stiffer. The rest is one articulated-body
/// factorisation with M_i + h J^T H J in the place of M_i.                                   [compliant_math.md, section 8]
template <class ModelType>
class ArticulatedMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers

  /// @param model outlives this.
  explicit ArticulatedMatrix(const Model& model) : model_(&model), rates_(model), factors_(model), joint_(VectorX<S>::Zero(model.nv())) {}

  /// Whether the row's stiffness can be added: that of others is to be eliminated behind this.
  bool takes(const ConstraintRow<S>& row) const noexcept { return row.num_parts() <= 1; }

  /// Begins a step where the tree stands.
  void begin(const TreePose<S>& tree) noexcept { rates_.S_end = tree.subspace; }
  /// Begins a matrix: M alone.  @param joint (nv) armature, and all else that is added to the diagonal [kg m^2, kg].
  void set_masses(const ConstVectorRef<S>& joint) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) rates_.K[i] = MomentumRate<S>::of(SymmetricInertia<S>::of(model_->inertia(i)).matrix());
    joint_ = joint;
  }
  /// Adds  left^T stiffness right,  rows of one group.  @param stiffness their entry of h H [kg, kg m^2].  @pre takes(left)
  void add(const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    for (std::size_t part = 0; part < 2; ++part) {
      const auto& body = left.bodies[part];
      const auto& joint = left.joints[part];
      if (body.body > 0) rates_.K[body.body] = rates_.K[body.body].less_outer(-stiffness * body.wrench, right.bodies[part].wrench);
      if (joint.v >= 0) joint_[joint.v] += stiffness * joint.coefficient * right.joints[part].coefficient;
    }
  }
  /// @returns whether it is regular.
  bool factor(const TreePose<S>& tree) noexcept { return tree_lu_factor(*model_, tree, rates_, factors_, joint_) == 0; }
  /// x (nv) := inverse times x.  @pre factor()
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept { tree_lu_solve(*model_, tree, rates_, factors_, x, x); }

 private:
  const Model* model_;
  TreeMatrix<S> rates_;  // K the bodies' inertia and rows, S_end the subspaces
  TreeLu<S> factors_;
  VectorX<S> joint_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ArticulatedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
