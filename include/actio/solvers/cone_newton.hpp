// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant forces from velocities: O(n + rows) an iteration where the bodies' matrix is factored in O(n), rows any number and any stiff.
#include <cmath>
#include <limits>

#include "actio/solvers/cone_descent.hpp"
#include "actio/solvers/cone_natural.hpp"

namespace actio {

/// Newton's iteration on rates and forces from the guess, which two or three factorisations bring to rounding after a step like the one
/// before. Where it does not converge, from the convex solution, which descent always finds; Coulomb's forces then from there, and from
/// convex solutions whose normal rates are shifted by what slip adds to them.
///                                                                                             [compliant_math.md, sections 5 and 8]
template <Scalar S>
class ConeNewton {
 public:
  /// @param n most velocities.  @param rows capacity.
  ConeNewton(Eigen::Index n, Eigen::Index rows)
      : natural_(n, rows), descent_(n, rows), work_(VectorX<S>::Zero(n)), best_v_(work_), shift_(VectorX<S>::Zero(rows)), best_lambda_(shift_),
        w_(shift_) {}

  /// As ConeNatural::forces(): where solve() found the law asked for, the pieces of its solution.
  std::span<const GroupForce<S>> forces() const noexcept { return natural_.forces(); }

  /// @param v (n) [rad/s, m/s], lambda (rows) [N, N m] in: a guess; out: the solution. Where none of Coulomb's law was found it is the
  /// convex law's, which counts as converged and says so. Of Coulomb's law a residual up to 1e-6 (float: 1e-3) counts as converged, too,
  /// where the iteration ends above the tolerance.  @returns converged, or max_iterations, singular, not_finite.
  template <ConeProblem<S> Problem>
  ConeResult<S> solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept;

 private:
  /// The root of the energy of the free motion, and of the rows that it would load: what errors are measured by.
  template <class Problem>
  S free_energy_scale(Problem& problem) noexcept;
  /// By how much the convex law lifts sliding contacts: mu |y_t|.
  template <class Problem>
  void set_shift(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept;

  ConeNatural<S> natural_;
  ConeDescent<S> descent_;
  VectorX<S> work_, best_v_;               // (n)
  VectorX<S> shift_, best_lambda_, w_;     // (rows)
};

template <Scalar S>
template <ConeProblem<S> Problem>
ConeResult<S> ConeNewton<S>::solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept {
  const Eigen::Index n = v.size(), m = problem.rows().size();
  ConeResult<S> result;
  const S scale = free_energy_scale(problem);
  constexpr int quick = 12, careful = 40, most_shifts = 10;
  const auto left = [&] { return options.max_iterations - result.factorizations; };
  constexpr S good(sizeof(S) >= 8 ? 1e-6F : 1e-3F);  // enough where rounding of stiff rows that depend on each other allows no more
  const auto natural = [&](ConeLaw law, int most) {
    result.status = Status::max_iterations;  // whatever an attempt before met
    return natural_.solve(problem, law, options.tolerance, scale, std::min(most, left()), v, lambda, result) ||
           (law == ConeLaw::coulomb && result.residual <= good);
  };
  best_v_.head(n) = v;
  bool done = natural(options.law, quick);
  shift_.head(m).setZero();
  bool has_convex = false;
  for (int k = 0; !done && k < most_shifts && left() > 0; ++k) {
    v = best_v_.head(n);
    // What stiffer rows add to the convex solution is found from where softer ones have it.
    bool convex = false;
    const S half_the_digits = std::sqrt(epsilon<S>);
    for (const S softness : {S(1) / S(1 << 10), half_the_digits, half_the_digits / S(1 << 10), half_the_digits / S(1 << 20)}) {
      if (!descent_.solve(problem, shift_.head(m), softness, options.tolerance, scale, left(), v, lambda, result)) break;
      best_v_.head(n) = v;
      best_lambda_.head(m) = lambda;
      convex = has_convex = true;
      if (options.law == ConeLaw::convex && (done = natural(ConeLaw::convex, careful))) break;
      v = best_v_.head(n);
      if (options.law == ConeLaw::coulomb && softness <= half_the_digits) break;
    }
    if (!convex || options.law == ConeLaw::convex) break;
    set_shift(problem, v, lambda);
    done = natural(ConeLaw::coulomb, careful);
  }
  if (done) {
    result.status = Status::converged;
  } else if (result.status == Status::max_iterations && has_convex) {
    v = best_v_.head(n);
    lambda = best_lambda_.head(m);
    result.is_convex = options.law == ConeLaw::coulomb;
    if (result.is_convex) result.status = Status::converged;
  }
  return result;
}

template <Scalar S>
template <class Problem>
S ConeNewton<S>::free_energy_scale(Problem& problem) noexcept {
  const ConeRows<S>& rows = problem.rows();
  VectorRef<S> momentum = work_.head(problem.v_free().size());
  problem.momentum(problem.v_free(), momentum);
  S energy = momentum.dot(problem.v_free());
  problem.rates(problem.v_free(), w_.head(rows.size()));
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    const S rate = w_[i] + rows.bias()[i], softness = rows.R()[i] + problem.h() * problem.mobility()[i];
    if (softness > S(0)) energy += problem.h() * rate * rate / softness;
  }
  return std::sqrt(energy) + std::numeric_limits<S>::min();
}

template <Scalar S>
template <class Problem>
void ConeNewton<S>::set_shift(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
  const ConeRows<S>& rows = problem.rows();
  problem.rates(v, w_.head(rows.size()));
  w_.head(rows.size()) += rows.R().cwiseProduct(lambda);
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.kind == RowKind::contact) shift_[group.first] = group.limit * of_group(group, w_).template tail<2>().norm();
  }
}

}  // namespace actio
