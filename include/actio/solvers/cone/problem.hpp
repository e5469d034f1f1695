// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The concept of a cone problem in velocities, options of its solvers, and their result.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <concepts>
#include <span>

#include "actio/core/elementary.hpp"
#include "actio/core/status.hpp"
#include "actio/solvers/cone/law.hpp"

namespace actio::detail {

/// Velocities v with  M (v - v_free) = h G^T lambda,  lambda the forces of the rows at the rates  w = G v + bias.
///                                                                                     [compliant_math.md, sections 4.1, 5.1 and 8]
template <class P, class S>
concept ConeProblem = requires(P problem, const P& fixed, const ConstVectorRef<S>& x, VectorRef<S> out, std::span<const GroupForce<S>> forces) {
  { fixed.rows() } -> std::convertible_to<const ConeRows<S>&>;            // kinds, R and bias
  { fixed.h() } -> std::convertible_to<S>;                                // length of the step [s]
  { fixed.v_free() } -> std::convertible_to<ConstVectorRef<S>>;            // (n) the velocities without the rows [rad/s, m/s]
  { fixed.mobility() } -> std::convertible_to<ConstVectorRef<S>>;          // (rows or more) G_i M^-1 G_i^T, or larger
  problem.rates(x, out);                                                  // out (rows) = G x
  problem.momentum(x, out);                                               // out = M x
  problem.forces(x, out);                                                 // out = G^T x, x (rows)
  { problem.factor(forces) } -> std::same_as<bool>;                       // M + h sum G_c^T H_c G_c; false: singular
  problem.solve(out);                                                     // solves with the last factorisation, in place
  { problem.inverse_mass_norm(x) } -> std::convertible_to<S>;             // sqrt(x^T M^-1 x), of M or of a similar matrix
};

/// Returns R / (h A) of the rows that settle_rigid_rows() changes: two thirds of the digits.
template <Scalar S>
S settling_softness() noexcept {
  static const S softness = elementary::pow(epsilon<S>, S(2) / S(3));
  return softness;
}

/// Gives the rigid rows of the group added last a compliance R that is negligible compared to h A, but determines how redundant rows share
/// a force: without it, rounding errors would change the shares from step to step.
/// @param mobility (rows or more) diagonal of A [1/kg, 1/(kg m^2)].  @param h length of the step [s].  @pre a group was added.
template <Scalar S>
void settle_rigid_rows(ConeRows<S>& rows, const VectorX<S>& mobility, const S& h) noexcept {
  const RowGroup<S>& group = rows.groups().back();
  S tangents(0);
  for (int r = 0; r < group.size; ++r) {
    S& R = rows.R()[group.first + r];
    if (!(R > S(0))) R = settling_softness<S>() * h * mobility[group.first + r];
    if (r > 0) tangents = std::max(tangents, R);
  }
  for (int r = 1; r < group.size; ++r) rows.R()[group.first + r] = tangents;
}

/// Computes y (rows) = G v + bias + R (lambda - base), the rates of the rows with their compliance.  @param base see ConeRows::base().
///@{
template <Scalar S, ConeProblem<S> Problem>
void row_rates(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, const ConstVectorRef<S>& base,
               VectorRef<S> y) noexcept {
  const ConeRows<S>& rows = problem.rows();
  problem.rates(v, y);
  y += rows.bias() + rows.R().cwiseProduct(lambda - base);
}
template <Scalar S, ConeProblem<S> Problem>
void row_rates(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, VectorRef<S> y) noexcept {
  row_rates<S>(problem, v, lambda, problem.rows().base(), y);
}
///@}
/// Computes r (n) = h G^T lambda - M (v - v_free), and away (n) = v - v_free.  @param momentum (n) out: M away.
template <Scalar S, ConeProblem<S> Problem>
void momentum_residual(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, VectorRef<S> r, VectorRef<S> away,
                       VectorRef<S> momentum) noexcept {
  problem.forces(lambda, r);
  away = v - problem.v_free();
  problem.momentum(away, momentum);
  r = problem.h() * r - momentum;
}

/// How exactly a cone problem is solved, and by which law.
template <Scalar S>
struct ConeOptions {
  ConeLaw law = ConeLaw::coulomb;                     ///< of contacts that slide
  S tolerance = sizeof(S) >= 8 ? S(1e-12) : S(1e-5);  ///< of v in the energy norm, relative to the free motion
  /// Updates of each search, not counting those that share their factors with the one before: while no piece changes a search may take
  /// thousands of these, cheap and slow. 3.7 of a thousand small random problems take more than 100. With 0 the guess is judged, and stays
  /// as it is.
  int max_factorizations = 1000;
  bool only_searches = false;  ///< no path, and no convex law, if the search does not find Coulomb's
  /// The caller solves again, with the rates that the settling compliance left, as bias: see settle_rigid_rows(). It then needs a small
  /// residual, but not the bound on the error of velocities that redundant bilateral rows need.
  bool solves_again = false;
  /// Where the solution is near, ConeRows::settling() acts on changes from then on, again and again, until its effect on the rates is at
  /// most this in the norm of the tolerance, or falls slowly. 0: on changes from ConeRows::base() only.
  S creep{};
  S of_guess{};  ///< the guess is a solution if its error is at most this multiple of the bound of rounding errors
  std::size_t place = 0;  ///< of an island: number of groups in the islands before it
  bool same_matrix = false;  ///< the rows, their R and M are those of the solver's last problem, the same object: factors may be used again
};

/// How a cone problem was solved.
template <Scalar S>
struct [[nodiscard]] ConeResult {
  Status status = Status::max_iterations;  ///< converged, or why not
  int iterations = 0;                      ///< updates of velocities and forces, by one solve each
  int factorizations = 0;                  ///< of the matrix in velocities: see ConeOptions::max_factorizations
  S residual{};  ///< in the norm of the tolerance
  S creep{};     ///< what ConeRows::settling() has effected since it acted anew: see ConeOptions::creep
  bool is_convex = false;  ///< Coulomb's law was requested but not solved: these are the forces of the convex law
  explicit operator bool() const noexcept { return status == Status::converged; }  ///< whether it converged
};

}  // namespace actio::detail
