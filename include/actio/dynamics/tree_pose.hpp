// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Poses and motion subspaces of a tree, which depend on q only; shared by the algorithms that run at one configuration.
#include "actio/model/model.hpp"

namespace actio {

/// The tree at a configuration; index 0, the world, keeps the identity.
template <Scalar S>
struct TreePose {
  VectorX<S> q;             ///< (nq) configuration
  BodyArray<Pose<S>> T_PB;  ///< pose of each body in its parent
  Matrix6X<S> subspace;     ///< (6 x nv) motion subspaces S_i side by side, in the bodies' frames

  /// Sets the tree to its neutral configuration.
  template <class Joints>
  explicit TreePose(const Model<S, Joints>& model);
  /// Returns S_i (6 x nv_i), whose size is known at compile time.  @param v first entry of the joint, model.v_index(i).
  template <detail::HasFreedoms J>
  auto S_of(Eigen::Index v) const {
    return subspace.template middleCols<J::nv>(v);
  }
};

namespace detail {

/// Does what place() does for joint i, for outward sweeps that do more. A constant S was written when the tree was constructed.
template <Scalar S, class Joints, JointType J>
ACTIO_INLINE void place_joint(const Model<S, Joints>& model, TreePose<S>& tree, BodyIndex i, const J& joint) {
  auto S_i = tree.subspace.template middleCols<J::nv>(model.v_index(i));
  joints::place(joint, model.mount(i), typename J::Config(model.template q_of<J>(i, tree.q)), tree.T_PB[i], S_i);
}

}  // namespace detail

/// Sets the tree to q.  @param q (nq).  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
void place(const Model<S, Joints>& model, TreePose<S>& tree, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  ACTIO_ASSERT(q.size() == model.nq());
  if (tree.q.data() != q.data()) tree.q = q;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) { detail::place_joint(model, tree, i, joint); });
  }
}

template <Scalar S>
template <class Joints>
TreePose<S>::TreePose(const Model<S, Joints>& model)
    : q(model.neutral()), T_PB(model.num_bodies(), Pose<S>::identity()), subspace(Matrix6X<S>::Zero(6, model.nv())) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      subspace.template middleCols<J::nv>(model.v_index(i)) = joint.motion_subspace(joints::neutral(joint));
    });
  }
  place(model, *this, q);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE TreePose<double>::TreePose(const Model<double>&);
ACTIO_INSTANTIATE void place(const Model<double>&, TreePose<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
