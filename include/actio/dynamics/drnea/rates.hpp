// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linearisation of DRNEA body by body, before any recursion: the derivative of each left momentum by the
// motion of its body, and the joint axes at the end of the step.                               [vi_math.md, section 7.1]
#include "actio/dynamics/drnea/drnea.hpp"
#include "actio/dynamics/tree_lu.hpp"

namespace actio::detail {

/// Computes the rates at the increment x of the last drnea_outward().
/// @param tree at q_k.  @param x (nv) the same increment.  @param h time step [s].  O(bodies); allocates and throws nothing.
template <class Kind, Scalar S, class Joints>
void drnea_rates(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, TreeMatrix<S>& rates,
                 const std::type_identity_t<ConstVectorRef<S>>& x, const std::type_identity_t<S>& h) noexcept {
  left_momentum_rates<Kind>(model, data.bodies, data.dT, S(S(1) / h), rates.K);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const Eigen::Index v = model.v_index(i);
      const typename J::Tangent x_i = model.template v_of<J>(i, x);
      joints::Subspace<J> axes;
      if constexpr (joints::has_constant_subspace<J>()) axes = tree.template S_of<J>(v);
      else axes = joint.motion_subspace(joint.integrate(typename J::Config(model.template q_of<J>(i, tree.q)), x_i));
      for (int k = 0; k < J::nv; ++k) {
        const Vector6<S> at_end = data.dT[i].twist_to_start(axes.col(k));
        for (int r = 0; r < 6; ++r) rates.S_end(r, v + k) = at_end[r];
      }
      if constexpr (!joints::is_flat<J>()) rates.template to_increment_of<J>(v) = joints::dlog(joint, typename J::Tangent(-x_i));
    });
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void drnea_rates<Split>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, TreeMatrix<double>&,
                                           const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Se3>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, TreeMatrix<double>&,
                                         const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Mixed>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, TreeMatrix<double>&,
                                           const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Quat>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, TreeMatrix<double>&,
                                          const ConstVectorRef<double>&, const double&) noexcept;
#endif

}  // namespace actio::detail
