// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jacobians of all bodies as operators: from joint velocities to twists, and from wrenches to joint forces.
#include "actio/dynamics/tree_pose.hpp"

namespace actio::detail {

/// Computes V_i = J_i v, each in the body's own frame.  @param tree at q, as below.  @param v (nv) [rad/s, m/s].  @param V (bodies)
/// result [rad/s, m/s]; V[0] must be zero and does not change.  O(bodies); allocates and throws nothing, as below.
template <Scalar S, class Joints>
void body_twists(const Model<S, Joints>& model, const TreePose<S>& tree, const std::type_identity_t<ConstVectorRef<S>>& v,
                 BodyArray<Vector6<S>>& V) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(V[model.parent(i)]);
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      detail::store<S>(V[i], plus_times<S>(carried, tree.template S_of<J>(model.v_index(i)), model.template v_of<J>(i, v)));
    });
  }
}

/// Adds sum J_i^T F_i to f.  @param F (bodies) wrenches in the bodies' own frames [N m, N]; afterwards those of their subtrees.
/// @param f (nv) [N m, N].
template <Scalar S, class Joints>
void add_joint_forces(const Model<S, Joints>& model, const TreePose<S>& tree, BodyArray<Vector6<S>>& F,
                      std::type_identity_t<VectorRef<S>> f) noexcept {
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      model.template v_of<J>(i, f) += detail::transpose_times<S>(tree.template S_of<J>(model.v_index(i)), F[i]);
    });
    if (model.parent(i) > 0) detail::add<S>(F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F[i]));
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void body_twists(const Model<double>&, const TreePose<double>&, const ConstVectorRef<double>&,
                                   BodyArray<Vector6<double>>&) noexcept;
#endif

}  // namespace actio::detail
