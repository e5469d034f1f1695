// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The linearisation of DRNEA body by body, before any recursion: how each left momentum moves with its body, and along which
// axes the joints let the bodies move.                                                         [vi_math.md, section 7.1]
#include "actio/dynamics/drnea/drnea.hpp"

namespace actio::detail {

/// All variations are in end-of-joint coordinates zeta, seen from the bodies at node k:
///   theta_i = X_i theta_parent + S_end_i zeta_i,   d mu_i = K_i theta_i,   dx_i = to_increment_i zeta_i.
template <Scalar S>
struct DrneaRates {
  BodyArray<MomentumRate<S>> K;  ///< d mu / d theta of each body, in its frame at node k
  Matrix6X<S> S_end;             ///< (6 x nv) Ad_dT S(q_{k+1}): the joints' axes at the end of the step, seen from node k
  MatrixX<S> to_increment;       ///< (6 x nv; nv_i x nv_i blocks in the upper rows) dlog(-x_i); the identity for flat joints

  /// All sized for the model; the blocks of to_increment are identities, which those of flat joints stay.
  template <class Joints>
  explicit DrneaRates(const Model<S, Joints>& model)
      : K(model.num_bodies(), MomentumRate<S>::zero()), S_end(Matrix6X<S>::Zero(6, model.nv())), to_increment(MatrixX<S>::Zero(6, model.nv())) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_freedoms(model, i, [&]<HasFreedoms J>(J) { to_increment_of<J>(model.v_index(i)).setIdentity(); });
    }
  }

  ///@{
  /// The columns (6 x nv_i) or block (nv_i x nv_i) of a joint, whose size J knows at compile time.
  /// @param v its first entry, model.v_index(i).
  template <HasFreedoms J> auto S_end_of(Eigen::Index v) { return S_end.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto S_end_of(Eigen::Index v) const { return S_end.template middleCols<J::nv>(v); }
  template <HasFreedoms J> auto to_increment_of(Eigen::Index v) { return to_increment.template block<J::nv, J::nv>(0, v); }
  template <HasFreedoms J> auto to_increment_of(Eigen::Index v) const { return to_increment.template block<J::nv, J::nv>(0, v); }
  ///@}
};

/// Fills the rates at the increment x of the last drnea_outward().
/// @param tree at q_k.  @param x (nv) the same increment.  @param h time step [s].  O(bodies); allocates and throws nothing.
template <class Kind, Scalar S, class Joints>
void drnea_rates(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, DrneaRates<S>& rates,
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
ACTIO_INSTANTIATE void drnea_rates<Split>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, DrneaRates<double>&,
                                           const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Se3>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, DrneaRates<double>&,
                                         const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Mixed>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, DrneaRates<double>&,
                                           const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_rates<Quat>(const Model<double>&, const TreePose<double>&, const DrneaData<double>&, DrneaRates<double>&,
                                          const ConstVectorRef<double>&, const double&) noexcept;
#endif

}  // namespace actio::detail
