// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a row gives way to its own multiplier where nothing else holds its bodies.
#include "actio/constraints/free_bodies.hpp"
#include "actio/constraints/row.hpp"
#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Sum of J I^-1 J^T over a row's bodies, I the inertia of the single body: not less than G M^-1 G^T without armature, and no less where a
/// singular pose lets the row move nothing.  O(1) a row.                                                    [srm_math.md, section 5]
template <class ModelType>
class FreeMobility {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}

  /// @param model outlives this.
  explicit FreeMobility(const Model& model) : model_(&model), bodies_(model), body_of_entry_(model.bodies_of_entries()) {}

  /// Zero where none of the row's bodies has full inertia.
  S operator()(const TreePose<S>& tree, const ConstraintRow<S>& row) const noexcept {
    S sum = between(row, row);
    for (const auto& part : row.joints) {
      if (part.v < 0) continue;
      const BodyIndex i = body_of_entry_[static_cast<std::size_t>(part.v)];
      const Vector6<S> S_i = tree.subspace.col(part.v), on_child = S_i * (part.coefficient / S_i.squaredNorm());
      const Vector6<S> on_parent = tree.T_PB[i].wrench_to_parent(on_child);
      sum += of_body(i, on_child, on_child) + of_body(model_->parent(i), on_parent, on_parent);
    }
    return sum;
  }
  /// What a unit of one moves the other by; of rows of one loop, whose parts are on the same bodies.
  S between(const ConstraintRow<S>& row, const ConstraintRow<S>& other) const noexcept {
    S sum(0);
    for (std::size_t k = 0; k < 2; ++k) sum += of_body(row.bodies[k].body, row.bodies[k].wrench, other.bodies[k].wrench);
    return sum;
  }

 private:
  S of_body(BodyIndex i, const Vector6<S>& wrench, const Vector6<S>& other) const noexcept {
    return bodies_.twist(i, bodies_.about_com(i, wrench)).dot(bodies_.about_com(i, other));
  }

  const Model* model_;
  FreeBodies<S> bodies_;
  std::vector<BodyIndex> body_of_entry_;
};

}  // namespace actio
