// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Derivatives of the discrete momenta at the start and end of a variational step with respect to both configurations, for the derivatives
// of steps: an operator that is applied and transposed in O(bodies).
#include "actio/dynamics/drnea/rates.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/tree_lu.hpp"

namespace actio::detail {

/// Workspace of drnea_vary(), drnea_tangent() and drnea_adjoint(). All is expressed in the bodies' frames at node k: there the components
/// of the right momentum of a body are those of its left one, and its transforms X_i are those of node k. With the variations
/// eta_i = X_i eta_parent + S_i dq_i  of the bodies at node k and
/// phi_i = X_i phi_parent + S_end_i dq1_i  at node k+1, and theta = phi - eta,
///   d left_i  = K_i theta_i - h/2 dW_i(eta_i) + sum over children of X_c^T (d left_c - ad(S_c dq_c)^T left_c)
///   d right_i = K_i^T theta_i + h/2 dW_i(phi_i) + sum over children of X_c^T (d right_c - ad(S_end_c dq1_c)^T right_c).
/// The second equation contains K^T because second derivatives are symmetric. The terms in ad arise because a momentum keeps its direction
/// in space when the joint that transmits it inward moves.                                   [vi_math.md, section 7.1]
template <Scalar S>
struct DrneaVariation {
  S half{};                            ///< h / 2 [s]
  BodyArray<Vector3<S>> g;             ///< gravity in the axes of the body [m/s^2]
  BodyArray<Vector3<S>> com_end;       ///< centre of mass at node k+1 [m]
  ///@{
  /// Momentum of each subtree, minus and plus half the impulses of weight and wrenches [N m s, N s].
  BodyArray<Vector6<S>> left, right;
  ///@}
  Matrix6X<S> left_rotation,  ///< (6 x nv) X_c^T ad(S_c)^T left_c, in the parent's frame
      right_rotation;         ///< (6 x nv) X_c^T ad(S_end_c)^T right_c, in the parent's frame
  ///@{
  /// (6 x nv; nv_i x nv_i blocks in the upper rows) contribution of a joint itself: its terms, and the change of its axes with q.
  MatrixX<S> left_by_begin, right_by_begin, right_by_end;
  ///@}
  BodyArray<Vector6<S>> eta,  ///< variation of each body at node k; in the adjoint a covector of it
      F,                      ///< change of each left momentum that goes into the solve
      D;                      ///< change of each right momentum; in the adjoint the motion that it is paired with
  VectorX<S> rhs;             ///< (nv) contribution of the joints themselves to the solve

  /// Sizes all members for the model and sets them to zero; drnea_vary() fills them.
  template <class Joints>
  explicit DrneaVariation(const Model<S, Joints>& model)
      : g(model.num_bodies(), Vector3<S>::Zero()), com_end(g), left(model.num_bodies(), Vector6<S>::Zero()), right(left),
        left_rotation(Matrix6X<S>::Zero(6, model.nv())), right_rotation(left_rotation), left_by_begin(MatrixX<S>::Zero(6, model.nv())),
        right_by_begin(left_by_begin), right_by_end(left_by_begin), eta(left), F(left), D(left), rhs(VectorX<S>::Zero(model.nv())) {}

  ///@{
  /// Return the block of a joint.  @param blocks left_by_begin or its like.  @param v first entry of the joint, model.v_index(i).
  template <HasFreedoms J> static auto block(const MatrixX<S>& blocks, Eigen::Index v) { return blocks.template block<J::nv, J::nv>(0, v); }
  template <HasFreedoms J> static auto block(MatrixX<S>& blocks, Eigen::Index v) { return blocks.template block<J::nv, J::nv>(0, v); }
  ///@}
};

/// Returns the weight of a mass at c, as a wrench about the origin.
template <Scalar S>
Vector6<S> weight(const S& mass, const Vector3<S>& c, const Vector3<S>& g) {
  const Vector3<S> f = mass * g;
  return spatial<S>(c.cross(f), f);
}
/// Returns its rate, in the axes of the body, when the body moves by V.
template <Scalar S>
Vector6<S> weight_rate(const S& mass, const Vector3<S>& c, const Vector3<S>& g, const Vector6<S>& V) {
  const Vector3<S> f = mass * g.cross(V.template head<3>());
  return spatial<S>(c.cross(f), f);
}
/// Applies the transpose of that rate to a motion Y.  @returns the angular part of a covector of V, whose linear part is zero.
template <Scalar S>
Vector3<S> weight_rate_transposed(const S& mass, const Vector3<S>& c, const Vector3<S>& g, const Vector6<S>& Y) {
  const Vector3<S> n = Y.template head<3>(), f = Y.template tail<3>();
  return mass * (f + n.cross(c)).cross(g);
}
/// Returns ad(x)^T F.
template <Scalar S>
Vector6<S> ad_transposed(const Vector6<S>& x, const Vector6<S>& F) {
  const Vector3<S> w = x.template head<3>(), v = x.template tail<3>(), n = F.template head<3>(), f = F.template tail<3>();
  return spatial<S>(n.cross(w) + f.cross(v), f.cross(w));
}

/// Linearises at the increment x of the last drnea_outward(), after drnea_rates().
/// @param tree at q_k.  @param x (nv) [rad, m].  @param h [s].  @param wrench_begin, wrench_end one for each body in its frame at that end
/// of the step [N m, N], or empty.  O(bodies); allocates and throws nothing, as all below.
template <Scalar S, class Joints>
void drnea_vary(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, const detail::TreeMatrix<S>& rates,
                DrneaVariation<S>& at, const JointTerms<S>& terms, const std::type_identity_t<ConstVectorRef<S>>& x,
                const std::type_identity_t<S>& h, const BodyArray<Vector6<S>>& wrench_begin,
                const BodyArray<Vector6<S>>& wrench_end) noexcept {
  at.half = h / S(2);
  at.g[0] = model.gravity();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<S>& com = model.inertia(i).com;
    const S& mass = model.inertia(i).mass;
    at.g[i] = tree.T_PB[i].R.transpose() * at.g[model.parent(i)];
    at.com_end[i] = data.dT[i].rotate(com) + data.dT[i].d;
    at.left[i] = data.mu[i] - at.half * detail::weight<S>(mass, com, at.g[i]);
    at.right[i] = data.mu[i] + at.half * detail::weight<S>(mass, at.com_end[i], at.g[i]);
    if (wrench_begin.size() > 0) at.left[i] -= at.half * wrench_begin[i];
    if (wrench_end.size() > 0) at.right[i] += at.half * data.dT[i].wrench_to_start(wrench_end[i]);
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    const Vector6<S>&left = at.left[i], &right = at.right[i];
    const Pose<S>& T = tree.T_PB[i];
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const Eigen::Index v = model.v_index(i);
      const typename J::Config q0 = model.template q_of<J>(i, tree.q);
      const typename J::Tangent x_i = model.template v_of<J>(i, x);
      const typename J::Config q1 = joint.integrate(q0, x_i);
      for (int k = 0; k < J::nv; ++k) {
        at.left_rotation.col(v + k) = T.wrench_to_parent(detail::ad_transposed<S>(tree.subspace.col(v + k), left));
        at.right_rotation.col(v + k) = T.wrench_to_parent(detail::ad_transposed<S>(rates.S_end.col(v + k), right));
      }
      const JointTermRates<J> own = joint_term_rates<J>(model, terms, i, joint, q0, q1, x_i, h);
      at.template block<J>(at.left_by_begin, v) = own.left_by_begin + joints::subspace_rate(joint, q0, left);
      at.template block<J>(at.right_by_begin, v) = own.right_by_begin;
      at.template block<J>(at.right_by_end, v) = own.right_by_end + joints::subspace_rate(joint, q1, data.dT[i].wrench_to_end(right));
    });
    if (model.parent(i) > 0) {
      at.left[model.parent(i)] += T.wrench_to_parent(left);
      at.right[model.parent(i)] += T.wrench_to_parent(right);
    }
  }
}

/// Computes the variations dq1 of q_{k+1} and dp1 of the right momentum from the variations dq of q_k and db of the right-hand side of the
/// discrete Euler-Lagrange equation. Variations of q are in the tangent spaces of the joints: q (+) dq.
/// @param J factors of the step.  @param dq, db (nv) in [rad, m; N m s, N s].  @param dq1, dp1 (nv) results, in the same units; they must
/// not alias dq and db.
template <Scalar S, class Joints>
void drnea_tangent(const Model<S, Joints>& model, const TreePose<S>& tree, const detail::TreeMatrix<S>& rates, detail::TreeLu<S>& J,
                   DrneaVariation<S>& at, const std::type_identity_t<ConstVectorRef<S>>& dq,
                   const std::type_identity_t<ConstVectorRef<S>>& db, std::type_identity_t<VectorRef<S>> dq1,
                   std::type_identity_t<VectorRef<S>> dp1) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.parent(i);
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      const Eigen::Index v = model.v_index(i);
      const typename Joint::Tangent dq_i = model.template v_of<Joint>(i, dq);
      at.eta[i] = tree.T_PB[i].twist_to_child(at.eta[parent]) + tree.template S_of<Joint>(v) * dq_i;
      model.template v_of<Joint>(i, at.rhs) = at.template block<Joint>(at.left_by_begin, v) * dq_i - model.template v_of<Joint>(i, db);
      if (parent > 0) at.F[parent] += at.left_rotation.template middleCols<Joint::nv>(v) * dq_i;
    });
    const Inertia<S>& G = model.inertia(i);
    at.F[i] = rates.K[i] * at.eta[i] + detail::weight_rate<S>(at.half * G.mass, G.com, at.g[i], at.eta[i]);
  }
  tree_lu_reduce(model, tree, J, at.F, at.rhs);
  tree_lu_expand_to_end(model, tree, rates, J, dq1);  // J.V is phi
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S> theta = J.V[i] - at.eta[i];
    at.D[i] = rates.K[i].transpose_times(theta) + detail::weight_rate<S>(at.half * model.inertia(i).mass, at.com_end[i], at.g[i], J.V[i]);
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    const BodyIndex parent = model.parent(i);
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      const Eigen::Index v = model.v_index(i);
      const typename Joint::Tangent dq_i = model.template v_of<Joint>(i, dq), dq1_i = model.template v_of<Joint>(i, dq1);
      model.template v_of<Joint>(i, dp1) = rates.template S_end_of<Joint>(v).transpose() * at.D[i] +
                                           at.template block<Joint>(at.right_by_end, v) * dq1_i +
                                           at.template block<Joint>(at.right_by_begin, v) * dq_i;
      if (parent > 0) at.D[parent] -= at.right_rotation.template middleCols<Joint::nv>(v) * dq1_i;
    });
    if (parent > 0) at.D[parent] += tree.T_PB[i].wrench_to_parent(at.D[i]);
  }
}

/// Computes the transpose of drnea_tangent(), by its sweeps in reverse: w_q1.dq1 + w_p1.dp1 = w_q.dq + w_b.db.
/// @param w_q1, w_p1 (nv) in.  @param w_q, w_b (nv) results, which must not alias w_q1 and w_p1.
template <Scalar S, class Joints>
void drnea_adjoint(const Model<S, Joints>& model, const TreePose<S>& tree, const detail::TreeMatrix<S>& rates, detail::TreeLu<S>& J,
                   DrneaVariation<S>& at, const std::type_identity_t<ConstVectorRef<S>>& w_q1,
                   const std::type_identity_t<ConstVectorRef<S>>& w_p1, std::type_identity_t<VectorRef<S>> w_q,
                   std::type_identity_t<VectorRef<S>> w_b) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector6<S>& outer = at.D[model.parent(i)];
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      const Eigen::Index v = model.v_index(i);
      const typename Joint::Tangent w_i = model.template v_of<Joint>(i, w_p1);
      at.D[i] = tree.T_PB[i].twist_to_child(outer) + rates.template S_end_of<Joint>(v) * w_i;
      model.template v_of<Joint>(i, at.rhs) = at.right_rotation.template middleCols<Joint::nv>(v).transpose() * outer -
                                              at.template block<Joint>(at.right_by_end, v).transpose() * w_i -
                                              model.template v_of<Joint>(i, w_q1);
      model.template v_of<Joint>(i, w_q) = at.template block<Joint>(at.right_by_begin, v).transpose() * w_i;
    });
    const Vector6<S> of_theta = rates.K[i] * at.D[i];
    at.eta[i] = -of_theta;
    at.F[i] = of_theta;
    at.F[i].template head<3>() += detail::weight_rate_transposed<S>(at.half * model.inertia(i).mass, at.com_end[i], at.g[i], at.D[i]);
  }
  tree_lu_reduce_transposed(model, tree, rates, J, at.F, at.rhs);
  tree_lu_expand_transposed(model, tree, J, w_b);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<S>& G = model.inertia(i);
    at.eta[i] += rates.K[i].transpose_times(J.V[i]);
    at.eta[i].template head<3>() += detail::weight_rate_transposed<S>(at.half * G.mass, G.com, at.g[i], J.V[i]);
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    const BodyIndex parent = model.parent(i);
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      const Eigen::Index v = model.v_index(i);
      model.template v_of<Joint>(i, w_q) += tree.template S_of<Joint>(v).transpose() * at.eta[i] +
                                            at.left_rotation.template middleCols<Joint::nv>(v).transpose() * J.V[parent] -
                                            at.template block<Joint>(at.left_by_begin, v).transpose() * model.template v_of<Joint>(i, w_b);
    });
    if (parent > 0) at.eta[parent] += tree.T_PB[i].wrench_to_parent(at.eta[i]);
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void drnea_vary(const Model<double>&, const TreePose<double>&, const DrneaData<double>&,
                                  const detail::TreeMatrix<double>&, DrneaVariation<double>&, const JointTerms<double>&,
                                  const ConstVectorRef<double>&, const double&, const BodyArray<Vector6<double>>&,
                                  const BodyArray<Vector6<double>>&) noexcept;
ACTIO_INSTANTIATE void drnea_tangent(const Model<double>&, const TreePose<double>&, const detail::TreeMatrix<double>&,
                                     detail::TreeLu<double>&, DrneaVariation<double>&, const ConstVectorRef<double>&,
                                     const ConstVectorRef<double>&, VectorRef<double>, VectorRef<double>) noexcept;
ACTIO_INSTANTIATE void drnea_adjoint(const Model<double>&, const TreePose<double>&, const detail::TreeMatrix<double>&,
                                     detail::TreeLu<double>&, DrneaVariation<double>&, const ConstVectorRef<double>&,
                                     const ConstVectorRef<double>&, VectorRef<double>, VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
