// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Momentum of a tree: the spatial momentum, and the momentum along its joints.
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Returns the momentum of all bodies, about a point and in world axes: (angular, linear) [N m s, N s]. The armature is not included.
/// @param point in the world, the origin by default [m].  @pre data at (q, v).  O(bodies), as all below.
template <Scalar S, class Joints>
Vector6<S> spatial_momentum(const Model<S, Joints>& model, const KinematicsData<S>& data,
                            const std::type_identity_t<Vector3<S>>& point = Vector3<S>::Zero()) noexcept {
  Vector6<S> sum = Vector6<S>::Zero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Pose<S> from_point{data.T_WB[i].R, data.T_WB[i].p - point};
    sum += from_point.wrench_to_parent(model.inertia(i).momentum(data.V[i]));
  }
  return sum;
}

/// Returns the angular momentum about center_of_mass(), in world axes [N m s]. If no body with mass is merged into the world, it does not
/// depend on a common linear velocity of all bodies.  @pre data at (q, v), model.mass() > 0.
template <Scalar S, class Joints>
Vector3<S> angular_momentum_about_com(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  return spatial_momentum(model, data, center_of_mass(model, data)).template head<3>();
}

/// Workspace and result of joint_momentum().
template <Scalar S>
struct JointMomentumData {
  BodyArray<Vector6<S>> V;   ///< twists, in the bodies' frames [rad/s, m/s]                            by the outward sweep
  BodyArray<Vector6<S>> mu;  ///< momentum of each body's subtree, in the body's frame [N m s, N s]     by the inward sweep
  VectorX<S> p;              ///< (nv) the result [N m s, N s]

  /// Sizes all members for the model; they are NaN until joint_momentum() fills them.
  template <class Joints>
  explicit JointMomentumData(const Model<S, Joints>& model)
      : V(model.num_bodies(), Vector6<S>::Constant(not_yet())), mu(V), p(VectorX<S>::Constant(model.nv(), not_yet())) {
    V[0].setZero();
  }

 private:
  static S not_yet() { return S(std::numeric_limits<ValueOf<S>>::quiet_NaN()); }
};

/// Computes p = M(q) v, armature included, for any vector v, also one that is not a velocity.
///   p_i = S_i^T mu_i + armature_i v_i,  mu_i = G_i V_i + sum over children of Ad_T^-T mu_child
/// @param tree at q.  @param v (nv).  @returns data.p, valid until the next call.  Allocates and throws nothing.
template <Scalar S, class Joints>
const VectorX<S>& joint_momentum(const Model<S, Joints>& model, const TreePose<S>& tree, JointMomentumData<S>& data,
                                 const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  ACTIO_ASSERT(v.size() == model.nv());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(data.V[model.parent(i)]);
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      detail::store<S>(data.V[i], detail::plus_times<S>(carried, tree.template S_of<J>(model.v_index(i)), model.template v_of<J>(i, v)));
    });
    detail::store(data.mu[i], model.inertia(i).momentum(data.V[i]));
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      model.template v_of<J>(i, data.p) = detail::transpose_times<S>(tree.template S_of<J>(model.v_index(i)), data.mu[i]);
    });
    if (model.parent(i) > 0) detail::add<S>(data.mu[model.parent(i)], tree.T_PB[i].wrench_to_parent(data.mu[i]));
  }
  data.p.array() += model.properties().armature.array() * v.array();
  return data.p;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE const VectorX<double>& joint_momentum(const Model<double>&, const TreePose<double>&, JointMomentumData<double>&,
                                                        const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
