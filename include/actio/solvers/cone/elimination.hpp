// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forces as functions of velocities, group by group: what the natural map's Newton step and the response of a solution have in common.
#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// rho = R + h A, of both tangents of a contact the same: what forces and rates are measured against each other by.
template <class Problem, class S>
void set_natural_metric(const Problem& problem, VectorX<S>& rho) noexcept {
  const ConeRows<S>& rows = problem.rows();
  rho.head(rows.size()) = rows.R() + problem.h() * problem.mobility().head(rows.size());
  // A rigid row that moves nothing says nothing: any number, as long as it is one.
  for (Eigen::Index k = 0; k < rows.size(); ++k) rho[k] = rho[k] > S(0) ? rho[k] : S(1);
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.size == 3) rho.segment(group.first + 1, 2).setConstant(rho.segment(group.first + 1, 2).maxCoeff());
  }
}

/// Whether E = 1 + H (R - rho), of which  E dlambda = -H G dv + anything  follows, is more than a diagonal.
template <Scalar S>
bool couples(const RowGroup<S>& group, const GroupForce<S>& force) noexcept {
  return group.size > 1 && force.piece == Piece::slide;
}
/// E^-1 where it couples; H becomes E^-1 H.  @param R of the group, as the elimination takes it.
template <Scalar S>
Matrix3<S> eliminate_coupled(const RowGroup<S>& group, const Vector3<S>& R, const Vector3<S>& rho, Matrix3<S>& H) noexcept {
  Matrix3<S> E = Matrix3<S>::Identity();
  for (int c = 0; c < group.size; ++c) E.col(c) += H.col(c) * (R[c] - rho[c]);
  const Matrix3<S> inverse = E.inverse();
  H = inverse * H;
  return inverse;
}
/// An entry of E^-1 where it does not; the entry h of H becomes E^-1 h.
template <Scalar S>
S eliminate_alone(const S& R, const S& rho, S& h) noexcept {
  const S inverse = S(1) / (S(1) + h * (R - rho));
  h *= inverse;
  return inverse;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE Matrix3<double> eliminate_coupled(const RowGroup<double>&, const Vector3<double>&, const Vector3<double>&, Matrix3<double>&) noexcept;
#endif

}  // namespace actio::detail
