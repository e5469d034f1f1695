// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Eliminates forces from a linearised cone problem, group by group, for Newton's step on the natural map and for derivatives of a solution.
#include <Eigen/LU>

#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// Computes the metric rho = R + h A of the natural map, which relates forces to rates. It is the same for both tangents of a contact.
template <class Problem, class S>
void set_natural_metric(const Problem& problem, VectorX<S>& rho) noexcept {
  const ConeRows<S>& rows = problem.rows();
  rho.head(rows.size()) = rows.R() + problem.h() * problem.mobility().head(rows.size());
  // For a rigid row without mobility any positive number will do.
  for (Eigen::Index k = 0; k < rows.size(); ++k) rho[k] = rho[k] > S(0) ? rho[k] : S(1);
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.size == 3) rho.segment(group.first + 1, 2).setConstant(rho.segment(group.first + 1, 2).maxCoeff());
  }
}

/// Returns whether the matrix E = 1 + H (R - rho) of a group, in  E dlambda = -H G dv + ...,  is not diagonal.
template <Scalar S>
bool couples(const RowGroup<S>& group, const GroupForce<S>& force) noexcept {
  return group.size > 1 && force.piece == Piece::slide;
}
/// Returns E^-1 of a coupled group and replaces H by E^-1 H.  @param R of the group, as used in the elimination.
template <Scalar S>
Matrix3<S> eliminate_coupled(const RowGroup<S>& group, const Vector3<S>& R, const Vector3<S>& rho, Matrix3<S>& H) noexcept {
  Matrix3<S> E = Matrix3<S>::Identity();
  for (int c = 0; c < group.size; ++c) E.col(c) += H.col(c) * (R[c] - rho[c]);
  const Matrix3<S> inverse = E.inverse();
  H = inverse * H;
  return inverse;
}
/// Returns an entry of a diagonal E^-1 and replaces the entry h of H by E^-1 h.
template <Scalar S>
S eliminate_alone(const S& R, const S& rho, S& h) noexcept {
  const S inverse = S(1) / (S(1) + h * (R - rho));
  h *= inverse;
  return inverse;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE Matrix3<double> eliminate_coupled(const RowGroup<double>&, const Vector3<double>&, const Vector3<double>&,
                                                    Matrix3<double>&) noexcept;
#endif

}  // namespace actio::detail
