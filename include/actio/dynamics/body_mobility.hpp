// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mobility of each body of a tree: the inverse of its operational-space inertia.
#include "actio/dynamics/abi.hpp"

namespace actio::detail {

///@{
/// Swap the angular and the linear part. With the linear part first, a mobility is seen from another frame as an inertia is, and an impulse
/// is what a twist is there.
template <Scalar S, int n>
ACTIO_INLINE Eigen::Matrix<S, 6, n> linear_first(const Eigen::Matrix<S, 6, n>& X) {
  Eigen::Matrix<S, 6, n> Y;
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < 6; ++r) Y(r, c) = X((r + 3) % 6, c);
  }
  return Y;
}
template <Scalar S>
ACTIO_INLINE SymmetricInertia<S> linear_first(const Matrix6<S>& mobility) {
  SymmetricInertia<S> A;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) A.set(r, c, mobility(3 + r, 3 + c), mobility(3 + r, c), mobility(r, c));
  }
  return A;
}
template <Scalar S>
ACTIO_INLINE void angular_first(const SymmetricInertia<S>& A, Matrix6<S>& mobility) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) mobility(3 + r, c) = mobility(c, 3 + r) = A.H(r, c);
    for (int r = 0; r <= c; ++r) {
      mobility(3 + r, 3 + c) = mobility(3 + c, 3 + r) = A.I(r, c);
      mobility(r, c) = mobility(c, r) = A.M(r, c);
    }
  }
}
///@}

/// Computes the mobility Omega_i = J_i M^-1 J_i^T of a body from that of its parent and the factors of M: the inverse of its
/// operational-space inertia, in its own frame. M includes what abi_factor() added.
///   Omega = (1 - S D^-1 U^T) X Omega_parent X^T (1 - U D^-1 S^T) + S D^-1 S^T
///                                                       [Kreutz-Delgado, Jain and Rodriguez 1992; Featherstone 2008, sec. 10.6]
/// @param abi factored at the pose of `tree`.  @param i > 0.  @param mobility (bodies) in and out: twists [rad/s, m/s] that unit impulses
/// [N m s, N s] cause; zero for the world.  Allocates and throws nothing.
template <Scalar S, class Joints>
void body_mobility(const Model<S, Joints>& model, const TreePose<S>& tree, const AbiData<S>& abi, BodyIndex i,
                   BodyArray<Matrix6<S>>& mobility) noexcept {
  const BodyIndex parent = model.parent(i);
  SymmetricInertia<S> Omega = SymmetricInertia<S>::zero();
  if (parent > 0) Omega = linear_first(mobility[parent]).seen_from_parent(tree.T_PB[i].inverse());
  visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
    if constexpr (J::nv > 0) {
      const Eigen::Index v = model.v_index(i);
      const joints::Subspace<J> S_i = linear_first<S, J::nv>(tree.template S_of<J>(v));
      const joints::Subspace<J> S_D = S_i * abi.template D_inverse_of<J>(v);
      joints::Subspace<J> half = S_i / S(-2);  // Omega changes by -(S_D half^T + half S_D^T)
      if (parent > 0) {
        const joints::Subspace<J> U = linear_first<S, J::nv>(abi.template U_of<J>(v)), swept = Omega * U;
        const Eigen::Matrix<S, J::nv, J::nv> core = U.transpose() * swept;
        half += swept - S_D * (core / S(2));
      }
      for (int k = 0; k < J::nv; ++k) {
        Omega.subtract(S_D.col(k), half.col(k));
        Omega.subtract(half.col(k), S_D.col(k));
      }
    }
  });
  angular_first(Omega, mobility[i]);
}

/// Computes those of all bodies, root to leaves: O(bodies).  @param mobility (bodies) result.
template <Scalar S, class Joints>
void body_mobilities(const Model<S, Joints>& model, const TreePose<S>& tree, const AbiData<S>& abi,
                     BodyArray<Matrix6<S>>& mobility) noexcept {
  mobility[0].setZero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) body_mobility(model, tree, abi, i, mobility);
}

/// Returns (M^-1)_vv of an entry of joint i, from the arguments and the result of body_mobilities().  @param entry 0 ... nv_i - 1.
template <Scalar S, class Joints>
S joint_mobility(const Model<S, Joints>& model, const TreePose<S>& tree, const AbiData<S>& abi, const BodyArray<Matrix6<S>>& mobility,
                 BodyIndex i, Eigen::Index entry) noexcept {
  const BodyIndex parent = model.parent(i);
  const Eigen::Index first = model.v_index(i), v = first + entry;
  Vector6<S> passed = Vector6<S>::Zero();  // wrench that a unit force passes to the parent
  for (Eigen::Index k = 0; k < model.nv(i); ++k) passed += abi.D_inverse(k, v) * abi.U.col(first + k);
  passed = tree.T_PB[i].wrench_to_parent(passed);
  return abi.D_inverse(entry, v) + passed.dot(mobility[parent] * passed);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void body_mobility(const Model<double>&, const TreePose<double>&, const AbiData<double>&, BodyIndex,
                                     BodyArray<Matrix6<double>>&) noexcept;
#endif

}  // namespace actio::detail
