// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// M(q)^-1 as an operator: the articulated-body inertias are factored once, for any number of solves.
#include <cmath>
#include <limits>

#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/symmetric_inertia.hpp"

namespace actio {

/// The factorisation of M by articulated pivots, leaf to root.                       [Featherstone 2008, (7.36)-(7.44)]
template <Scalar S>
struct AbiData {
  BodyArray<detail::SymmetricInertia<S>> A;  ///< articulated inertia of each body, in its frame, before its joint is eliminated
  Matrix6X<S> U;                     ///< (6 x nv) U_i = A_i S_i
  Matrix6X<S> D_inverse;             ///< (nv_i x nv_i blocks in the upper rows) D_i^-1, D_i = S_i^T U_i + diagonal
  VectorX<S> u;                      ///< (nv) innovations of the last solve
  BodyArray<Vector6<S>> F,           ///< wrench on each subtree, in the body's frame, before its joint is eliminated, in the last abi_reduce
      V;                             ///< motion of each body, in its frame, in the last abi_expand

  /// Sizes all members for the model and sets them to zero; abi_factor() and the solves fill them.
  template <class Joints>
  explicit AbiData(const Model<S, Joints>& model)
      : A(model.num_bodies(), detail::SymmetricInertia<S>::zero()),
        U(Matrix6X<S>::Zero(6, model.nv())),
        D_inverse(Matrix6X<S>::Zero(6, model.nv())),
        u(VectorX<S>::Zero(model.nv())),
        F(model.num_bodies(), Vector6<S>::Zero()),
        V(model.num_bodies(), Vector6<S>::Zero()) {}

  ///@{
  /// Return the columns (6 x nv_i) or block (nv_i x nv_i) of a joint, whose size is known from J at compile time.
  /// @param v its first entry, model.v_index(i).
  template <detail::HasFreedoms J> auto U_of(Eigen::Index v) { return U.template middleCols<J::nv>(v); }
  template <detail::HasFreedoms J> auto U_of(Eigen::Index v) const { return U.template middleCols<J::nv>(v); }
  template <detail::HasFreedoms J> auto D_inverse_of(Eigen::Index v) { return D_inverse.template block<J::nv, J::nv>(0, v); }
  template <detail::HasFreedoms J> auto D_inverse_of(Eigen::Index v) const { return D_inverse.template block<J::nv, J::nv>(0, v); }
  ///@}
};

namespace detail {

/// Inverts a symmetric positive definite pivot by its Cholesky factor.  @returns false when it is not positive definite. In a batch, lanes
/// in which it is not are NaN, and the others are inverted.
/// Written out because Eigen's general inverse takes as long to compile as everything else in this file.
template <Scalar S, int n>
bool invert_pivot(const Eigen::Matrix<S, n, n>& D, Eigen::Matrix<S, n, n>& inverse) noexcept {
  using std::sqrt;
  if constexpr (n == 1) {
    inverse(0, 0) = S(1) / D(0, 0);
    if constexpr (has_lanes<S>) inverse(0, 0) = select(D(0, 0) > S(0), inverse(0, 0), S(std::numeric_limits<ValueOf<S>>::quiet_NaN()));
    return all(D(0, 0) > S(0)) && all(is_finite(inverse(0, 0)));
  } else if constexpr (n > 1) {
    Eigen::Matrix<S, n, n> L_inverse = Eigen::Matrix<S, n, n>::Zero();  // of D = L L^T, row by row
    Eigen::Matrix<S, n, n> L;
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c <= r; ++c) {
        S sum = D(r, c);
        for (int k = 0; k < c; ++k) sum -= L(r, k) * L(c, k);
        if (c < r) {
          L(r, c) = sum * L_inverse(c, c);
        } else {
          if constexpr (!has_lanes<S>) {  // in a batch, the other lanes go on, and this one ends as NaN
            if (!all(sum > S(0))) return false;
          }
          L_inverse(r, r) = S(1) / sqrt(sum);
        }
      }
      for (int c = 0; c < r; ++c) {
        S sum(0);
        for (int k = c; k < r; ++k) sum -= L(r, k) * L_inverse(k, c);
        L_inverse(r, c) = sum * L_inverse(r, r);
      }
    }
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r <= c; ++r) {
        S sum(0);
        for (int k = c; k < n; ++k) sum += L_inverse(k, r) * L_inverse(k, c);
        inverse(r, c) = inverse(c, r) = sum;
      }
    }
    return all(is_finite(S(inverse.sum())));
  } else {
    return true;
  }
}

}  // namespace detail

/// Factors M(q) + diag(added).  M includes the armature.
/// @param tree at q.  @param added (nv) >= 0, for implicit terms along the joints [kg m^2, kg].
/// @returns 0, or the first body, from leaf to root, whose joint has a pivot that is not positive; the factors are then meaningless.
/// O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
BodyIndex abi_factor(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi,
                     const std::type_identity_t<ConstVectorRef<S>>& added) noexcept {
  BodyIndex singular = 0;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) abi.A[i] = detail::SymmetricInertia<S>::of(model.inertia(i));
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    Matrix6<S> K;  // U D^-1
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      using Pivot = Eigen::Matrix<S, J::nv, J::nv>;
      const Eigen::Index v = model.v_index(i);
      const joints::Subspace<J> S_i = tree.template S_of<J>(v);
      const joints::Subspace<J> U = abi.A[i] * S_i;
      Pivot D = S_i.transpose() * U;
      for (int k = 0; k < J::nv; ++k) D(k, k) += model.properties().armature[v + k] + added[v + k];
      Pivot inverse;
      if (!detail::invert_pivot(D, inverse) && singular == 0) singular = i;
      abi.template U_of<J>(v) = U;
      abi.template D_inverse_of<J>(v) = inverse;
      K.template leftCols<J::nv>() = U * inverse;
    });
    if (model.parent(i) == 0) continue;
    detail::SymmetricInertia<S> A = abi.A[i].copy();
    for (Eigen::Index k = 0; k < model.nv(i); ++k) A.subtract(K.col(k), abi.U.col(model.v_index(i) + k));
    abi.A[model.parent(i)] += A.seen_from_parent(tree.T_PB[i]);
  }
  return singular;
}

/// Reduces f, the first half of a solve, from leaf to root.  @param f (nv).  @pre abi was factored at the pose of `tree`, as below.
/// @returns f^T M^-1 f, for the matrix that was factored.  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
S abi_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi,
             const std::type_identity_t<ConstVectorRef<S>>& f) noexcept {
  S energy(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) abi.F[i].setZero();
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    Vector6<S> F = abi.F[i];
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      using Tangent = Eigen::Matrix<S, J::nv, 1>;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = model.template v_of<J>(i, f) - detail::transpose_times<S>(tree.template S_of<J>(v), F);
      const Tangent u = abi.template D_inverse_of<J>(v) * e;
      energy += e.dot(u);
      model.template v_of<J>(i, abi.u) = u;
      F = detail::plus_times<S>(F, abi.template U_of<J>(v), u);
    });
    if (model.parent(i) > 0) detail::add<S>(abi.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F));
  }
  return energy;
}

/// As above for f = S^T (sum of the subtrees' wrenches) - rhs, which is not formed: one sweep instead of two.
/// @param wrenches (bodies) on each body, in its frame.  @param rhs (nv).  @returns f^T M^-1 f.
template <Scalar S, class Joints>
S abi_reduce(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, const BodyArray<Vector6<S>>& wrenches,
             const std::type_identity_t<ConstVectorRef<S>>& rhs) noexcept {
  S energy(0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) abi.F[i] = wrenches[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    Vector6<S> F = abi.F[i];
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      using Tangent = Eigen::Matrix<S, J::nv, 1>;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = detail::transpose_times<S>(tree.template S_of<J>(v), F) - model.template v_of<J>(i, rhs);
      const Tangent u = abi.template D_inverse_of<J>(v) * e;
      energy += e.dot(u);
      model.template v_of<J>(i, abi.u) = u;
      F = detail::plus_times<S>(F, abi.template U_of<J>(v), Tangent(-u));
    });
    if (model.parent(i) > 0) detail::add<S>(abi.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F));
  }
  return energy;
}

/// Computes z = M^-1 f for the f that was reduced last: the second half of a solve, from root to leaves.  @param z (nv) result.
template <Scalar S, class Joints>
void abi_expand(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, std::type_identity_t<VectorRef<S>> z) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> V = tree.T_PB[i].twist_to_child(abi.V[model.parent(i)]);  // V[0] stays zero
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      using Tangent = Eigen::Matrix<S, J::nv, 1>;
      const Eigen::Index v = model.v_index(i);
      const Tangent carried = detail::transpose_times<S>(abi.template U_of<J>(v), V);
      const Tangent z_i = model.template v_of<J>(i, abi.u) - abi.template D_inverse_of<J>(v) * carried;
      detail::store<S>(abi.V[i], detail::plus_times<S>(V, tree.template S_of<J>(v), z_i));
      model.template v_of<J>(i, z) = z_i;
    });
  }
}

/// Solves M z = f with the factors of the last abi_factor().  @param f, z (nv), may be the same.  @returns f^T M^-1 f.
template <Scalar S, class Joints>
S abi_solve(const Model<S, Joints>& model, const TreePose<S>& tree, AbiData<S>& abi, const std::type_identity_t<ConstVectorRef<S>>& f,
            std::type_identity_t<VectorRef<S>> z) noexcept {
  const S energy = abi_reduce(model, tree, abi, f);
  abi_expand(model, tree, abi, z);
  return energy;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE AbiData<double>::AbiData(const Model<double>&);
ACTIO_INSTANTIATE BodyIndex abi_factor(const Model<double>&, const TreePose<double>&, AbiData<double>&,
                                       const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE double abi_reduce(const Model<double>&, const TreePose<double>&, AbiData<double>&,
                                    const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE double abi_reduce(const Model<double>&, const TreePose<double>&, AbiData<double>&, const BodyArray<Vector6<double>>&,
                                     const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void abi_expand(const Model<double>&, const TreePose<double>&, AbiData<double>&, VectorRef<double>) noexcept;
#endif

}  // namespace actio
