// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solves the independent islands of a cone problem one by one.
#include <algorithm>
#include <utility>

#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// A ConeProblem that consists of independent islands: between enter() and leave() it is the problem of that island only.
template <class P, class S>
concept IslandProblem = ConeProblem<P, S> &&
    requires(P problem, const P& fixed, int island, const ConstVectorRef<S>& from, VectorRef<S> to) {
  { fixed.num_islands() } -> std::convertible_to<int>;
  { fixed.has_rows(island) } -> std::same_as<bool>;
  problem.enter(island);
  problem.leave();
  fixed.gather(from, from, to, to);   // v and lambda of all -> those of the island
  fixed.scatter(from, from, to, to);  // and back
};

/// Solves independent islands one by one, each with as many iterations as it needs and to a tolerance relative to its own motion,
/// independently of the others. Problems without islands are passed to the solver.  Allocates only if the solver does.
template <Scalar S, class Solver>
class ConeIslands {
 public:
  /// @param n size of v.  @param rows largest number of rows.  @param solver with a solve() as that of ConeNewton, of the same capacities.
  ConeIslands(Eigen::Index n, Eigen::Index rows, Solver solver)
      : solver_(std::move(solver)), v_(VectorX<S>::Zero(n)), lambda_(VectorX<S>::Zero(rows)) {}

  /// Solves as ConeNewton::solve() does; the rows of an IslandProblem are placed. The iterations reported are those of the island that took
  /// most. The first island that is not solved ends the solution; later islands keep the guess.
  template <ConeProblem<S> Problem>
  ConeResult<S> solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept;

 private:
  template <class Problem>
  ConeResult<S> solve_each(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept;

  Solver solver_;
  VectorX<S> v_;       // (n) velocities of an island
  VectorX<S> lambda_;  // (rows)
};

template <Scalar S, class Solver>
template <ConeProblem<S> Problem>
ConeResult<S> ConeIslands<S, Solver>::solve(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v, VectorRef<S> lambda) noexcept {
  if constexpr (IslandProblem<Problem, S>) {
    if (problem.num_islands() > 1) return solve_each(problem, options, v, lambda);
  }
  return solver_.solve(problem, options, v, lambda);
}

template <Scalar S, class Solver>
template <class Problem>
ConeResult<S> ConeIslands<S, Solver>::solve_each(Problem& problem, const ConeOptions<S>& options, VectorRef<S> v,
                                                 VectorRef<S> lambda) noexcept {
  ConeResult<S> all;
  all.status = Status::converged;
  ConeOptions<S> own = options;
  for (int island = 0; island < problem.num_islands() && all; ++island) {
    problem.enter(island);
    VectorRef<S> own_v = v_.head(problem.v_free().size()), own_lambda = lambda_.head(problem.rows().size());
    problem.gather(v, lambda, own_v, own_lambda);
    if (problem.has_rows(island)) {
      const ConeResult<S> one = solver_.solve(problem, own, own_v, own_lambda);
      all.status = one.status;
      all.factorizations = std::max(all.factorizations, one.factorizations);
      all.iterations = std::max(all.iterations, one.iterations);
      all.residual = std::max(all.residual, one.residual);
      all.creep = std::max(all.creep, one.creep);
      all.is_convex |= one.is_convex;
    } else {
      own_v = problem.v_free();
    }
    own.place += problem.rows().groups().size();
    problem.scatter(own_v, own_lambda, v, lambda);
  }
  problem.leave();
  return all;
}

}  // namespace actio::detail
