// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kinetic, gravitational and elastic energy [J].
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/generalized_forces.hpp"

namespace actio {

/// The energies of a tree [J].
template <Scalar S>
struct Energy {
  S kinetic{},      ///< v^T M v / 2, armature included
      potential{},  ///< of gravity and constant forces, zero at the world's origin and at q = 0
      elastic{};    ///< of the springs of joints and between points, zero where they are slack
  S total() const { return kinetic + potential + elastic; }  ///< their sum [J]
};

/// Returns v^T M v / 2 [J], armature included.  @param V (bodies) twists at v in the bodies' frames.  @param v (nv) [rad/s, m/s].
/// O(bodies), as all below.
template <Scalar S, class Joints>
S kinetic_energy(const Model<S, Joints>& model, const BodyArray<Vector6<S>>& V, const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  S sum(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) sum += model.inertia(i).kinetic_energy(V[i]);
  for (Eigen::Index k = 0; k < model.nv(); ++k) sum += model.properties().armature[k] * v[k] * v[k] / S(2);
  return sum;
}
/// Returns the same.  @pre data at (q, v).  @param v (nv) [rad/s, m/s].
template <Scalar S, class Joints>
S kinetic_energy(const Model<S, Joints>& model, const KinematicsData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  return kinetic_energy(model, data.V, v);
}

/// Returns -(sum of m g.c) of gravity and -(sum of f.x) of constant forces at points and along joints [J], zero at the world's origin and
/// at q = 0; bodies merged into the world add a constant.  @pre data at q.
template <Scalar S, class Joints>
S potential_energy(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  S sum(0);
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    const Vector3<S> com = data.T_WB[i] * model.inertia(i).com;
    sum -= model.inertia(i).mass * model.gravity().dot(com);
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {  // only joints with nq = nv have such forces
      const S& force = model.properties().force[model.v_index(i) + k];
      if (force != S(0)) sum -= force * data.tree.q[model.q_index(i) + k];
    }
  }
  for (const PointForce<S>& force : model.forces()) sum -= force.force.dot(data.T_WB[force.body] * force.point);
  return sum;
}

/// Returns the energy of the joint springs alone [J]: the sum of k x^2 / 2, x = q (-) rest entry by entry.  @param q (nq).
template <Scalar S, class Joints>
S elastic_energy(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  S sum(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Config rest = model.template q_of<J>(i, model.properties().rest), q_i = model.template q_of<J>(i, q);
      const typename J::Tangent x = joint.difference(rest, q_i), k = model.template v_of<J>(i, model.properties().stiffness);
      for (int e = 0; e < J::nv; ++e) sum += k[e] * x[e] * x[e] / S(2);
    });
  }
  return sum;
}

/// Returns the energy of the springs of joints and between points [J].  @pre data at q.
template <Scalar S, class Joints>
S elastic_energy(const Model<S, Joints>& model, const KinematicsData<S>& data) noexcept {
  S sum = elastic_energy(model, data.tree.q);
  for (const PointSpring<S>& spring : model.springs()) {
    sum += detail::SpringLine<S>(spring, data.T_WB[spring.body_a], data.T_WB[spring.body_b]).energy(spring);
  }
  return sum;
}

/// Returns all three energies [J]. It calls forward_kinematics(model, data, q, v) first.
template <Scalar S, class Joints>
Energy<S> energy(const Model<S, Joints>& model, KinematicsData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                 const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  forward_kinematics(model, data, q, v);
  return {kinetic_energy(model, data, v), potential_energy(model, data), elastic_energy(model, data)};
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE double elastic_energy(const Model<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
