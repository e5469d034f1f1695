// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint coordinates as rows on the pose of the child's frame, and joint forces as wrenches on it: springs, dampers, motors and couplings
// in maximal coordinates, in which impulses enforce the joints.
#include "actio/constraints/body_rows.hpp"
#include "actio/math/invert.hpp"
#include "actio/model/joint.hpp"
#include "actio/model/loop.hpp"

namespace actio::detail {

/// Returns S (S^T S)^-1. It maps joint forces to a wrench on M that does the same work in every motion of the joint; its transpose maps
/// the twist of M relative to F, in M, to the joint's velocity.  @param subspace S (6 x nv), of full rank.
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
    if (joints::has_constant_subspace<J>() && gram == Gram::Identity()) return subspace;  // constant subspaces are mostly orthonormal
    Gram inverse;
    [[maybe_unused]] const bool regular = invert<S, J::nv>(gram, inverse);
    ACTIO_ASSERT(regular);
    return subspace * inverse;  // symmetric
  }
}

/// Appends the increment x = q1 (-) q0 of a joint as nv rows, whose rates are the joint velocities at q1. If q is not a vector, dx/dt is
/// dlog(-x) times these rates.  @param q1 coordinate of M: pose(q1) = T_FM up to the violation of the joint's lock.  @param x [rad, m].
/// @pre rows has space for nv more.
template <JointType J>
void increment_rows(const J& joint, const typename J::Config& q1, const typename J::Tangent& x, PoseRows<typename J::Real>& rows) {
  const joints::Subspace<J> rate = dual_subspace<J>(joint.motion_subspace(q1));
  if constexpr (J::nv > 0) {
    for (int k = 0; k < J::nv; ++k) rows.add(x[k], rate.col(k).template head<3>(), rate.col(k).template tail<3>());
  }
}

/// Returns the violation of a coupling, follower - ratio leader - offset [rad, m].  @param q (nq).
template <Scalar S>
S coupling_gap(const Coupling<S>& coupling, const std::type_identity_t<ConstVectorRef<S>>& q) {
  return q[coupling.follower_q] - coupling.ratio * q[coupling.leader_q] - coupling.offset;
}

/// Appends a coupling's part on one of its two joints, as a row on the pose of that joint's child.
/// @param follows true for the follower, false for the leader.  @param q coordinate of that joint.
/// @param value of the row [rad, m]; to be given for one of the two joints only, 0 for the other.
template <JointType J, Scalar S>
  requires std::same_as<S, typename J::Real>
  void coupling_row(const Coupling<S>& coupling, bool follows, const J& joint, const typename J::Config& q, const S& value,
                    PoseRows<S>& rows) {
    if constexpr (J::nv == 1) {  // models with couplings of other joints are refused when they are built
      const Vector6<S> along = dual_subspace<J>(joint.motion_subspace(q)) * (follows ? S(1) : S(-coupling.ratio));
      rows.add(value, along.template head<3>(), along.template tail<3>());
    }
  }

}  // namespace actio::detail
