// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The force laws of constraint rows (bilateral, one-sided, dry friction, contact): the force of a group at given rates, and its derivative.
#include <cmath>
#include <type_traits>

#include "actio/core/precompiled.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio::detail {

/// The law is smooth in pieces: the piece that a force is on.
enum class Piece : unsigned char {
  open,   ///< no force
  stick,  ///< inside the set: the force of springs and dampers
  slide,  ///< on the boundary of the set
};

/// The force of a group and its derivative. Entries beyond the group's size are zero.
template <Scalar S>
struct GroupForce {
  Vector3<S> lambda = Vector3<S>::Zero();  ///< [N, N m]
  Matrix3<S> H = Matrix3<S>::Zero();       ///< -d lambda / dw [N s/m, N m s/rad]; symmetric except for Coulomb contacts that slide
  Piece piece = Piece::open;               ///< the piece that lambda is on
};

template <Scalar S>
GroupForce<S> spring_force(const S& R, const S& w) {
  GroupForce<S> force;
  force.lambda[0] = -w / R;
  force.H(0, 0) = S(1) / R;
  force.piece = Piece::stick;
  return force;
}

template <Scalar S>
GroupForce<S> contact_force(const RowGroup<S>& group, const S& lift, const Vector3<S>& R, const Vector3<S>& w) {
  using std::sqrt;
  const S mu = group.limit, w_n = w[0], R_n = R[0], R_t = R[1], stiffness_n = S(1) / R_n;
  const S slip_squared = w[1] * w[1] + w[2] * w[2], most_slip = mu * w_n * (R_t * stiffness_n);  // minus the largest slip that sticks
  GroupForce<S> force;
  if (lift == S(0) && group.has_slip()) {
    if (w_n >= S(0)) return force;
    const Vector3<S> across(S(1), -mu * group.slip[0], -mu * group.slip[1]);
    force.lambda = -w_n * stiffness_n * across;
    force.H.col(0) = stiffness_n * across;
    force.piece = Piece::slide;
    return force;
  }
  if (w_n <= S(0) && slip_squared <= most_slip * most_slip) {
    const S stiffness_t = S(1) / R_t;
    force.lambda = Vector3<S>(-w_n * stiffness_n, -w[1] * stiffness_t, -w[2] * stiffness_t);
    force.H(0, 0) = stiffness_n;
    for (int r = 1; r < group.size; ++r) force.H(r, r) = stiffness_t;
    force.piece = Piece::stick;
    return force;
  }
  const Vector3<S> w_t(S(0), w[1], w[2]);
  const S slip = sqrt(slip_squared);
  const S closing = lift * mu * slip - w_n, rho = R_n + lift * mu * mu * R_t;
  if (!(closing > S(0))) return force;
  const S normal = closing / rho;
  const Vector3<S> along = w_t / slip;  // slip is not zero here: otherwise the contact sticks or is open
  force.lambda = -mu * normal * along;
  force.lambda[0] = normal;
  // d normal = -(1, -lift mu along) . dw / rho
  const Vector3<S> across = -mu * along + Vector3<S>::UnitX();  // d lambda = across d normal + turn
  force.H = across * (Vector3<S>::UnitX() - lift * mu * along).transpose() / rho;
  const S turn = mu * normal / slip;
  for (int r = 1; r < group.size; ++r) {
    for (int c = 1; c < group.size; ++c) force.H(r, c) += turn * (S(r == c ? 1 : 0) - along[r] * along[c]);
  }
  force.piece = Piece::slide;
  return force;
}

/// Returns the force of a group at rates w: -w / R projected onto its set in the norm of R, or according to Coulomb's law or a law between
/// both.
///                                                                                     [compliant_math.md, sections 5.1 and 5.2]
/// @param lift the share of mu |v_t| by which the normal rate of a sliding contact exceeds the rate that its normal force answers. 1: the
/// convex law; 0: Coulomb's.  @param R > 0, the same for both tangents [m/(N s), rad/(N m s)].
/// @param w rates and bias [m/s, rad/s]; entries beyond the group's size are zero.
template <Scalar S>
GroupForce<S> group_force(const RowGroup<S>& group, const std::type_identity_t<S>& lift, const Vector3<S>& R, const Vector3<S>& w) {
  if (group.kind == RowKind::contact) return detail::contact_force(group, lift, R, w);
  GroupForce<S> force = detail::spring_force(R[0], w[0]);
  S& lambda = force.lambda[0];
  const auto at_bound = [&](const S& bound, Piece piece) {
    lambda = bound;
    force.H(0, 0) = S(0);
    force.piece = piece;
  };
  if (group.kind == RowKind::unilateral && lambda < S(0)) at_bound(S(0), Piece::open);
  if (group.kind == RowKind::friction && !(lambda <= group.limit)) at_bound(group.limit, Piece::slide);
  if (group.kind == RowKind::friction && !(lambda >= -group.limit)) at_bound(-group.limit, Piece::slide);
  return force;
}
template <Scalar S>
GroupForce<S> group_force(const RowGroup<S>& group, ConeLaw law, const Vector3<S>& R, const Vector3<S>& w) {
  return group_force(group, S(law == ConeLaw::convex ? 1 : 0), R, w);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE GroupForce<double> detail::contact_force(const RowGroup<double>&, const double&, const Vector3<double>&,
                                                           const Vector3<double>&);
#endif

}  // namespace actio::detail
