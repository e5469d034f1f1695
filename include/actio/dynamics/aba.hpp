// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forward dynamics by the articulated-body algorithm. To solve with M several times at one q, see abi.hpp.
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Workspace and result of aba().
template <Scalar S>
struct AbaData {
  TreePose<S> tree;                      ///< at the last q
  BodyArray<Vector6<S>> V;               ///< twist, in the body's frame [rad/s, m/s]                              by the outward sweep
  BodyArray<Vector6<S>> c;               ///< velocity product: A minus the parent's and S_i a_i [rad/s^2, m/s^2]  by the outward sweep
  BodyArray<detail::SymmetricInertia<S>>
      G_art;                             ///< articulated inertia, in the body's frame                             by the inward sweep
  BodyArray<Vector6<S>> F_art;           ///< articulated bias wrench, in the body's frame [N m, N]                by the inward sweep
  Matrix6X<S> U,                         ///< (6 x nv) G_art S                                                     by the inward sweep
      K;                                 ///< (6 x nv) U D^-1, D = S^T U + armature + added                        by the inward sweep
  VectorX<S> u;                          ///< (nv) D^-1 (tau - S^T F_art) [rad/s^2, m/s^2]                         by the inward sweep
  BodyArray<Vector6<S>> A;               ///< d/dt of V minus gravity; A[0] = (0, -gravity) [rad/s^2, m/s^2]       by the last sweep
  VectorX<S> added;                      ///< (nv) >= 0 [kg m^2, kg], added to the diagonal of M for implicit terms; zero initially
  VectorX<S> a;                          ///< (nv) the result [rad/s^2, m/s^2]                                     by the last sweep

  /// Sizes all members for the model; what a sweep fills is NaN until then.
  template <class Joints>
  explicit AbaData(const Model<S, Joints>& model)
      : tree(model),
        V(model.num_bodies(), Vector6<S>::Constant(not_yet())),
        c(V),
        G_art(model.num_bodies(), detail::SymmetricInertia<S>::all(not_yet())),
        F_art(V),
        U(Matrix6X<S>::Constant(6, model.nv(), not_yet())),
        K(U),
        u(VectorX<S>::Constant(model.nv(), not_yet())),
        A(V),
        added(VectorX<S>::Zero(model.nv())),
        a(u) {
    V[0].setZero();
  }

 private:
  static S not_yet() { return S(std::numeric_limits<ValueOf<S>>::quiet_NaN()); }
};

namespace detail {

template <Scalar S, class Joints>
BodyIndex forward_dynamics(const Model<S, Joints>& model, AbaData<S>& data, const ConstVectorRef<S>& q, const ConstVectorRef<S>& v,
                           const ConstVectorRef<S>& tau, const BodyArray<Vector6<S>>* wrenches) noexcept {
  ACTIO_ASSERT(q.size() == model.nq() && v.size() == model.nv() && tau.size() == model.nv());
  data.tree.q = q;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    Vector6<S> relative, bias;  // S_i v_i, (dS_i/dt) v_i
    const Pose<S>& T = data.tree.T_PB[i];
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      place_joint(model, data.tree, i, joint);
      const typename J::Tangent v_i = model.template v_of<J>(i, v);
      const joints::Subspace<J> S_i = data.tree.template S_of<J>(model.v_index(i));
      relative = S_i * v_i;
      bias = joints::bias<J>(joint, model.template q_of<J>(i, data.tree.q), v_i, S_i);
    });
    const Inertia<S>& G = model.inertia(i);
    store(data.V[i], sum<S>(T.twist_to_child(data.V[model.parent(i)]), relative));
    store(data.c[i], sum<S>(bias, bracket<S>(data.V[i], relative)));
    store(data.F_art[i], G.bias(data.V[i]));
    if (wrenches) data.F_art[i] -= (*wrenches)[i];
    data.G_art[i] = SymmetricInertia<S>::of(G);
  }
  BodyIndex singular = 0;
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    Vector6<S> push;
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      const Eigen::Index v_index = model.v_index(i);
      const joints::Subspace<J> S_i = data.tree.template S_of<J>(v_index), U = data.G_art[i] * S_i;
      Eigen::Matrix<S, J::nv, J::nv> D = S_i.transpose() * U, D_inverse;
      for (int k = 0; k < J::nv; ++k) D(k, k) += model.properties().armature[v_index + k] + data.added[v_index + k];
      if (!invert_pivot(D, D_inverse) && singular == 0) singular = i;
      const typename J::Tangent u = D_inverse * (model.template v_of<J>(i, tau) - S_i.transpose() * data.F_art[i]);
      data.U.template middleCols<J::nv>(v_index) = U;
      data.K.template middleCols<J::nv>(v_index) = U * D_inverse;
      model.template v_of<J>(i, data.u) = u;
      push = U * u;
    });
    if (model.parent(i) == 0) continue;
    SymmetricInertia<S> G = data.G_art[i].copy();
    for (Eigen::Index k = model.v_index(i); k < model.v_index(i) + model.nv(i); ++k) G.subtract(data.K.col(k), data.U.col(k));
    const Vector6<S> F = sum<S>(data.F_art[i], push, G * data.c[i]);
    data.G_art[model.parent(i)] += G.seen_from_parent(data.tree.T_PB[i]);
    add<S>(data.F_art[model.parent(i)], data.tree.T_PB[i].wrench_to_parent(F));
  }
  data.A[0] = spatial<S>(Vector3<S>::Zero(), -model.gravity());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> A = sum<S>(data.tree.T_PB[i].twist_to_child(data.A[model.parent(i)]), data.c[i]);
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      const Eigen::Index v_index = model.v_index(i);
      const typename J::Tangent a_i = model.template v_of<J>(i, data.u) - data.K.template middleCols<J::nv>(v_index).transpose() * A;
      model.template v_of<J>(i, data.a) = a_i;
      data.A[i] = A + data.tree.template S_of<J>(v_index) * a_i;
    });
  }
  return singular;
}

}  // namespace detail

/// Computes the accelerations under joint forces: (M(q) + diag(data.added)) a + bias_forces(q, v) = tau. M includes the armature;
/// damping, springs and friction are not included.  O(bodies); allocates and throws nothing.  [Featherstone 2008, table 7.1]
/// @param q (nq).  @param v (nv) [rad/s, m/s].  @param tau (nv) joint forces [N m, N].  @returns 0 when data.a is the result; otherwise
/// the first body, from leaf to root, whose joint has a pivot that is not positive because it moves no mass: data.a is then meaningless.
template <Scalar S, class Joints>
[[nodiscard]] BodyIndex aba(const Model<S, Joints>& model, AbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                            const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& tau) noexcept {
  return detail::forward_dynamics<S>(model, data, q, v, tau, nullptr);
}

/// As above, with wrenches on the bodies.
/// @param wrenches one for each body, world included, in its own frame and about its origin [N m, N].
template <Scalar S, class Joints>
[[nodiscard]] BodyIndex aba(const Model<S, Joints>& model, AbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                            const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& tau,
                            const BodyArray<Vector6<S>>& wrenches) noexcept {
  ACTIO_ASSERT(wrenches.size() == model.num_bodies());
  return detail::forward_dynamics<S>(model, data, q, v, tau, &wrenches);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE AbaData<double>::AbaData(const Model<double>&);
ACTIO_INSTANTIATE BodyIndex aba(const Model<double>&, AbaData<double>&, const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE BodyIndex aba(const Model<double>&, AbaData<double>&, const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                const ConstVectorRef<double>&, const BodyArray<Vector6<double>>&) noexcept;
#endif

}  // namespace actio
