// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The discrete recursive Newton-Euler algorithm: both momenta of the discrete Lagrangian over one step, in O(bodies).
#include "actio/dynamics/drnea/body_momenta.hpp"
#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Workspace of drnea; index 0, the world, keeps identity and zero.
template <Scalar S>
struct DrneaData {
  BodyArray<Displacement<S>> dT;  ///< T_WB(t_k)^-1 T_WB(t_{k+1}), O(h) quantities         by the outward sweep
  BodyArray<Vector6<S>> mu;       ///< left momentum of each body, in B [N m s, N s]       by the outward sweep
  S energy{};                     ///< twice the kinetic energy over the increment, to first order in h [J]   by the outward sweep
  BodyArray<Vector6<S>> F;        ///< left momentum of each subtree, in B [N m s, N s]    by the inward sweeps
  BodyArray<Vector6<S>> F_end;    ///< right momentum of each subtree, in B at node k+1    by the sweep for both
  VectorX<S> momentum;            ///< (nv) left momentum -D1 K_d [N m s, N s]             by the inward sweeps
  detail::PackedBodies<S> bodies;         ///< inertias, packet by packet

  /// Sizes all members for the model; displacements are the identity, all else is zero.
  template <class Joints>
  explicit DrneaData(const Model<S, Joints>& model)
      : dT(model.num_bodies(), Displacement<S>::identity()),
        mu(model.num_bodies(), Vector6<S>::Zero()),
        F(model.num_bodies(), Vector6<S>::Zero()),
        F_end(F),
        momentum(VectorX<S>::Zero(model.nv())),
        bodies(model) {}
};

/// Outward sweep: computes the displacement and left momentum of each body at the increment x
///                                                                                     [Lee et al. 2016, Alg. 2, (19), (21b)]
/// in increment form: displacements are composed, poses are never subtracted.          [vi_math.md, sections 3 and 4]
/// @param tree at q_k.  @param x (nv) joint increment q_{k+1} (-) q_k [rad, m].  @param h time step [s], not zero.
/// O(bodies); allocates and throws nothing, as all below.
template <class Kind, Scalar S, class Joints>
void drnea_outward(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data,
                   const std::type_identity_t<ConstVectorRef<S>>& x, const std::type_identity_t<S>& h) noexcept {
  const S inverse_h = S(1) / h;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Displacement<S> carried = data.dT[model.parent(i)].seen_from(tree.T_PB[i]);  // dT[0] stays the identity
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Config q_i = model.template q_of<J>(i, tree.q);
      data.dT[i] = carried * joints::increment(joint, q_i, typename J::Tangent(model.template v_of<J>(i, x)));
    });
  }
  data.energy = left_momenta<Kind>(model, data.bodies, data.dT, inverse_h, data.mu);
}

/// Inward sweep: computes the left momentum -D1 K_d along the joints.                  [Lee et al. 2016, Alg. 2, (21a), (22)]
/// @pre data are those of the last drnea_outward() at this tree.  @returns data.momentum (nv), valid until the next call [N m s, N s].
template <Scalar S, class Joints>
const VectorX<S>& drnea_inward(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) data.F[i] = data.mu[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {  // children before parents
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      const Eigen::Index v = model.v_index(i);
      model.template v_of<J>(i, data.momentum) = detail::transpose_times<S>(tree.template S_of<J>(v), data.F[i]);  // S at node k
    });
    if (model.parent(i) > 0) detail::add<S>(data.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(data.F[i]));
  }
  return data.momentum;
}

/// Computes the left momentum of the kinetic energy at the increment x, by both sweeps. The residual of the discrete Euler-Lagrange
/// equation is this minus (p_k + h/2 (gravity + tau)).                                  [Lee et al. 2016, Alg. 2, (19)-(22)]
/// Arguments as of drnea_outward().  @returns as drnea_inward().
template <class Kind, Scalar S, class Joints>
const VectorX<S>& drnea(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data,
                        const std::type_identity_t<ConstVectorRef<S>>& x, const std::type_identity_t<S>& h) noexcept {
  drnea_outward<Kind>(model, tree, data, x, h);
  return drnea_inward(model, tree, data);
}

/// Computes both momenta of a step in one sweep: the left one, as drnea_inward(), and the right one, D2 K_d, at the end of the step.
///                                                                                     [vi_math.md, section 3]
/// @pre as drnea_inward().  @param next the tree at q_{k+1}.  @param right (nv) result [N m s, N s].  @returns data.momentum, the left one.
template <Scalar S, class Joints>
const VectorX<S>& drnea_momenta(const Model<S, Joints>& model, const TreePose<S>& tree, const TreePose<S>& next, DrneaData<S>& data,
                                std::type_identity_t<VectorRef<S>> right) noexcept {
  right_momenta(data.bodies, data.dT, data.mu, data.F_end);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) data.F[i] = data.mu[i];
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      const Eigen::Index v = model.v_index(i);
      model.template v_of<J>(i, data.momentum) = detail::transpose_times<S>(tree.template S_of<J>(v), data.F[i]);  // S at node k
      model.template v_of<J>(i, right) = detail::transpose_times<S>(next.template S_of<J>(v), data.F_end[i]);      // S at node k+1
    });
    if (model.parent(i) == 0) continue;
    detail::add<S>(data.F[model.parent(i)], tree.T_PB[i].wrench_to_parent(data.F[i]));
    detail::add<S>(data.F_end[model.parent(i)], next.T_PB[i].wrench_to_parent(data.F_end[i]));
  }
  return data.momentum;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE DrneaData<double>::DrneaData(const Model<double>&);
ACTIO_INSTANTIATE void drnea_outward<Split>(const Model<double>&, const TreePose<double>&, DrneaData<double>&,
                                            const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_outward<Se3>(const Model<double>&, const TreePose<double>&, DrneaData<double>&, const ConstVectorRef<double>&,
                                             const double&) noexcept;
ACTIO_INSTANTIATE void drnea_outward<Mixed>(const Model<double>&, const TreePose<double>&, DrneaData<double>&,
                                            const ConstVectorRef<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void drnea_outward<Quat>(const Model<double>&, const TreePose<double>&, DrneaData<double>&, const ConstVectorRef<double>&,
                                             const double&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& drnea_inward(const Model<double>&, const TreePose<double>&, DrneaData<double>&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& drnea_momenta(const Model<double>&, const TreePose<double>&, const TreePose<double>&,
                                                       DrneaData<double>&, VectorRef<double>) noexcept;
#endif

}  // namespace actio
