// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// M(q)^-1 as an operator: the articulated-body inertias are factored once and solved with as often as wanted.
#include <Eigen/Cholesky>

#include <array>

#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/symmetric_inertia.hpp"

namespace actio {

/// The factorisation M = sum of articulated pivots, leaf to root.                    [Featherstone 2008, (7.36)-(7.44)]
template <Scalar S>
struct AbiData {
  BodyArray<SymmetricInertia<S>> A;  ///< articulated inertia of each body, in its frame, before its joint is eliminated
  Matrix6X<S> U;                     ///< (6 x nv) U_i = A_i S_i
  Matrix6X<S> D_inverse;             ///< (nv_i x nv_i blocks in the upper rows) D_i^-1, D_i = S_i^T U_i + diagonal
  VectorX<S> u;                      ///< (nv) innovations of the last solve
  BodyArray<Vector6<S>> F, V;        ///< sweep variables of the last solve

  template <class Joints>
  explicit AbiData(const Model<S, Joints>& model)
      : A(model.num_bodies(), SymmetricInertia<S>::zero()),
        U(Matrix6X<S>::Zero(6, model.nv())),
        D_inverse(Matrix6X<S>::Zero(6, model.nv())),
        u(VectorX<S>::Zero(model.nv())),
        F(model.num_bodies(), Vector6<S>::Zero()),
        V(model.num_bodies(), Vector6<S>::Zero()) {}

  template <JointType J> auto U_of(Eigen::Index v) { return U.template middleCols<J::nv>(v); }
  template <JointType J> auto U_of(Eigen::Index v) const { return U.template middleCols<J::nv>(v); }
  template <JointType J> auto D_inverse_of(Eigen::Index v) { return D_inverse.template block<J::nv, J::nv>(0, v); }
  template <JointType J> auto D_inverse_of(Eigen::Index v) const { return D_inverse.template block<J::nv, J::nv>(0, v); }
};

namespace detail {

/// Inverse of a symmetric positive definite pivot; false when it is not.
template <Scalar S, int n>
bool invert_pivot(const Eigen::Matrix<S, n, n>& D, Eigen::Matrix<S, n, n>& inverse) noexcept {
  if constexpr (n == 0) {
    return true;
  } else if constexpr (n == 1) {
    inverse(0, 0) = S(1) / D(0, 0);
    return all(D(0, 0) > S(0)) && all(is_finite(inverse(0, 0)));
  } else {
    const Eigen::LLT<Eigen::Matrix<S, n, n>> factor(D);
    if (factor.info() != Eigen::Success) return false;
    inverse = factor.solve(Eigen::Matrix<S, n, n>::Identity());
    return is_finite(S(inverse.sum()));
  }
}

}  // namespace detail

/// Factors M(q) + diag(added).  M includes the armature.
/// @param tree at q.  @param added (nv) >= 0, for what acts implicitly along the joints.
/// @returns the first body, leaf to root, whose joint has a pivot that is not positive; 0 when there is none.  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
BodyIndex abi_factor(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi,
                     const std::type_identity_t<ConstVectorRef<S>>& added) noexcept {
  BodyIndex singular = 0;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) abi.A[i] = SymmetricInertia<S>::of(model.inertia(i));
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    visit_joint(model, i, [&]<JointType J>(const J&) {
      using Pivot = Eigen::Matrix<S, J::nv, J::nv>;
      using Block = Eigen::Matrix<S, 6, J::nv>;
      const Eigen::Index v = model.v_index(i);
      const Block S_i = tree.template S_of<J>(v);
      const Block U = abi.A[i] * S_i;
      Pivot D;
      D.noalias() = S_i.transpose() * U;
      for (int k = 0; k < J::nv; ++k) D(k, k) += model.properties().armature[v + k] + added[v + k];
      Pivot inverse;
      if (!detail::invert_pivot(D, inverse) && singular == 0) singular = i;  // those below it are sound
      abi.template U_of<J>(v) = U;
      abi.template D_inverse_of<J>(v) = inverse;
      if (model.parent(i) > 0) {
        SymmetricInertia<S> A = abi.A[i];
        A.subtract(U, inverse);
        abi.A[model.parent(i)] += A.seen_from_parent(tree.T_PB[i]);
      }
    });
  }
  return singular;
}

/// First half of a solve, leaf to root: reduces f.  @param f (nv).
/// @returns f^T M^-1 f, for the matrix that was factored.  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
S abi_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, const std::type_identity_t<ConstVectorRef<S>>& f) noexcept {
  S energy(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) abi.F[i].setZero();
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      using Tangent = Eigen::Matrix<S, J::nv, 1>;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = model.template v_of<J>(i, f) - tree.template S_of<J>(v).transpose() * abi.F[i];
      const Tangent u = abi.template D_inverse_of<J>(v) * e;
      energy += e.dot(u);
      model.template v_of<J>(i, abi.u) = u;
      if (model.parent(i) > 0) {
        const Vector6<S> F = abi.F[i] + abi.template U_of<J>(v) * u;
        abi.F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(F);
      }
    });
  }
  return energy;
}

/// Second half, root to leaves: z = M^-1 f of the f that was reduced last.  @param z (nv) out.
template <Scalar S, class Joints>
void abi_expand(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, std::type_identity_t<VectorRef<S>> z) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      using Tangent = Eigen::Matrix<S, J::nv, 1>;
      const Eigen::Index v = model.v_index(i);
      Tangent z_i = model.template v_of<J>(i, abi.u);
      Vector6<S> V = Vector6<S>::Zero();
      if (model.parent(i) > 0) {
        V = tree.T_PB[i].twist_to_child(abi.V[model.parent(i)]);
        const Tangent carried = abi.template U_of<J>(v).transpose() * V;
        z_i -= abi.template D_inverse_of<J>(v) * carried;
      }
      abi.V[i] = V + tree.template S_of<J>(v) * z_i;
      model.template v_of<J>(i, z) = z_i;
    });
  }
}

/// Solves M z = f with the factors at hand.  @param f, z (nv), may be the same.  @returns f^T M^-1 f.
template <Scalar S, class Joints>
S abi_solve(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, const std::type_identity_t<ConstVectorRef<S>>& f,
            std::type_identity_t<VectorRef<S>> z) noexcept {
  const S energy = abi_reduce(model, tree, abi, f);
  abi_expand(model, tree, abi, z);
  return energy;
}

}  // namespace actio
