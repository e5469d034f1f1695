// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jacobians of frames and of the centre of mass: each column is the velocity for a unit rate of one entry of v.
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// The axes in which the Jacobian of a frame is expressed. It is about the frame's origin in both cases.
enum class JacobianAxes {
  own,    ///< of the frame: V = J v is frame_velocity
  world,  ///< of the world: V = J v is frame_velocity_in_world
};

/// Computes the Jacobian of a frame, V = J(q) v [rad/s, m/s].  @pre data at q.
/// @param J (6 x nv) result, angular rows first.  O(depth nv_i) and 6 nv zeros; allocates and throws nothing, as all below.
template <Scalar S, class Joints>
void frame_jacobian(const Model<S, Joints>& model, const KinematicsData<S>& data, const Frame<S>& frame, JacobianAxes axes,
                    std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J) noexcept {
  ACTIO_ASSERT(J.cols() == model.nv());
  J.setZero();
  const Matrix3<S> R = axes == JacobianAxes::own ? Matrix3<S>(Matrix3<S>::Identity()) : Matrix3<S>(data.T_WB[frame.body].R * frame.T_BF.R);
  Pose<S> T = frame.T_BF;  // of the frame in body i
  for (BodyIndex i = frame.body; i > 0; i = model.parent(i)) {
    for (Eigen::Index k = model.v_index(i); k < model.v_index(i) + model.nv(i); ++k) {
      J.col(k) = rotated<S>(R, T.twist_to_child(data.tree.subspace.col(k)));
    }
    T = data.tree.T_PB[i] * T;
  }
}

/// As above, for the frame of a body.
template <Scalar S, class Joints>
void body_jacobian(const Model<S, Joints>& model, const KinematicsData<S>& data, BodyIndex body, JacobianAxes axes,
                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J) noexcept {
  frame_jacobian(model, data, Frame<S>{{}, body, Pose<S>::identity()}, axes, J);
}

/// Computes the Jacobian of the centre of mass: its velocity, in world axes, is J v [m/s].  @pre data at q, model.mass() > 0.
/// @param J (3 x nv) result.  O(bodies times depth).
template <Scalar S, class Joints>
void center_of_mass_jacobian(const Model<S, Joints>& model, const KinematicsData<S>& data,
                             std::type_identity_t<Eigen::Ref<Matrix3X<S>>> J) noexcept {
  ACTIO_ASSERT(J.cols() == model.nv());
  const S mass = model.mass();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    S subtree_mass(0);
    Vector3<S> moment = Vector3<S>::Zero();  // of the subtree, about the world's origin
    for (BodyIndex j = i; j < model.subtree_end(i); ++j) {
      subtree_mass += model.inertia(j).mass;
      moment += model.inertia(j).mass * (data.T_WB[j] * model.inertia(j).com);
    }
    const Vector3<S> arm = moment - subtree_mass * data.T_WB[i].p;
    for (Eigen::Index k = model.v_index(i); k < model.v_index(i) + model.nv(i); ++k) {
      const Vector6<S> V = rotated<S>(data.T_WB[i].R, data.tree.subspace.col(k));
      const Vector3<S> w = V.template head<3>(), v = V.template tail<3>();
      J.col(k) = (subtree_mass * v + w.cross(arm)) / mass;
    }
  }
}

}  // namespace actio
