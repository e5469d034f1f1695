// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint forces of gravity and of wrenches on bodies, in O(bodies) with a few operations each.
#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Workspace of gravity_forces(). Gravity acts on a subtree as on its composite mass: only its first moment is carried inward.
template <Scalar S>
struct GravityData {
  BodyArray<S> mass;              ///< of the subtree, constant [kg]
  BodyArray<Vector3<S>> g;        ///< gravity in the body's axes [m/s^2]
  BodyArray<Vector3<S>> moment;   ///< mass times centre of mass of the subtree, about the body's origin, in its axes [kg m]

  /// Sizes all members for the model and sums its masses.
  template <class Joints>
  explicit GravityData(const Model<S, Joints>& model)
      : mass(model.num_bodies(), S(0)), g(model.num_bodies(), Vector3<S>::Zero()), moment(model.num_bodies(), Vector3<S>::Zero()) {
    for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
      mass[i] += model.inertia(i).mass;
      mass[model.parent(i)] += mass[i];
    }
  }
};

/// Computes the joint forces of gravity, tau = S^T of the weights.  @param tree at q.
/// @param tau (nv) result [N m, N].  Allocates and throws nothing.
template <Scalar S, class Joints>
void gravity_forces(const Model<S, Joints>& model, const TreePose<S>& tree, GravityData<S>& data,
                    std::type_identity_t<VectorRef<S>> tau) noexcept {
  using detail::column_times, detail::scaled, detail::store, detail::sum, detail::times;
  data.g[0] = model.gravity();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<S>& g = data.g[model.parent(i)];
    const Matrix3<S>& R = tree.T_PB[i].R;
    store<S>(data.g[i],
             Vector3<S>(column_times(R, 0, g[0], g[1], g[2]), column_times(R, 1, g[0], g[1], g[2]), column_times(R, 2, g[0], g[1], g[2])));
    store<S>(data.moment[i], scaled(model.inertia(i).com, model.inertia(i).mass));
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    const Vector3<S>&c = data.moment[i], &g = data.g[i];
    const S& m = data.mass[i];
    const Vector6<S> weight =
        vector6<S>(c[1] * g[2] - c[2] * g[1], c[2] * g[0] - c[0] * g[2], c[0] * g[1] - c[1] * g[0], m * g[0], m * g[1], m * g[2]);
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      model.template v_of<J>(i, tau) = detail::transpose_times<S>(tree.template S_of<J>(model.v_index(i)), weight);
    });
    if (model.parent(i) > 0) {
      Vector3<S>& moment = data.moment[model.parent(i)];
      const Pose<S>& T = tree.T_PB[i];
      store<S>(moment, sum<S>(moment, sum<S>(times(T.R, c[0], c[1], c[2]), scaled(T.p, m))));
    }
  }
}

/// Adds the joint forces S^T of wrenches on the bodies to tau.  @param F (bodies) wrenches in the bodies' frames [N m, N]; they are
/// overwritten by those of the subtrees.
/// @param tau (nv) [N m, N].
template <Scalar S, class Joints>
void add_wrench_forces(const Model<S, Joints>& model, const TreePose<S>& tree, BodyArray<Vector6<S>>& F,
                       std::type_identity_t<VectorRef<S>> tau) noexcept {
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      model.template v_of<J>(i, tau) += tree.template S_of<J>(model.v_index(i)).transpose() * F[i];
    });
    if (model.parent(i) > 0) F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(F[i]);
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void gravity_forces(const Model<double>&, const TreePose<double>&, GravityData<double>&, VectorRef<double>) noexcept;
ACTIO_INSTANTIATE void add_wrench_forces(const Model<double>&, const TreePose<double>&, BodyArray<Vector6<double>>&,
                                         VectorRef<double>) noexcept;
#endif

}  // namespace actio
