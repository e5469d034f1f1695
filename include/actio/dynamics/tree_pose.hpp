// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What of the tree depends on q alone, shared by the algorithms that run at one configuration.
#include "actio/model/model.hpp"

namespace actio {

/// The tree at a configuration; index 0, the world, keeps the identity.
template <Scalar S>
struct TreePose {
  VectorX<S> q;                ///< (nq)
  BodyArray<Pose<S>> T_PB;     ///< pose of each body in its parent
  Matrix6X<S> subspace;        ///< (6 x nv) motion subspaces S_i side by side, in the bodies' frames

  template <class Joints>
  explicit TreePose(const Model<S, Joints>& model)
      : q(model.neutral()), T_PB(model.num_bodies(), Pose<S>::identity()), subspace(Matrix6X<S>::Zero(6, model.nv())) {
    place(model, *this, q);
  }
  /// S_i, its size known at compile time.
  template <JointType J>
  auto S_of(Eigen::Index v) const { return subspace.template middleCols<J::nv>(v); }
};

/// Sets the tree to q.  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
void place(const Model<S, Joints>& model, TreePose<S>& tree, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  ACTIO_ASSERT(q.size() == model.nq());
  if (tree.q.data() != q.data()) tree.q = q;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Config q_i = model.template q_of<J>(i, tree.q);
      tree.T_PB[i] = model.placement(i) * joint.pose(q_i);
      tree.subspace.template middleCols<J::nv>(model.v_index(i)) = joint.motion_subspace(q_i);
    });
  }
}

}  // namespace actio
