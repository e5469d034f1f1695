// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Velocity-product forces without gravity, at a tree that is already placed, for forward dynamics with existing factors.
#include "actio/dynamics/kinematics.hpp"

namespace actio::detail {

/// Workspace of velocity_forces.
template <Scalar S>
struct VelocityData {
  BodyArray<Vector6<S>> V;  ///< twist of each body, own frame [rad/s, m/s]
  BodyArray<Vector6<S>> A;  ///< its rate without joint accelerations and gravity [rad/s^2, m/s^2]
  BodyArray<Vector6<S>> F;  ///< wrench that the motion of each subtree requires, in its root's frame [N m, N]

  /// Sizes all members for the model and sets them to zero.
  template <class Joints>
  explicit VelocityData(const Model<S, Joints>& model)
      : V(model.num_bodies(), Vector6<S>::Zero()), A(V), F(V) {}
};

/// Computes c = C(q, v) v: Coriolis, centrifugal and gyroscopic forces, without gravity.  O(bodies); allocates and throws nothing.
/// @param tree at q.  @param v (nv) [rad/s, m/s].  @param c (nv) result [N m, N].
template <Scalar S, class Joints>
void velocity_forces(const Model<S, Joints>& model, const TreePose<S>& tree, VelocityData<S>& data,
                     const std::type_identity_t<ConstVectorRef<S>>& v, std::type_identity_t<VectorRef<S>> c) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.parent(i);
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Tangent v_i = model.template v_of<J>(i, v);
      const joints::Subspace<J> S_i = tree.template S_of<J>(model.v_index(i));
      const Vector6<S> V_joint = S_i * v_i;
      store<S>(data.V[i], sum<S>(tree.T_PB[i].twist_to_child(data.V[parent]), V_joint));
      data.A[i] = tree.T_PB[i].twist_to_child(data.A[parent]) +
                  joints::bias<J>(joint, model.template q_of<J>(i, tree.q), v_i, S_i) + detail::bracket<S>(data.V[i], V_joint);
    });
    data.F[i] = model.inertia(i).momentum(data.A[i]) + model.inertia(i).bias(data.V[i]);
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      model.template v_of<J>(i, c) = transpose_times<S>(tree.template S_of<J>(model.v_index(i)), data.F[i]);
    });
    if (model.parent(i) > 0) add<S>(data.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(data.F[i]));
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void velocity_forces(const Model<double>&, const TreePose<double>&, VelocityData<double>&, const ConstVectorRef<double>&,
                                        VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
