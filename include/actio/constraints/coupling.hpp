// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A joint's own coordinates as rows on the pose of its child's frame, and joint forces as wrenches on it: what springs, dampers, motors and
// couplings do where joints are held by impulses.
#include "actio/constraints/body_rows.hpp"
#include "actio/math/invert.hpp"
#include "actio/model/joint.hpp"
#include "actio/model/loop.hpp"

namespace actio::detail {

/// S (S^T S)^-1: joint forces as a wrench on M that does the same work in all that the joint allows. Its transpose takes the twist of M
/// against F, in M, to the joint's velocity.  @param subspace S (6 x nv), of full rank.
template <JointType J>
joints::Subspace<J> dual_subspace(const joints::Subspace<J>& subspace) {
  using S = typename J::Real;
  using Gram = Eigen::Matrix<S, J::nv, J::nv>;
  if constexpr (J::nv == 0) {
    return subspace;
  } else if constexpr (J::nv == 1) {
    return subspace / subspace.squaredNorm();
  } else {
    const Gram gram = subspace.transpose() * subspace;
    if (joints::has_constant_subspace<J>() && gram == Gram::Identity()) return subspace;  // with constants for axes, mostly orthonormal ones
    Gram inverse;
    [[maybe_unused]] const bool regular = invert<S, J::nv>(gram, inverse);
    ACTIO_ASSERT(regular);
    return subspace * inverse;  // symmetric
  }
}

/// Rows of the increment x = q1 (-) q0 of a joint, with the joint velocities at q1 for their rates: where q is no vector those of x are
/// dlog(-x) times these.  @param q1 where M stands, M(q1) = T_FM but for what the lock lets open.  @param x [rad, m].
/// @pre rows has room for nv more.
template <JointType J>
void increment_rows(const J& joint, const typename J::Config& q1, const typename J::Tangent& x, PoseRows<typename J::Real>& rows) {
  const joints::Subspace<J> rate = dual_subspace<J>(joint.motion_subspace(q1));
  if constexpr (J::nv > 0) {
    for (int k = 0; k < J::nv; ++k) rows.add(x[k], rate.col(k).template head<3>(), rate.col(k).template tail<3>());
  }
}

/// How far the follower is from where the leader wants it [rad, m].  @param q (nq).
template <Scalar S>
S coupling_gap(const Coupling<S>& coupling, const std::type_identity_t<ConstVectorRef<S>>& q) {
  return q[coupling.follower_q] - coupling.ratio * q[coupling.leader_q] - coupling.offset;
}

/// The row's share on one of its joints, as a row on the pose of that joint's child.  @param follows which of the two.  @param q of that
/// joint.  @param value of the row [rad, m], to be given to one of the two only.
template <JointType J, Scalar S>
  requires std::same_as<S, typename J::Real>
void coupling_row(const Coupling<S>& coupling, bool follows, const J& joint, const typename J::Config& q, const S& value, PoseRows<S>& rows) {
  if constexpr (J::nv == 1) {  // others are refused when the model is built
    const Vector6<S> along = dual_subspace<J>(joint.motion_subspace(q)) * (follows ? S(1) : S(-coupling.ratio));
    rows.add(value, along.template head<3>(), along.template tail<3>());
  }
}

}  // namespace actio::detail
