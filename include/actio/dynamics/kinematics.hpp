// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forward kinematics: poses, twists and accelerations of bodies and frames, and the centre of mass.
#include <limits>

#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Results of forward_kinematics(); index 0, the world, keeps identity and zero.
template <Scalar S>
struct KinematicsData {
  TreePose<S> tree;         ///< poses in the parents
  BodyArray<Pose<S>> T_WB;  ///< poses in the world
  BodyArray<Vector6<S>> V,  ///< twist, in the body's own frame [rad/s, m/s]
      A;                    ///< its time derivative, in the same frame [rad/s^2, m/s^2]

  /// Sets the poses of the neutral configuration; V and A of moving bodies are NaN until they are computed.
  template <class Joints>
  explicit KinematicsData(const Model<S, Joints>& model)
      : tree(model), T_WB(model.num_bodies(), Pose<S>::identity()), V(model.num_bodies(), not_yet()), A(model.num_bodies(), not_yet()) {
    V[0].setZero();
    A[0].setZero();
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) T_WB[i] = T_WB[model.parent(i)] * tree.T_PB[i];
  }

 private:
  static Vector6<S> not_yet() { return Vector6<S>::Constant(S(std::numeric_limits<ValueOf<S>>::quiet_NaN())); }
};

namespace detail {

/// Returns [x, y] = ad_x y, by cross products.
template <Scalar S>
ACTIO_INLINE Vector6<S> bracket(const Vector6<S>& x, const Vector6<S>& y) {
  return vector6<S>(x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0],
                    (x[1] * y[5] - x[2] * y[4]) + (x[4] * y[2] - x[5] * y[1]), (x[2] * y[3] - x[0] * y[5]) + (x[5] * y[0] - x[3] * y[2]),
                    (x[0] * y[4] - x[1] * y[3]) + (x[3] * y[1] - x[4] * y[0]));
}

}  // namespace detail

/// Computes the poses at q (nq); V and A do not change.  O(bodies); allocates and throws nothing, as all below.
template <Scalar S, class Joints>
void forward_kinematics(const Model<S, Joints>& model, KinematicsData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  place(model, data.tree, q);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) data.T_WB[i] = data.T_WB[model.parent(i)] * data.tree.T_PB[i];
}

/// Computes the poses and twists at (q, v); A does not change.
///   V_i = Ad_T^-1 V_parent + S_i v_i                                                  [Featherstone 2008, table 5.1]
/// @param v (nv) [rad/s, m/s].
template <Scalar S, class Joints>
void forward_kinematics(const Model<S, Joints>& model, KinematicsData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                        const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  ACTIO_ASSERT(v.size() == model.nv());
  forward_kinematics(model, data, q);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      const Vector6<S> relative = data.tree.template S_of<J>(model.v_index(i)) * model.template v_of<J>(i, v);
      data.V[i] = data.tree.T_PB[i].twist_to_child(data.V[model.parent(i)]) + relative;
    });
  }
}

/// Computes the poses, twists and their time derivatives at (q, v, a).
///   A_i = Ad_T^-1 A_parent + S_i a_i + (dS_i/dt) v_i + [V_i, S_i v_i]                 [Featherstone 2008, table 5.1]
/// @param a (nv) [rad/s^2, m/s^2].
template <Scalar S, class Joints>
void forward_kinematics(const Model<S, Joints>& model, KinematicsData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                        const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& a) noexcept {
  ACTIO_ASSERT(a.size() == model.nv());
  forward_kinematics(model, data, q, v);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const joints::Subspace<J> S_i = data.tree.template S_of<J>(model.v_index(i));
      const typename J::Config q_i = model.template q_of<J>(i, data.tree.q);
      const typename J::Tangent v_i = model.template v_of<J>(i, v);
      data.A[i] = data.tree.T_PB[i].twist_to_child(data.A[model.parent(i)]) + S_i * model.template v_of<J>(i, a) +
                  joints::bias(joint, q_i, v_i, S_i) + detail::bracket<S>(data.V[i], S_i * v_i);
    });
  }
}

/// Returns a twist or its derivative in other axes, about the same point: (R w, R v).
template <Scalar S>
Vector6<S> rotated(const Matrix3<S>& R, const Vector6<S>& V) {
  return spatial<S>(R * V.template head<3>(), R * V.template tail<3>());
}

/// Returns the pose of a frame in the world.  @pre data at q.
template <Scalar S>
Pose<S> frame_pose(const KinematicsData<S>& data, const Frame<S>& frame) {
  return data.T_WB[frame.body] * frame.T_BF;
}

/// Returns the twist of a frame, in its own axes and about its own origin [rad/s, m/s].  @pre data at (q, v).
template <Scalar S>
Vector6<S> frame_velocity(const KinematicsData<S>& data, const Frame<S>& frame) {
  return frame.T_BF.twist_to_child(data.V[frame.body]);
}

/// Returns the angular velocity of a frame and the velocity of its origin, in world axes [rad/s, m/s].  @pre data at (q, v).
template <Scalar S>
Vector6<S> frame_velocity_in_world(const KinematicsData<S>& data, const Frame<S>& frame) {
  const Matrix3<S> R = data.T_WB[frame.body].R * frame.T_BF.R;
  return rotated<S>(R, frame_velocity(data, frame));
}

/// Returns the angular acceleration of a frame and the acceleration of its origin, in world axes [rad/s^2, m/s^2]: d/dt of
/// frame_velocity_in_world.  @pre data at (q, v, a).
template <Scalar S>
Vector6<S> frame_acceleration_in_world(const KinematicsData<S>& data, const Frame<S>& frame) {
  const Vector6<S> V = frame_velocity(data, frame);
  Vector6<S> A = frame.T_BF.twist_to_child(data.A[frame.body]);
  A.template tail<3>() += V.template head<3>().cross(V.template tail<3>());  // the axes rotate with the frame
  const Matrix3<S> R = data.T_WB[frame.body].R * frame.T_BF.R;
  return rotated<S>(R, A);
}

/// Returns frame_velocity_in_world() of the frame of a body.  @pre data at (q, v).
template <Scalar S>
Vector6<S> velocity_in_world(const KinematicsData<S>& data, BodyIndex i) {
  return rotated<S>(data.T_WB[i].R, data.V[i]);
}

/// Returns the centre of mass of all bodies, those merged into the world included as in model.mass(), in the world [m].
/// @pre data at q, model.mass() > 0.
template <Scalar S, class Joints>
Vector3<S> center_of_mass(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  Vector3<S> moment = Vector3<S>::Zero();
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) moment += model.inertia(i).mass * (data.T_WB[i] * model.inertia(i).com);
  return moment / model.mass();
}

/// Returns the centre of mass of the moving bodies, without those merged into the world; the world's origin if they have no mass.
template <Scalar S, class Joints>
Vector3<S> moving_center_of_mass(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  Vector3<S> moment = Vector3<S>::Zero();
  S mass(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    moment += model.inertia(i).mass * (data.T_WB[i] * model.inertia(i).com);
    mass += model.inertia(i).mass;
  }
  return mass > S(0) ? Vector3<S>(moment / mass) : moment;
}

/// Returns the velocity of center_of_mass(), in world axes [m/s].  @pre data at (q, v), model.mass() > 0.
template <Scalar S, class Joints>
Vector3<S> center_of_mass_velocity(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  Vector3<S> momentum = Vector3<S>::Zero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<S> w = data.V[i].template head<3>(), v = data.V[i].template tail<3>();
    const Vector3<S> of_com = v + w.cross(model.inertia(i).com);
    momentum += model.inertia(i).mass * (data.T_WB[i].R * of_com);
  }
  return momentum / model.mass();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE KinematicsData<double>::KinematicsData(const Model<double>&);
ACTIO_INSTANTIATE void forward_kinematics(const Model<double>&, KinematicsData<double>&, const ConstVectorRef<double>&,
                                          const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void forward_kinematics(const Model<double>&, KinematicsData<double>&, const ConstVectorRef<double>&,
                                          const ConstVectorRef<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
