// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forces as functions of velocities, group by group: what the natural map's Newton step and the response of a solution have in common.
#include <algorithm>

#include "actio/solvers/cone_problem.hpp"

namespace actio::detail {

/// rho = R + h A, of both tangents of a contact the same: what forces and rates are measured against each other by.
template <class Problem, class S>
void set_natural_metric(const Problem& problem, VectorX<S>& rho) noexcept {
  const ConeRows<S>& rows = problem.rows();
  rho.head(rows.size()) = rows.R() + problem.h() * problem.mobility().head(rows.size());
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.size == 3) rho.segment(group.first + 1, 2).setConstant(rho.segment(group.first + 1, 2).maxCoeff());
  }
}

/// E = 1 + H (R - rho), of which  E dlambda = -H G dv + anything  follows.  H becomes E^-1 H.
/// @param R of the group, > 0 where H is not zero.  @returns E^-1.
template <Scalar S>
Matrix3<S> eliminate(const RowGroup<S>& group, const Vector3<S>& R, const Vector3<S>& rho, GroupForce<S>& force) noexcept {
  Matrix3<S>& H = force.H;
  Matrix3<S> E = Matrix3<S>::Identity();
  if (group.size > 1 && force.piece == Piece::slide) {
    for (int c = 0; c < group.size; ++c) E.col(c) += H.col(c) * (R[c] - rho[c]);
    E = E.inverse().eval();
    H = E * H;
  } else {  // diagonal
    for (int r = 0; r < group.size; ++r) {
      E(r, r) = S(1) / (S(1) + H(r, r) * (R[r] - rho[r]));
      H(r, r) *= E(r, r);
    }
  }
  return E;
}

}  // namespace actio::detail
