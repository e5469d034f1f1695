// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frictional contact problems given by their Delassus matrix, as simulators and collections of benchmarks store them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "actio/core/options.hpp"
#include "actio/core/status.hpp"
#include "actio/solvers/cone/delassus.hpp"
#include "actio/solvers/cone/newton.hpp"

namespace actio {

/// Forces that solve_contact() found, with what certifies them.
template <Scalar S>
struct [[nodiscard]] ContactSolution {
  Status status = Status::max_iterations;  ///< converged, or max_iterations: no solution was found
  VectorX<S> r,                            ///< (rows) contact forces or impulses; if not converged, the best found
      u;                                   ///< (rows) relative velocities W r + q, with the symmetric part of W
  S natural_map{};                         ///< certificate: see natural_map()
  int factorizations = 0;                  ///< of matrices with the pattern of W
  /// Empty, or (rows) a unit vector that proves that there is no solution: normal forces p >= 0 without tangential ones, W p = 0 and
  /// q . p < 0. With them, p . u = q . p < 0 for any r, although every contact of a solution has u_n >= 0.
  VectorX<S> proof;
  explicit operator bool() const noexcept { return status == Status::converged; }  ///< whether it converged
};

namespace detail {
/// Returns the number of rows of a contact, 2 or 3.  @throws OptionsError if there are not two or three rows for each contact.
inline Eigen::Index rows_of_a_contact(const char* asks, Eigen::Index rows, Eigen::Index contacts) {
  const Eigen::Index size = contacts > 0 ? rows / contacts : 2;
  if (size * contacts != rows || size < 2 || size > 3)
    throw OptionsError(std::string(asks) + ": there are not two or three rows for each contact");
  return size;
}
}  // namespace detail

/// Returns the norm of  r - P(r - u_hat)  over all contacts, P the projection onto the friction cones |r_t| <= mu r_n and
/// u_hat = u + mu |u_t| e_n: zero exactly for a solution of Coulomb's law.                   [Acary, Brémond and Huber 2018, section 3]
/// @param u (rows) W r + q.  @param mu (contacts).  @param r (rows); the first row of a contact is the normal one.
/// @throws OptionsError if sizes do not match.
template <Scalar S>
S natural_map(const VectorX<S>& u, const VectorX<S>& mu, const VectorX<S>& r) {
  const Eigen::Index size = detail::rows_of_a_contact("natural_map", u.size(), mu.size());
  if (r.size() != u.size()) throw OptionsError("natural_map: u and r differ in size");
  const Vector3<S> ones = Vector3<S>::Ones();
  S sum(0);
  for (Eigen::Index c = 0; c < mu.size(); ++c) {
    const RowGroup<S> group{RowKind::contact, static_cast<int>(size), size * c, mu[c]};
    const Vector3<S> own = of_group(group, r), rates = of_group(group, u);
    Vector3<S> w = rates - own;
    w[0] += mu[c] * rates.template tail<2>().norm();
    sum += (own - detail::group_force(group, ConeLaw::convex, ones, w).lambda).squaredNorm();
  }
  return std::sqrt(sum);
}

/// Solves the frictional contact problem  u = W r + q,  K* contains u + mu |u_t| e_n, orthogonal to r in K,  the cones |r_t| <= mu r_n:
/// Coulomb's law of rigid contacts, by the solver of CompliantIntegrator. Contacts may be redundant and W singular; of the many forces that
/// then solve a problem, one is returned.                                                        [compliant_math.md, section 5.2]
/// @param W (rows, rows) Delassus matrix; its symmetric part, taken as positive semidefinite, is used. Blocks of zeros are exploited.
/// @param q (rows) free relative velocities.  @param mu (contacts) coefficients of friction >= 0.  Each contact has two or three rows, the
/// normal one first.
/// @param tolerance of the natural map, relative to the larger of |q| and 1e-6; > 0.
/// @returns a converged solution; or one that is not, with or without a proof that there is none.
/// @throws OptionsError if sizes do not match, a number is not finite, mu is negative or the tolerance is not positive.   Allocates.
template <Scalar S>
ContactSolution<S> solve_contact(const MatrixX<S>& W, const VectorX<S>& q, const VectorX<S>& mu,
                                 std::type_identity_t<S> tolerance = sizeof(S) >= 8 ? S(1e-10) : S(1e-4F)) {
  const Eigen::Index m = q.size(), size = detail::rows_of_a_contact("solve_contact", m, mu.size());
  if (W.rows() != m || W.cols() != m) throw OptionsError("solve_contact: W is not a square matrix of the size of q");
  detail::require_option(tolerance > S(0) && std::isfinite(tolerance), "solve_contact", "tolerance", tolerance, "a finite number > 0");
  if (!W.allFinite() || !q.allFinite() || !mu.allFinite() || (mu.array() < S(0)).any())
    throw OptionsError("solve_contact: a number is not finite, or a coefficient of friction is negative");
  const MatrixX<S> symmetric = (W + W.transpose()) / S(2);
  ContactSolution<S> solution{Status::converged, VectorX<S>::Zero(m), q, S(0), 0, VectorX<S>()};
  if (m == 0) return solution;

  const auto problem = [&](const VectorX<S>& friction, const VectorX<S>& R) {
    ConeRows<S> rows(m);
    for (Eigen::Index c = 0; c < mu.size(); ++c) {
      const RowGroup<S> group{RowKind::contact, static_cast<int>(size), size * c, friction[c]};
      [[maybe_unused]] const bool fits = rows.add({group.kind, group.size, of_group(group, R), of_group(group, q), group.limit});
    }
    return detail::DelassusVelocities<S>(symmetric, rows);
  };
  detail::ConeNewton<S> newton(2 * m, m);
  VectorX<S> v = VectorX<S>::Zero(2 * m), r = solution.r;
  const S most = tolerance * std::max(q.norm(), S(1e-6F));
  detail::DelassusVelocities<S> contacts = problem(mu, VectorX<S>::Zero(m));
  solution.natural_map = std::numeric_limits<S>::infinity();
  for (S within = tolerance / S(1000); within >= tolerance / S(1e6F) && !(solution.natural_map <= most); within /= S(30)) {
    const detail::ConeResult<S> result = newton.solve(contacts, {.tolerance = within}, v, r);
    solution.factorizations += result.factorizations;
    const VectorX<S> u = symmetric * r + q;
    const S error = natural_map(u, mu, r);
    if (!(error < solution.natural_map)) continue;
    solution.natural_map = error;
    solution.r = r;
    solution.u = u;
    if (!result || result.is_convex) break;
  }
  if (solution.natural_map <= most) return solution;

  // The forces of frictionless contacts that are a little soft are large only along such a p, if there is one.
  solution.status = Status::max_iterations;
  const S softness = sizeof(S) >= 8 ? S(1e-10) : S(1e-5F), scale = symmetric.diagonal().maxCoeff();
  contacts = problem(VectorX<S>::Zero(mu.size()), VectorX<S>::Constant(m, softness * std::max(scale, std::numeric_limits<S>::min())));
  v.setZero();
  r.setZero();
  const detail::ConeResult<S> result = newton.solve(contacts, {.law = ConeLaw::convex}, v, r);
  solution.factorizations += result.factorizations;
  for (Eigen::Index i = 0; i < m; ++i) r[i] = i % size == 0 ? std::max(r[i], S(0)) : S(0);
  r.normalize();
  const S far = std::sqrt(softness);
  if (r.allFinite() && (symmetric * r).norm() <= far * scale && q.dot(r) < -far * q.norm()) solution.proof = r;
  return solution;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ContactSolution<double> solve_contact(const MatrixX<double>&, const VectorX<double>&, const VectorX<double>&, double);
#endif

}  // namespace actio
