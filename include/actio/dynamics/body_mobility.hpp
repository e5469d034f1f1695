// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mobility of each body of a tree: the inverse of its operational-space inertia.
#include "actio/dynamics/abi.hpp"

namespace actio::detail {

/// Computes the mobility Omega_i = J_i M^-1 J_i^T of every body, root to leaves, from the factors of M: the inverse of its
/// operational-space inertia, in its own frame. M includes what abi_factor() added.
///                                                       [Kreutz-Delgado, Jain and Rodriguez 1992; Featherstone 2008, sec. 10.6]
/// @param abi factored at the pose of `tree`.  @param mobility (bodies) result: twists [rad/s, m/s] that unit impulses [N m s, N s]
/// cause; zero for the world.  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
void body_mobilities(const Model<S, Joints>& model, const TreePose<S>& tree, const AbiData<S>& abi,
                     BodyArray<Matrix6<S>>& mobility) noexcept {
  mobility[0].setZero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.parent(i);
    Matrix6<S> carried = Matrix6<S>::Zero();  // X Omega_parent X^T
    if (parent > 0) {
      Matrix6<S> half;
      for (int c = 0; c < 6; ++c) half.col(c) = tree.T_PB[i].twist_to_child(Vector6<S>(mobility[parent].col(c)));
      for (int r = 0; r < 6; ++r) carried.col(r) = tree.T_PB[i].twist_to_child(Vector6<S>(half.row(r).transpose()));
      // Below, rounding errors that are not symmetric would be multiplied from body to body.
      for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < r; ++c) carried(r, c) = carried(c, r) = (carried(r, c) + carried(c, r)) / S(2);
      }
    }
    visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
      const Eigen::Index v = model.v_index(i);
      if constexpr (J::nv == 0) {
        mobility[i] = carried;
      } else {
        const joints::Subspace<J> S_i = tree.template S_of<J>(v), U = abi.template U_of<J>(v);
        const joints::Subspace<J> S_D = S_i * abi.template D_inverse_of<J>(v);  // S D^-1
        if (parent == 0) {
          mobility[i].noalias() = S_D * S_i.transpose();
          return;
        }
        const joints::Subspace<J> swept = carried * U;                          // (1 - S D^-1 U^T) carried (1 - U D^-1 S^T) + S D^-1 S^T
        const Eigen::Matrix<S, J::nv, J::nv> core = U.transpose() * swept;
        mobility[i] = carried - S_D * swept.transpose() - swept * S_D.transpose() + S_D * core * S_D.transpose() + S_D * S_i.transpose();
      }
    });
  }
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
ACTIO_INSTANTIATE void body_mobilities(const Model<double>&, const TreePose<double>&, const AbiData<double>&,
                                       BodyArray<Matrix6<double>>&) noexcept;
#endif

}  // namespace actio::detail
