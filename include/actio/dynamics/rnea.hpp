// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverse dynamics by the recursive Newton-Euler algorithm: the joint forces of a motion.
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Workspace and result of rnea(), bias_forces() and gravity_forces().
template <Scalar S>
struct RneaData {
  TreePose<S> tree;         ///< at the last q
  BodyArray<Vector6<S>> V,  ///< twist, in the body's frame [rad/s, m/s]                                              by the outward sweep
      A;                    ///< its rate minus gravity, in that frame; A[0] = (0, -gravity) [rad/s^2, m/s^2]         by the outward sweep
  BodyArray<Vector6<S>> F;  ///< wrench by each joint on its body, in its frame [N m, N]; F[0] is the world's wrench  by the inward sweep
  VectorX<S> tau;           ///< (nv) the result [N m, N]                                                             by the inward sweep

  /// Sizes all members for the model; what a sweep fills is NaN until then.
  template <class Joints>
  explicit RneaData(const Model<S, Joints>& model)
      : tree(model), V(model.num_bodies(), not_yet()), A(V), F(V), tau(VectorX<S>::Constant(model.nv(), not_yet()[0])) {
    V[0].setZero();
  }

 private:
  static Vector6<S> not_yet() { return Vector6<S>::Constant(S(std::numeric_limits<ValueOf<S>>::quiet_NaN())); }
};

namespace detail {

/// Stands for a v or a that is zero, at no cost.
struct AtRest {};

/// Computes the joint forces, for all functions below.  @param v, a (nv) or AtRest.  @param wrenches one for each body, or null.
template <Scalar S, class Joints, class Velocity, class Acceleration>
const VectorX<S>& inverse_dynamics(const Model<S, Joints>& model, RneaData<S>& data, const ConstVectorRef<S>& q, const Velocity& v,
                                   const Acceleration& a, const BodyArray<Vector6<S>>* wrenches) noexcept {
  constexpr bool moves = !std::same_as<Velocity, AtRest>, accelerates = !std::same_as<Acceleration, AtRest>;
  ACTIO_ASSERT(q.size() == model.nq());
  data.tree.q = q;
  data.A[0] = spatial<S>(Vector3<S>::Zero(), -model.gravity());
  data.F[0].setZero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    Vector6<S> relative, bias, own;  // S_i v_i, (dS_i/dt) v_i, S_i a_i
    const Pose<S>& T = data.tree.T_PB[i];
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      place_joint(model, data.tree, i, joint);
      const joints::Subspace<J> S_i = data.tree.template S_of<J>(model.v_index(i));
      if constexpr (moves) {
        const typename J::Tangent v_i = model.template v_of<J>(i, v);
        relative = S_i * v_i;
        bias = joints::bias<J>(joint, model.template q_of<J>(i, data.tree.q), v_i, S_i);
      }
      if constexpr (accelerates) own = S_i * model.template v_of<J>(i, a);
    });
    Vector6<S> A = T.twist_to_child(data.A[model.parent(i)]);
    if constexpr (accelerates) A = sum<S>(A, own);
    if constexpr (moves) {
      store(data.V[i], sum<S>(T.twist_to_child(data.V[model.parent(i)]), relative));
      A = sum<S>(A, bias, bracket<S>(data.V[i], relative));
      store<S>(data.F[i], sum<S>(model.inertia(i).momentum(A), model.inertia(i).bias(data.V[i])));
    } else {
      data.F[i] = model.inertia(i).momentum(A);
    }
    store(data.A[i], A);
    if (wrenches) data.F[i] -= (*wrenches)[i];
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      model.template v_of<J>(i, data.tau).noalias() = data.tree.template S_of<J>(model.v_index(i)).transpose() * data.F[i];
    });
    add<S>(data.F[model.parent(i)], data.tree.T_PB[i].wrench_to_parent(data.F[i]));
  }
  if constexpr (accelerates) data.tau.array() += model.properties().armature.array() * a.array();
  return data.tau;
}

}  // namespace detail

/// Computes the joint forces of a motion: M(q) a + bias_forces(q, v). M includes the armature; damping, springs and friction are not
/// included.  O(bodies); allocates and throws nothing, as all below.              [Featherstone 2008, table 5.1]
/// @param q (nq).  @param v (nv) [rad/s, m/s].  @param a (nv) [rad/s^2, m/s^2].  @returns data.tau, valid until the next call.
template <Scalar S, class Joints>
const VectorX<S>& rnea(const Model<S, Joints>& model, RneaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                       const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& a) noexcept {
  ACTIO_ASSERT(v.size() == model.nv() && a.size() == model.nv());
  return detail::inverse_dynamics<S>(model, data, q, v, a, nullptr);
}

/// As above, with wrenches on the bodies.
/// @param wrenches one for each body, world included, in its own frame and about its origin [N m, N].
template <Scalar S, class Joints>
const VectorX<S>& rnea(const Model<S, Joints>& model, RneaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                       const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& a,
                       const BodyArray<Vector6<S>>& wrenches) noexcept {
  ACTIO_ASSERT(v.size() == model.nv() && a.size() == model.nv() && wrenches.size() == model.num_bodies());
  return detail::inverse_dynamics<S>(model, data, q, v, a, &wrenches);
}

/// Computes the joint forces (nv) that keep v constant: Coriolis, centrifugal and gravity terms [N m, N].  @returns data.tau.
template <Scalar S, class Joints>
const VectorX<S>& bias_forces(const Model<S, Joints>& model, RneaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                              const std::type_identity_t<ConstVectorRef<S>>& v) noexcept {
  ACTIO_ASSERT(v.size() == model.nv());
  return detail::inverse_dynamics<S>(model, data, q, v, detail::AtRest{}, nullptr);
}

/// Computes the joint forces (nv) that keep the tree at rest against gravity: the gradient of the potential energy [N m, N].
/// @returns data.tau; data.V does not change.
template <Scalar S, class Joints>
const VectorX<S>& gravity_forces(const Model<S, Joints>& model, RneaData<S>& data,
                                 const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  return detail::inverse_dynamics<S>(model, data, q, detail::AtRest{}, detail::AtRest{}, nullptr);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE const VectorX<double>& rnea(const Model<double>&, RneaData<double>&, const ConstVectorRef<double>&,
                                              const ConstVectorRef<double>&, const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& rnea(const Model<double>&, RneaData<double>&, const ConstVectorRef<double>&,
                                              const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                              const BodyArray<Vector6<double>>&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& bias_forces(const Model<double>&, RneaData<double>&, const ConstVectorRef<double>&,
                                                     const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& gravity_forces(const Model<double>&, RneaData<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
