// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's method for cone problems, used by CompliantIntegrator, by VariationalIntegrator and MaximalIntegrator where limits, friction or
// contacts act, and by solve_contact(): any number of rows, of any stiffness, with Coulomb's law or the convex law of friction.
// An iteration takes O(n + rows) operations where the matrix of the bodies is factored in O(n).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "actio/solvers/cone/descent.hpp"
#include "actio/solvers/cone/natural.hpp"
#include "actio/solvers/cone/path.hpp"

namespace actio::detail {

/// Solves a cone problem by Newton's iteration on rates and forces from a guess; after a step similar to the last one, two or three
/// factorisations reach rounding. If that does not converge, the convex law is solved by descent, which always converges, and Coulomb's law
/// from there: repeatedly, by halved or whole Newton steps, from solutions of the convex law with the normal rates corrected for slip.
/// If that fails too, ConePath follows the path of solutions from the convex law to Coulomb's.
///                                                                                             [compliant_math.md, sections 5 and 8]
template <Scalar S>
class ConeNewton {
 public:
  /// @param n largest number of velocities.  @param rows largest number of rows.
  ConeNewton(Eigen::Index n, Eigen::Index rows)
      : natural_(n, rows), descent_(n, rows), path_(n, rows), work_(VectorX<S>::Zero(n)), best_v_(work_), close_v_(work_),
        lift_(VectorX<S>::Zero(rows)), best_lambda_(lift_), close_lambda_(lift_), guess_lambda_(lift_), w_(lift_) {}

  /// Returns the pieces of the solution if solve() converged: see ConeNatural::forces().
  std::span<const GroupForce<S>> forces() const noexcept { return natural_.forces(); }

  /// Solves for v and lambda. If neither the search nor the path finds a solution of Coulomb's law, each within
  /// ConeOptions::max_factorizations, the result is the solution of the convex law, to the same tolerance and within as many
  /// again: it counts as converged, and ConeResult::is_convex is set. A residual of Coulomb's law up to 1e-6 (float: 1e-3) also counts as
  /// converged if none of this finds a smaller one.
  /// @param v (n) [rad/s, m/s], lambda (rows) [N, N m] in: a guess; out: the solution.
  /// @returns converged, or max_iterations, singular, not_finite.
  template <ConeProblem<S> Problem>
  ConeResult<S> solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept;

 private:
  static constexpr int quick = 12, careful = 40;  // iterations

  /// The state that the attempts at one problem share.
  template <class Problem>
  struct Run {
    Problem& problem;
    const ConeOptions<S>& options;
    S scale;
    VectorRef<S> v, lambda;
    int most;  // factorisations
    ConeResult<S> result{};
    bool keeps = false;  // whether natural_ may use its last factors again in the next iteration
    S creep{};           // of the next iteration: see ConeOptions
    S closest = std::numeric_limits<S>::infinity();  // the residual at close_v_, close_lambda_

    int left() const { return most - result.factorizations; }
  };

  /// Runs Newton's iteration from v and lambda.  @returns whether it converged.
  template <class Problem>
  bool iterate(Run<Problem>& run, ConeLaw law, int most, const S& length = S(0), const S& damping = S(0)) noexcept {
    run.result.status = Status::max_iterations;  // not the outcome of an earlier attempt
    ConeOptions<S> options = run.options;
    options.law = law;
    options.creep = std::exchange(run.creep, S(0));
    options.same_matrix = std::exchange(run.keeps, false);
    return natural_.solve(run.problem, options, run.scale, std::min(most, run.left()), run.v, run.lambda, run.result, length, damping);
  }
  /// Does the same for Coulomb's law, and continues while the residual is small and falls. Stores the point of a small residual that no
  /// longer falls.
  template <class Problem>
  bool iterate_coulomb(Run<Problem>& run, int most, const S& length = S(0), const S& damping = S(0)) noexcept;

  /// Solves the convex law with lift_ added to the rates, from best_v_; the result is in best_v_, best_lambda_, v and lambda.
  template <class Problem>
  bool descend(Run<Problem>& run, const S& softness) noexcept;
  /// Solves the convex law from best_v_.  @returns whether the tolerance was reached; otherwise v and lambda are the best found.
  template <class Problem>
  bool solve_convex(Run<Problem>& run) noexcept;
  /// Searches for a solution of Coulomb's law from best_v_, after Newton's iteration from the guess failed.
  template <class Problem>
  bool search_coulomb(Run<Problem>& run) noexcept;
  /// Follows the path from the convex law to Coulomb's, after the search failed.
  template <class Problem>
  bool follow_path(Run<Problem>& run) noexcept;

  /// Returns the scale of errors: the square root of the energy of the free motion and of the rows that it would load.
  template <class Problem>
  S free_energy_scale(Problem& problem) noexcept;
  /// Moves lift_ towards mu |y_t|, the rate by which the convex law lifts sliding contacts.  @param length of the step; 1: all the way.
  template <class Problem>
  void set_lift(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, const S& length) noexcept;

  static inline const S root_epsilon_ = std::sqrt(epsilon<S>);

  ConeNatural<S> natural_;
  ConeDescent<S> descent_;
  ConePath<S> path_;
  VectorX<S> work_, best_v_, close_v_;                        // (n)
  VectorX<S> lift_, best_lambda_, close_lambda_, guess_lambda_, w_;         // (rows)
};

template <Scalar S>
template <ConeProblem<S> Problem>
ConeResult<S> ConeNewton<S>::solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept {
  Run<Problem> run{problem, options, free_energy_scale(problem), v, lambda, options.max_factorizations};
  best_v_.head(v.size()) = v;
  guess_lambda_.head(lambda.size()) = lambda;
  natural_.begin(problem.rows(), options.place);
  const bool is_coulomb = options.law == ConeLaw::coulomb;
  run.keeps = options.same_matrix || options.max_factorizations == 0;
  if (options.max_factorizations == 0) {
    if (iterate(run, options.law, 0)) run.result.status = Status::converged;
    return run.result;
  }
  const auto from_guess = [&] { return is_coulomb ? iterate_coulomb(run, quick) : iterate(run, ConeLaw::convex, quick); };
  run.creep = options.creep;
  bool done = from_guess();
  if (!done && natural_.has_settled()) {  // it may have moved forces far that nothing bounds
    v = best_v_.head(v.size());
    lambda = guess_lambda_.head(lambda.size());
    natural_.begin(problem.rows(), options.place);
    run.closest = std::numeric_limits<S>::infinity();
    done = from_guess();
  }
  const bool from_search = !done;
  if (!done && is_coulomb) done = search_coulomb(run);
  if (!done && options.only_searches) return run.result;
  const auto begin_anew = [&] { run.most = run.result.factorizations + options.max_factorizations; };
  if (!done && is_coulomb) {
    begin_anew();
    done = follow_path(run);
  }
  if (!done && is_finite(run.closest)) {
    v = close_v_.head(v.size());
    lambda = close_lambda_.head(lambda.size());
    iterate(run, ConeLaw::coulomb, 0);  // for forces()
    run.result.residual = run.closest;
    done = true;
  }
  if (!done) {
    if (is_coulomb) begin_anew();
    done = solve_convex(run);
    run.result.is_convex = is_coulomb && done;
  }
  if (done) run.result.status = Status::converged;
  if (from_search) natural_.forget_factors();
  run.result.creep = natural_.creep(problem, run.scale, lambda);
  return run.result;
}

template <Scalar S>
template <class Problem>
bool ConeNewton<S>::iterate_coulomb(Run<Problem>& run, int most, const S& length, const S& damping) noexcept {
  const Eigen::Index n = run.v.size(), m = run.lambda.size();
  constexpr S close(sizeof(S) >= 8 ? 1e-6F : 1e-3F);
  bool done = iterate(run, ConeLaw::coulomb, most, length, damping);
  const S& residual = run.result.residual;
  for (S before = std::numeric_limits<S>::infinity(); !done && residual <= close && residual < before / S(2) && run.left() > 0;) {
    before = residual;
    done = iterate(run, ConeLaw::coulomb, 4);
  }
  if (!done && residual <= S(1e-3F) * close) return true;  // also if the tolerance is below rounding errors
  if (!done && residual <= close && residual < run.closest) {
    if (!(run.closest <= close)) run.most = std::min(run.most, run.result.factorizations + 20);
    run.closest = residual;
    close_v_.head(n) = run.v;
    close_lambda_.head(m) = run.lambda;
    done = iterate(run, ConeLaw::coulomb, 8, S(1));  // halved steps stop at kinks nearby, full ones cross them
  }
  return done;
}

template <Scalar S>
template <class Problem>
bool ConeNewton<S>::descend(Run<Problem>& run, const S& softness) noexcept {
  const Eigen::Index n = run.v.size(), m = run.lambda.size();
  run.v = best_v_.head(n);
  if (!descent_.solve(run.problem, lift_.head(m), softness, run.options.tolerance, run.scale, run.left(), run.v, run.lambda, run.result)) return false;
  best_v_.head(n) = run.v;
  best_lambda_.head(m) = run.lambda;
  return true;
}

template <Scalar S>
template <class Problem>
bool ConeNewton<S>::solve_convex(Run<Problem>& run) noexcept {
  const Eigen::Index n = run.v.size(), m = run.lambda.size();
  lift_.head(m).setZero();
  run.result.status = Status::max_iterations;
  bool has_convex = false;
  // The solution with stiffer rows is found from that with softer ones.
  for (const S softness : {S(1) / S(1 << 10), root_epsilon_, root_epsilon_ / S(1 << 10), root_epsilon_ / S(1 << 20)}) {
    if (!descend(run, softness)) break;
    has_convex = true;
    if (iterate(run, ConeLaw::convex, careful)) return true;
  }
  if (has_convex && run.result.status == Status::max_iterations) {
    run.v = best_v_.head(n);
    run.lambda = best_lambda_.head(m);
  }
  return false;
}

template <Scalar S>
template <class Problem>
bool ConeNewton<S>::search_coulomb(Run<Problem>& run) noexcept {
  const Eigen::Index n = run.v.size(), m = run.lambda.size();
  const auto from_convex = [&](int most, const S& length, const S& damping = S(0)) {
    run.v = best_v_.head(n);
    run.lambda = best_lambda_.head(m);
    return iterate_coulomb(run, most, length, damping);
  };
  lift_.head(m).setZero();
  for (int k = 0; run.left() > 0; ++k) {
    // Softer rows help only if the convex solution is far from Coulomb's.
    if ((k == 0 || !descend(run, root_epsilon_)) && !descend(run, S(1) / S(1 << 10))) return false;
    if (k == 0 && from_convex(careful, S(1), S(3))) return true;  // damped: rigid contacts may be redundant
    if (k == 0) descend(run, root_epsilon_);
    constexpr S leaps[] = {S(10), S(3), S(30), S(0.3F)};  // long steps for slow convergence, short ones for oscillation
    set_lift(run.problem, best_v_.head(n), best_lambda_.head(m), k % 3 == 2 ? leaps[k / 3 % 4] : S(1));
    // Lengths and numbers of steps here are those that leave the fewest of 4151 hard random problems, 24; halved steps alone left 167.
    if (k == 0 ? from_convex(careful, S(0)) || from_convex(15, S(1)) || from_convex(careful, S(0.7F))
               : k % 3 == 1 ? from_convex(15, S(1)) : k % 3 == 2 ? from_convex(6, S(1)) : from_convex(25, S(0.7F))) {
      return true;
    }
  }
  return false;
}

template <Scalar S>
template <class Problem>
bool ConeNewton<S>::follow_path(Run<Problem>& run) noexcept {
  const Eigen::Index n = run.v.size(), m = run.lambda.size();
  if (!solve_convex(run)) return false;
  best_v_.head(n) = run.v;
  best_lambda_.head(m) = run.lambda;
  for (S length(1); run.left() > 0; length *= S(0.7F)) {  // shorter steps where longer ones lost the path
    run.v = best_v_.head(n);
    run.lambda = best_lambda_.head(m);
    if (path_.follow(run.problem, run.scale, length, run.most, run.v, run.lambda, run.result, [&] { return iterate_coulomb(run, 6); })) return true;
  }
  return false;
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
    const S rate = w_[i] + rows.whole_bias()[i], softness = rows.R()[i] + problem.h() * problem.mobility()[i];
    if (softness > S(0)) energy += problem.h() * rate * rate / softness;
  }
  return std::sqrt(energy) + std::numeric_limits<S>::min();
}

template <Scalar S>
template <class Problem>
void ConeNewton<S>::set_lift(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, const S& length) noexcept {
  const ConeRows<S>& rows = problem.rows();
  row_rates<S>(problem, v, lambda, w_.head(rows.size()));
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.kind != RowKind::contact) continue;
    S& lift = lift_[group.first];
    lift = std::max(S(0), S(lift + length * (group.limit * of_group(group, w_).template tail<2>().norm() - lift)));
  }
}

}  // namespace actio::detail
