// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact Jacobian of the discrete Euler-Lagrange equation as an operator, factored in O(bodies): the articulated-body
// recursion with momentum rates in the place of inertias, so that nothing in it is symmetric.      [vi_math.md, section 7.2]
#include "actio/dynamics/drnea/rates.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// The factorisation J = df/dx, leaf to root.
template <Scalar S>
struct DrneaFactors {
  BodyArray<MomentumRate<S>> A;  ///< articulated momentum rate of each body, in its frame at node k, before its joint is eliminated
  Matrix6X<S> U,                 ///< (6 x nv) U_i = A_i S_end_i
      W;                         ///< (6 x nv) W_i = A_i^T S_i
  MatrixX<S> D_inverse;          ///< (6 x nv; nv_i x nv_i blocks in the upper rows) D_i^-1, D_i = S_i^T U_i + joint terms
  VectorX<S> u;                  ///< (nv) D^-1 of the reduced right-hand side of the last solve
  BodyArray<Vector6<S>> F,       ///< momentum that each subtree passes on, in the last drnea_reduce
      V;                         ///< variation of each body, seen from node k, in the last drnea_expand

  /// All sized for the model and zero, to be filled by drnea_factor and what solves with it.
  template <class Joints>
  explicit DrneaFactors(const Model<S, Joints>& model)
      : A(model.num_bodies(), MomentumRate<S>::zero()),
        U(Matrix6X<S>::Zero(6, model.nv())),
        W(U),
        D_inverse(MatrixX<S>::Zero(6, model.nv())),
        u(VectorX<S>::Zero(model.nv())),
        F(model.num_bodies(), Vector6<S>::Zero()),
        V(model.num_bodies(), Vector6<S>::Zero()) {}

  ///@{
  /// The columns (6 x nv_i) or block (nv_i x nv_i) of a joint, whose size J knows at compile time.
  /// @param v its first entry, model.v_index(i).
  template <HasFreedoms J> auto U_of(Eigen::Index v) { return U.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto U_of(Eigen::Index v) const { return U.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto W_of(Eigen::Index v) { return W.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto W_of(Eigen::Index v) const { return W.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto D_inverse_of(Eigen::Index v) { return D_inverse.template block<J::nv, J::nv>(0, v); }
  template <HasFreedoms J> auto D_inverse_of(Eigen::Index v) const { return D_inverse.template block<J::nv, J::nv>(0, v); }
  ///@}
};

/// Factors J.
/// @param tree at q_k.  @param rates of drnea_rates() there.  @param added (nv) derivative of the joints' own terms by x, where each
/// depends on its own entry alone [N m s/rad, N s/m].
/// @returns the first body, leaf to root, whose joint has a singular pivot, and the factors are meaningless; 0 when there is none.
/// O(bodies); allocates and throws nothing, as all below.
template <Scalar S, class Joints>
BodyIndex drnea_factor(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J,
                       const std::type_identity_t<ConstVectorRef<S>>& added) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.A[i] = rates.K[i];
  BodyIndex singular = 0;
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    MomentumRate<S> A = J.A[i];
    visit_joint(model, i, [&]<JointType Joint>(const Joint&) {
      using Pivot = Eigen::Matrix<S, Joint::nv, Joint::nv>;
      const Eigen::Index v = model.v_index(i);
      const joints::Subspace<Joint> S_begin = tree.template S_of<Joint>(v), S_end = rates.template S_end_of<Joint>(v);
      const joints::Subspace<Joint> U = A * S_end, W = A.transpose_times(S_begin);
      Pivot D = S_begin.transpose() * U;
      if constexpr (joints::is_flat<Joint>()) D.diagonal() += model.template v_of<Joint>(i, added);
      else D += model.template v_of<Joint>(i, added).asDiagonal() * rates.template to_increment_of<Joint>(v);
      Pivot inverse;
      if (!invert<S, Joint::nv>(D, inverse) && singular == 0) singular = i;
      J.template U_of<Joint>(v) = U;
      J.template W_of<Joint>(v) = W;
      J.template D_inverse_of<Joint>(v) = inverse;
      if constexpr (Joint::nv > 0) {
        const joints::Subspace<Joint> K = U * inverse;
        for (int k = 0; k < Joint::nv; ++k) A = A.less_outer(K.col(k), W.col(k));
      }
    });
    if (model.parent(i) > 0) J.A[model.parent(i)] = J.A[model.parent(i)] + A.seen_from_parent(tree.T_PB[i]);
  }
  return singular;
}

/// First half of a solve, leaf to root: reduces f.  @param f (nv).
template <Scalar S, class Joints>
void drnea_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaFactors<S>& J, const std::type_identity_t<ConstVectorRef<S>>& f) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i].setZero();
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = model.template v_of<Joint>(i, f) - detail::transpose_times<S>(tree.template S_of<Joint>(v), J.F[i]);
      const Tangent u = J.template D_inverse_of<Joint>(v) * e;
      model.template v_of<Joint>(i, J.u) = u;
      J.F[i] += J.template U_of<Joint>(v) * u;
    });
    if (model.parent(i) > 0) J.F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(J.F[i]);
  }
}

/// The same for f = S^T (wrenches, accumulated) - rhs without forming it.  @param wrenches (bodies), each in its body's frame.
/// @param rhs (nv).
/// @returns sum |e D^-1 e| over the joints, e what is left of f there: were J symmetric, f^T J^-1 f.
template <Scalar S, class Joints>
S drnea_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaFactors<S>& J, const BodyArray<Vector6<S>>& wrenches,
               const std::type_identity_t<ConstVectorRef<S>>& rhs) noexcept {
  using std::abs;
  S energy(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i] = wrenches[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = detail::transpose_times<S>(tree.template S_of<Joint>(v), J.F[i]) - model.template v_of<Joint>(i, rhs);
      const Tangent u = J.template D_inverse_of<Joint>(v) * e;
      energy += abs(S(e.dot(u)));
      model.template v_of<Joint>(i, J.u) = u;
      J.F[i] -= J.template U_of<Joint>(v) * u;
    });
    if (model.parent(i) > 0) J.F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(J.F[i]);
  }
  return energy;
}

template <bool as_increment, Scalar S, class Joints>
ACTIO_INLINE void drnea_expand(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J, VectorRef<S>& z) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(J.V[model.parent(i)]);  // V[0] stays zero
    visit_joint(model, i, [&]<JointType Joint>(const Joint&) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent passed = detail::transpose_times<S>(J.template W_of<Joint>(v), carried);
      const Tangent zeta = model.template v_of<Joint>(i, J.u) - J.template D_inverse_of<Joint>(v) * passed;
      J.V[i] = carried + rates.template S_end_of<Joint>(v) * zeta;
      if constexpr (!as_increment || joints::is_flat<Joint>()) model.template v_of<Joint>(i, z) = zeta;
      else model.template v_of<Joint>(i, z) = rates.template to_increment_of<Joint>(v) * zeta;
    });
  }
}

/// Second half, root to leaves: z = J^-1 f of the f that was reduced last.  @param z (nv) out.
template <Scalar S, class Joints>
void drnea_expand(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J,
                  std::type_identity_t<VectorRef<S>> z) noexcept {
  detail::drnea_expand<true>(model, tree, rates, J, z);
}
/// The same as the velocity zeta of q_{k+1} at a fixed q_k: z = to_increment zeta. J.V is then the variation of each body, seen from
/// where it was at node k.  @param zeta (nv) out.
template <Scalar S, class Joints>
void drnea_expand_to_end(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J,
                         std::type_identity_t<VectorRef<S>> zeta) noexcept {
  detail::drnea_expand<false>(model, tree, rates, J, zeta);
}

/// z = J^-1 f.  @param f, z (nv), may be the same.
template <Scalar S, class Joints>
void drnea_solve(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J,
                 const std::type_identity_t<ConstVectorRef<S>>& f, std::type_identity_t<VectorRef<S>> z) noexcept {
  drnea_reduce(model, tree, J, f);
  drnea_expand(model, tree, rates, J, z);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE BodyIndex drnea_factor(const Model<double>&, const TreePose<double>&, const DrneaRates<double>&, DrneaFactors<double>&,
                                          const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void drnea_reduce(const Model<double>&, const TreePose<double>&, DrneaFactors<double>&, const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE double drnea_reduce(const Model<double>&, const TreePose<double>&, DrneaFactors<double>&, const BodyArray<Vector6<double>>&,
                                       const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void drnea_expand(const Model<double>&, const TreePose<double>&, const DrneaRates<double>&, DrneaFactors<double>&,
                                     VectorRef<double>) noexcept;
ACTIO_INSTANTIATE void drnea_expand_to_end(const Model<double>&, const TreePose<double>&, const DrneaRates<double>&, DrneaFactors<double>&,
                                            VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
