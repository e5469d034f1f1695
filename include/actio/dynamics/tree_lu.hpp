// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// LU factorisation of a matrix with the sparsity of a tree, in O(bodies): the articulated-body recursion with general 6 x 6 matrices instead
// of inertias and with different joint axes on the left and on the right, so that nothing is symmetric.          [vi_math.md, section 7.2]
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/invert.hpp"
#include "actio/math/momentum_rate.hpp"

namespace actio::detail {

/// A matrix of the tree, body by body, not symmetric: J = sum over bodies J_i^T K_i J_end_i + joint terms, where J_i uses the joints'
/// axes S at the beginning of a step and J_end_i those at its end. Its variations are in the velocities zeta of the joints at the end of
/// the step, expressed in the bodies' frames at node k:
///   theta_i = X_i theta_parent + S_end_i zeta_i,   d mu_i = K_i theta_i,   dx_i = to_increment_i zeta_i.
/// Examples are the Jacobian of DRNEA, and a mass matrix with the stiffness of rows on single bodies, for which S_end = S.
template <Scalar S>
struct TreeMatrix {
  BodyArray<MomentumRate<S>> K;  ///< d mu / d theta of each body, in its frame at node k
  Matrix6X<S> S_end;             ///< (6 x nv) Ad_dT S(q_{k+1}): the joints' axes at the end of the step, in the frames at node k
  MatrixX<S> to_increment;       ///< (6 x nv; nv_i x nv_i blocks in the upper rows) dlog(-x_i); the identity for flat joints

  /// Sizes all members for the model; the blocks of to_increment are identities, as those of flat joints remain.
  template <class Joints>
  explicit TreeMatrix(const Model<S, Joints>& model)
      : K(model.num_bodies(), MomentumRate<S>::zero()),
        S_end(Matrix6X<S>::Zero(6, model.nv())),
        to_increment(MatrixX<S>::Zero(6, model.nv())) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_freedoms(model, i, [&]<HasFreedoms J>(J) { to_increment_of<J>(model.v_index(i)).setIdentity(); });
    }
  }

  ///@{
  /// Return the columns (6 x nv_i) or block (nv_i x nv_i) of a joint, whose size is known from J at compile time.
  /// @param v its first entry, model.v_index(i).
  template <HasFreedoms J> auto S_end_of(Eigen::Index v) { return S_end.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto S_end_of(Eigen::Index v) const { return S_end.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto to_increment_of(Eigen::Index v) { return to_increment.template block<J::nv, J::nv>(0, v); }
  template <HasFreedoms J> auto to_increment_of(Eigen::Index v) const { return to_increment.template block<J::nv, J::nv>(0, v); }
  ///@}
};

/// The factors of a TreeMatrix J, leaf to root.
template <Scalar S>
struct TreeLu {
  BodyArray<MomentumRate<S>> A;  ///< articulated momentum rate of each body, in its frame at node k, before its joint is eliminated;
                                 ///< of batches afterwards
  Matrix6X<S> U,                 ///< (6 x nv) U_i = A_i S_end_i
      W;                         ///< (6 x nv) W_i = A_i^T S_i
  MatrixX<S> D_inverse;          ///< (6 x nv; nv_i x nv_i blocks in the upper rows) D_i^-1, D_i = S_i^T U_i + joint terms
  VectorX<S> u;                  ///< (nv) D^-1 of the reduced right-hand side of the last solve
  BodyArray<Vector6<S>> F,       ///< momentum of each subtree, in the body's frame, before its joint is eliminated, in the last tree_lu_reduce
      V;                         ///< variation of each body, in its frame at node k, in the last tree_lu_expand

  /// Sizes all members for the model and sets them to zero; tree_lu_factor() and the solves fill them.
  template <class Joints>
  explicit TreeLu(const Model<S, Joints>& model)
      : A(model.num_bodies(), MomentumRate<S>::zero()),
        U(Matrix6X<S>::Zero(6, model.nv())),
        W(U),
        D_inverse(MatrixX<S>::Zero(6, model.nv())),
        u(VectorX<S>::Zero(model.nv())),
        F(model.num_bodies(), Vector6<S>::Zero()),
        V(model.num_bodies(), Vector6<S>::Zero()) {}

  ///@{
  /// Return the columns (6 x nv_i) or block (nv_i x nv_i) of a joint, whose size is known from J at compile time.
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
/// @param tree at q_k.  @param rates the matrix, of drnea_rates() or another.  @param added (nv) derivative of the joint terms by x, each
/// of which depends on one entry only [N m s/rad, N s/m].
/// @returns 0, or the first body, from leaf to root, whose joint has a singular pivot; the factors are then meaningless.
/// O(bodies); allocates and throws nothing, as all below.
template <Scalar S, class Joints>
BodyIndex tree_lu_factor(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                       const std::type_identity_t<ConstVectorRef<S>>& added) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.A[i] = rates.K[i];
  BodyIndex singular = 0;
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    std::conditional_t<has_lanes<S>, MomentumRate<S>&, MomentumRate<S>> A = J.A[i];  // of batches, eliminated in place
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
        for (int k = 0; k < Joint::nv; ++k) {
          if constexpr (has_lanes<S>) A.subtract_outer(K.col(k), W.col(k));
          else A = A.less_outer(K.col(k), W.col(k));
        }
      }
    });
    if (model.parent(i) == 0) continue;
    if constexpr (has_lanes<S>) A.add_to_parent(tree.T_PB[i], J.A[model.parent(i)]);
    else J.A[model.parent(i)] = J.A[model.parent(i)] + A.seen_from_parent(tree.T_PB[i]);
  }
  return singular;
}

/// Reduces f, the first half of a solve, from leaf to root.  @param f (nv).
template <Scalar S, class Joints>
void tree_lu_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, TreeLu<S>& J,
                    const std::type_identity_t<ConstVectorRef<S>>& f) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i].setZero();
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    Vector6<S> F = J.F[i];
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = model.template v_of<Joint>(i, f) - detail::transpose_times<S>(tree.template S_of<Joint>(v), F);
      const Tangent u = J.template D_inverse_of<Joint>(v) * e;
      model.template v_of<Joint>(i, J.u) = u;
      F = detail::plus_times<S>(F, J.template U_of<Joint>(v), u);
    });
    if (model.parent(i) > 0) detail::add<S>(J.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F));
  }
}

/// As above for f = S^T (wrenches, accumulated) - rhs, which is not formed.  @param wrenches (bodies), each in its body's frame.
/// @param rhs (nv).
/// @returns the sum of |e D^-1 e| over the joints, e the reduced f there: f^T J^-1 f if J is symmetric positive definite.
template <Scalar S, class Joints>
S tree_lu_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, TreeLu<S>& J, const BodyArray<Vector6<S>>& wrenches,
               const std::type_identity_t<ConstVectorRef<S>>& rhs) noexcept {
  using std::abs;
  S energy(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i] = wrenches[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    Vector6<S> F = J.F[i];
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = detail::transpose_times<S>(tree.template S_of<Joint>(v), F) - model.template v_of<Joint>(i, rhs);
      const Tangent u = J.template D_inverse_of<Joint>(v) * e;
      energy += abs(S(e.dot(u)));
      model.template v_of<Joint>(i, J.u) = u;
      F = detail::plus_times<S>(F, J.template U_of<Joint>(v), Tangent(-u));
    });
    if (model.parent(i) > 0) detail::add<S>(J.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F));
  }
  return energy;
}

template <bool as_increment, Scalar S, class Joints>
ACTIO_INLINE void tree_lu_expand(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                                 VectorRef<S>& z) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(J.V[model.parent(i)]);  // V[0] stays zero
    visit_joint(model, i, [&]<JointType Joint>(const Joint&) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent passed = detail::transpose_times<S>(J.template W_of<Joint>(v), carried);
      const Tangent zeta = model.template v_of<Joint>(i, J.u) - J.template D_inverse_of<Joint>(v) * passed;
      detail::store<S>(J.V[i], detail::plus_times<S>(carried, rates.template S_end_of<Joint>(v), zeta));
      if constexpr (!as_increment || joints::is_flat<Joint>()) model.template v_of<Joint>(i, z) = zeta;
      else model.template v_of<Joint>(i, z) = rates.template to_increment_of<Joint>(v) * zeta;
    });
  }
}

/// Computes z = J^-1 f for the f that was reduced last: the second half of a solve, from root to leaves.  @param z (nv) result.
template <Scalar S, class Joints>
void tree_lu_expand(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                  std::type_identity_t<VectorRef<S>> z) noexcept {
  detail::tree_lu_expand<true>(model, tree, rates, J, z);
}
/// As above, but computes the velocity zeta of q_{k+1} at a fixed q_k, for which z = to_increment zeta. J.V is then the variation of each
/// body, in its frame at node k.  @param zeta (nv) result.
template <Scalar S, class Joints>
void tree_lu_expand_to_end(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                         std::type_identity_t<VectorRef<S>> zeta) noexcept {
  detail::tree_lu_expand<false>(model, tree, rates, J, zeta);
}

/// Computes z = J^-1 f.  @param f, z (nv), may be the same.
template <Scalar S, class Joints>
void tree_lu_solve(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                 const std::type_identity_t<ConstVectorRef<S>>& f, std::type_identity_t<VectorRef<S>> z) noexcept {
  tree_lu_reduce(model, tree, J, f);
  tree_lu_expand(model, tree, rates, J, z);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE TreeMatrix<double>::TreeMatrix(const Model<double>&);
ACTIO_INSTANTIATE TreeLu<double>::TreeLu(const Model<double>&);
ACTIO_INSTANTIATE BodyIndex tree_lu_factor(const Model<double>&, const TreePose<double>&, const TreeMatrix<double>&, TreeLu<double>&,
                                          const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void tree_lu_reduce(const Model<double>&, const TreePose<double>&, TreeLu<double>&,
                                      const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE double tree_lu_reduce(const Model<double>&, const TreePose<double>&, TreeLu<double>&, const BodyArray<Vector6<double>>&,
                                       const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void tree_lu_expand(const Model<double>&, const TreePose<double>&, const TreeMatrix<double>&, TreeLu<double>&,
                                     VectorRef<double>) noexcept;
ACTIO_INSTANTIATE void tree_lu_expand_to_end(const Model<double>&, const TreePose<double>&, const TreeMatrix<double>&, TreeLu<double>&,
                                            VectorRef<double>) noexcept;
#endif

/// Reduces f = S_end^T (wrenches, accumulated) - rhs, the first half of a solve with the transposed Jacobian in the velocities zeta, from
/// leaf to root. The recursion is the same with S and S_end, and U and W, exchanged.
///                                                                                    [vi_math.md, section 7.2, transposed]
/// @param wrenches (bodies), each in its body's frame at node k.  @param rhs (nv).  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
void tree_lu_reduce_transposed(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, TreeLu<S>& J,
                             const BodyArray<Vector6<S>>& wrenches, const std::type_identity_t<ConstVectorRef<S>>& rhs) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i] = wrenches[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    Vector6<S> F = J.F[i];
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = detail::transpose_times<S>(rates.template S_end_of<Joint>(v), F) - model.template v_of<Joint>(i, rhs);
      const Tangent u = J.template D_inverse_of<Joint>(v).transpose() * e;
      model.template v_of<Joint>(i, J.u) = u;
      F = detail::plus_times<S>(F, J.template W_of<Joint>(v), Tangent(-u));
    });
    if (model.parent(i) > 0) detail::add<S>(J.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F));
  }
}

/// Computes y = J^-T f for the f that was reduced last, from root to leaves; J.V_i = X_i V_parent + S_i y_i.  @param y (nv) result.
template <Scalar S, class Joints>
void tree_lu_expand_transposed(const Model<S, Joints>& model, const TreePose<S>& tree, TreeLu<S>& J,
                             std::type_identity_t<VectorRef<S>> y) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(J.V[model.parent(i)]);
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent passed = detail::transpose_times<S>(J.template U_of<Joint>(v), carried);
      const Tangent y_i = model.template v_of<Joint>(i, J.u) - J.template D_inverse_of<Joint>(v).transpose() * passed;
      detail::store<S>(J.V[i], detail::plus_times<S>(carried, tree.template S_of<Joint>(v), y_i));
      model.template v_of<Joint>(i, y) = y_i;
    });
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void tree_lu_reduce_transposed(const Model<double>&, const TreePose<double>&, const TreeMatrix<double>&, TreeLu<double>&,
                                               const BodyArray<Vector6<double>>&, const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void tree_lu_expand_transposed(const Model<double>&, const TreePose<double>&, TreeLu<double>&,
                                                 VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
