// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The transposed solve with the factors of factor.hpp.
#include "actio/dynamics/drnea/factor.hpp"

namespace actio::detail {

/// First half of a solve with the transposed Jacobian in the velocities zeta, leaf to root: reduces
/// f = S_end^T (wrenches, accumulated) - rhs. The same recursion with S and S_end, U and W in each other's place.
///                                                                                    [vi_math.md, section 7.2, transposed]
/// @param wrenches (bodies), each in its body's frame at node k.  @param rhs (nv).  O(bodies); allocates and throws nothing.
template <Scalar S, class Joints>
void drnea_reduce_transposed(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaRates<S>& rates, DrneaFactors<S>& J,
                             const BodyArray<Vector6<S>>& wrenches, const std::type_identity_t<ConstVectorRef<S>>& rhs) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) J.F[i] = wrenches[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent e = rates.template S_end_of<Joint>(v).transpose() * J.F[i] - model.template v_of<Joint>(i, rhs);
      const Tangent u = J.template D_inverse_of<Joint>(v).transpose() * e;
      model.template v_of<Joint>(i, J.u) = u;
      J.F[i] -= J.template W_of<Joint>(v) * u;
    });
    if (model.parent(i) > 0) J.F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(J.F[i]);
  }
}

/// Second half, root to leaves: y = J^-T f of the f that was reduced last; J.V_i = X_i V_parent + S_i y_i.  @param y (nv) out.
template <Scalar S, class Joints>
void drnea_expand_transposed(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaFactors<S>& J,
                             std::type_identity_t<VectorRef<S>> y) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> carried = tree.T_PB[i].twist_to_child(J.V[model.parent(i)]);
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      using Tangent = typename Joint::Tangent;
      const Eigen::Index v = model.v_index(i);
      const Tangent passed = J.template U_of<Joint>(v).transpose() * carried;
      const Tangent y_i = model.template v_of<Joint>(i, J.u) - J.template D_inverse_of<Joint>(v).transpose() * passed;
      J.V[i] = carried + tree.template S_of<Joint>(v) * y_i;
      model.template v_of<Joint>(i, y) = y_i;
    });
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void drnea_reduce_transposed(const Model<double>&, const TreePose<double>&, const DrneaRates<double>&, DrneaFactors<double>&,
                                               const BodyArray<Vector6<double>>&, const ConstVectorRef<double>&) noexcept;
ACTIO_INSTANTIATE void drnea_expand_transposed(const Model<double>&, const TreePose<double>&, DrneaFactors<double>&, VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
