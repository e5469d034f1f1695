// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forward dynamics by the articulated-body algorithm, in one go. To solve with M many times at one q, see abi.hpp.
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Filled by aba.
template <Scalar S>
struct AbaData {
  TreePose<S> tree;                      ///< at the last q
  BodyArray<Vector6<S>> V;               ///< twist, in the body's frame                              by the outward sweep
  BodyArray<Vector6<S>> c;               ///< velocity product: d/dt of V less its share of a_i       by the outward sweep
  BodyArray<SymmetricInertia<S>> G_art;  ///< articulated inertia                                     by the inward sweep
  BodyArray<Vector6<S>> F_art;           ///< articulated bias wrench                                 by the inward sweep
  Matrix6X<S> U;                         ///< (6 x nv) G_art S                                        by the inward sweep
  Matrix6X<S> D_inverse;                 ///< (nv_i x nv_i blocks in the upper rows) (S^T U + armature)^-1
  VectorX<S> u;                          ///< (nv) tau - S^T F_art                                    by the inward sweep
  BodyArray<Vector6<S>> A;               ///< d/dt of V less gravity; A[0] = (0, -gravity)            by the last sweep
  VectorX<S> added;                      ///< (nv) >= 0, added to the diagonal of M, for what acts implicitly along the joints; zero at first
  VectorX<S> a;                          ///< (nv) the result                                         by the last sweep

  template <class Joints>
  explicit AbaData(const Model<S, Joints>& model)
      : tree(model),
        V(model.num_bodies(), Vector6<S>::Constant(not_yet())),
        c(V),
        G_art(model.num_bodies(), {Matrix3<S>::Constant(not_yet()), Matrix3<S>::Constant(not_yet()), Matrix3<S>::Constant(not_yet())}),
        F_art(V),
        U(Matrix6X<S>::Constant(6, model.nv(), not_yet())),
        D_inverse(U),
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
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      place_body(model, data.tree, i, joint);
      const typename J::Tangent v_i = model.template v_of<J>(i, v);
      const Vector6<S> relative = data.tree.template S_of<J>(model.v_index(i)) * v_i;
      const Vector6<S> V = data.tree.T_PB[i].twist_to_child(data.V[model.parent(i)]) + relative;
      Vector6<S> c = bracket<S>(V, relative);
      if constexpr (!joints::has_constant_subspace<J>()) c += joints::bias<J>(joint, model.template q_of<J>(i, data.tree.q), v_i);
      data.V[i] = V;
      data.c[i] = c;
      data.F_art[i] = model.inertia(i).bias(V);
      if (wrenches) data.F_art[i] -= (*wrenches)[i];
      data.G_art[i] = SymmetricInertia<S>::of(model.inertia(i));
    });
  }
  BodyIndex singular = 0;
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    visit_joint(model, i, [&]<JointType J>(const J&) {
      using Pivot = Eigen::Matrix<S, J::nv, J::nv>;
      const Eigen::Index v_index = model.v_index(i);
      const joints::Subspace<J> S_i = data.tree.template S_of<J>(v_index);
      const joints::Subspace<J> U = data.G_art[i] * S_i;
      Pivot D = S_i.transpose() * U;
      for (int k = 0; k < J::nv; ++k) D(k, k) += model.properties().armature[v_index + k] + data.added[v_index + k];
      Pivot D_inverse;
      if (!invert_pivot(D, D_inverse) && singular == 0) singular = i;
      const typename J::Tangent u = model.template v_of<J>(i, tau) - S_i.transpose() * data.F_art[i];
      data.U.template middleCols<J::nv>(v_index) = U;
      data.D_inverse.template block<J::nv, J::nv>(0, v_index) = D_inverse;
      model.template v_of<J>(i, data.u) = u;
      if (model.parent(i) > 0) {
        SymmetricInertia<S> G = data.G_art[i];
        G.subtract(U, D_inverse);
        const Vector6<S> F = data.F_art[i] + G * data.c[i] + U * (D_inverse * u);
        data.G_art[model.parent(i)] += G.seen_from_parent(data.tree.T_PB[i]);
        data.F_art[model.parent(i)] += data.tree.T_PB[i].wrench_to_parent(F);
      }
    });
  }
  data.A[0] = spatial<S>(Vector3<S>::Zero(), -model.gravity());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      const Eigen::Index v_index = model.v_index(i);
      const Vector6<S> A = data.tree.T_PB[i].twist_to_child(data.A[model.parent(i)]) + data.c[i];
      const typename J::Tangent u = model.template v_of<J>(i, data.u) - data.U.template middleCols<J::nv>(v_index).transpose() * A;
      const typename J::Tangent a_i = data.D_inverse.template block<J::nv, J::nv>(0, v_index) * u;
      model.template v_of<J>(i, data.a) = a_i;
      data.A[i] = A + data.tree.template S_of<J>(v_index) * a_i;
    });
  }
  return singular;
}

}  // namespace detail

/// Accelerations under joint forces: (M(q) + diag(data.added)) a + bias_forces(q, v) = tau. M includes the armature;
/// damping, springs and friction are not in it.  O(bodies); allocates and throws nothing.  [Featherstone 2008, table 7.1]
/// @param tau (nv) joint forces [N m, N].  @returns 0 when data.a holds the result; else the first body, leaf to root, whose
/// joint has a pivot that is not positive, as it moves no mass: data.a is then meaningless.
template <Scalar S, class Joints>
[[nodiscard]] BodyIndex aba(const Model<S, Joints>& model, AbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                            const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& tau) noexcept {
  return detail::forward_dynamics<S>(model, data, q, v, tau, nullptr);
}

/// The same while wrenches push the bodies.
/// @param wrenches one for each body, world included, in its own frame and about its origin [N m, N].
template <Scalar S, class Joints>
[[nodiscard]] BodyIndex aba(const Model<S, Joints>& model, AbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                            const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& tau,
                            const BodyArray<Vector6<S>>& wrenches) noexcept {
  ACTIO_ASSERT(wrenches.size() == model.num_bodies());
  return detail::forward_dynamics<S>(model, data, q, v, tau, &wrenches);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE BodyIndex aba(const Model<double>&, AbaData<double>&, const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                 const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE BodyIndex aba(const Model<double>&, AbaData<double>&, const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                 const ConstVectorRef<double>&, const BodyArray<Vector6<double>>&) noexcept;
#endif

}  // namespace actio
