// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The common parts of root finders: concepts of the problems that they solve, the stopping rule, and results.
//
// A root finder is a type with
//   static constexpr JacobianUse jacobian      what it needs of the problem beyond an approximate inverse Jacobian
//   Workspace<S>(n)                            sized once, for n unknowns
//   solve(problem, x, workspace, options)      x: initial guess in, root out
// and, if one root helps to find the next, Memory<V>, an argument of solve() after the workspace.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "actio/core/status.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// What a root finder needs of a problem beyond an approximate inverse Jacobian.
enum class JacobianUse {
  none,      ///< nothing else
  factored,  ///< the exact Jacobian as an operator: NewtonProblem
  dense,     ///< the exact Jacobian as a matrix: DenseProblem
};

/// A system f(x) = 0 of as many equations as unknowns, with an approximate inverse Jacobian H and a norm of f that the problem chooses,
/// relative to its scale.
template <class P, class S>
concept RootProblem = requires(P& problem, const VectorX<S>& x, VectorX<S>& z) {
  { problem.residual(x) } noexcept -> std::convertible_to<S>;  // evaluates f at x; returns its norm
  { problem.update(z) } noexcept;                              // the update that belongs to the last norm, z = -H f
  { problem.floor() } noexcept -> std::convertible_to<ValueOf<S>>;  // the norm that rounding errors leave at best; may be costly
};

/// A RootProblem that provides its exact Jacobian J as an operator. After a norm that used J, update() is z = -J^-1 f. residual() may
/// overwrite the factors.
template <class P, class S>
concept NewtonProblem = RootProblem<P, S> && requires(P& problem, const VectorX<S>& x) {
  { problem.evaluate(x) } noexcept;                                   // evaluates f at x without its norm, before linearize()
  { problem.linearize() }
  noexcept->std::convertible_to<S>;  // factors J at the x of the last evaluation; returns the norm of the f
                                     // there by these factors, infinity if J is singular
  { problem.newton_residual(x) } noexcept -> std::convertible_to<S>;  // evaluates f at x; returns its norm by the last factors
  { problem.plausible() } noexcept -> std::same_as<bool>;             // whether x is in the region where f may be evaluated
};

/// A RootProblem that provides its exact Jacobian as a matrix.
template <class P, class S>
concept DenseProblem = RootProblem<P, S> && requires(P& problem, MatrixX<S>& J) {
  { problem.value() } noexcept -> std::same_as<const VectorX<S>&>;  // the last f
  { problem.jacobian(J) } noexcept;                                 // J (n, n) at the x of the last evaluation
  { problem.plausible() } noexcept -> std::same_as<bool>;
};

/// When a root finder stops.
template <class V>
struct RootOptions {
  V tolerance;                                      ///< on the norm, >= 0; 0: up to rounding errors
  int max_iterations;                               ///< largest number of updates
  V farthest = std::numeric_limits<V>::infinity();  ///< no update is made if the guess has a larger norm: there may be other roots
  /// Largest number of consecutive updates that, far above rounding, do not lower the smallest norm by a tenth.
  int max_idle = std::numeric_limits<int>::max();
};

/// The result of a root finder.
template <class V>
struct RootResult {
  Status status;       ///< converged, or the reason of failure
  Method method;       ///< the method that found the root, or tried last
  int iterations;      ///< updates, with any Jacobian; one that is shortened counts once
  int evaluations;     ///< evaluations of the residual
  int factorizations;  ///< factorisations of the exact Jacobian
  V norm;              ///< norm at x on return
};

namespace detail {

struct NoRootMemory {};

template <class Root, class S>
struct RootMemoryOf { using type = NoRootMemory; };
template <class Root, class S>
  requires requires { typename Root::template Memory<ValueOf<S>>; }
struct RootMemoryOf<Root, S> { using type = typename Root::template Memory<ValueOf<S>>; };

/// Returns whether the next root, of a problem that changed little, may use the same approximate inverse.
template <class Memory>
bool keeps_inverse(const Memory& memory) {
  if constexpr (requires { memory.keeps_inverse; }) return memory.keeps_inverse;
  else return false;
}

}  // namespace detail

/// The data that a root finder keeps from one root to the next; empty for most.
template <class Root, class S>
using RootMemory = typename detail::RootMemoryOf<Root, S>::type;

namespace detail {

/// Returns whether a norm from linearize() says that the Jacobian is singular.
template <class S>
bool is_singular(const S& norm) noexcept { return std::isinf(value_of(norm)); }

/// Makes one Newton update with the exact Jacobian at x, where f was evaluated last, and evaluates f.  @returns false if J is singular.
template <class Root, class S, class Problem>
bool exact_update(Problem& problem, VectorX<S>& x, typename Root::template Workspace<S>& work) noexcept {
  if constexpr (Root::jacobian == JacobianUse::factored) {
    if (is_singular(S(problem.linearize()))) return false;
    problem.update(work.z);
    x += work.z;
    problem.evaluate(x);
    return true;
  } else {
    problem.jacobian(work.J);
    work.lu.compute(work.J);
    work.z = work.lu.solve(problem.value());
    x -= work.z;
    return is_finite(S(problem.residual(x)));
  }
}

}  // namespace detail

/// Finds the root, with or without memory. Convergence is tested on values. For scalars that carry derivatives one exact Newton update
/// x - J^-1 f follows, which yields the derivatives of the root up to the remaining residual (implicit function theorem).
/// @param x (n) in: the guess; out: the root, or where the search ended.  @param work for n unknowns.  @param memory of earlier roots.
/// @returns converged, max_iterations, singular or not_finite. A norm that only rounding errors keep above
/// the tolerance counts as converged.
template <class Root, class S, class Problem>
RootResult<ValueOf<S>> find_root(Problem& problem, VectorX<S>& x, typename Root::template Workspace<S>& work, RootMemory<Root, S>& memory,
                                 const RootOptions<ValueOf<S>>& options) noexcept {
  RootResult<ValueOf<S>> result{};
  if constexpr (std::same_as<RootMemory<Root, S>, detail::NoRootMemory>) result = Root::solve(problem, x, work, options);
  else result = Root::solve(problem, x, work, memory, options);
  if constexpr (has_derivatives<S>) {
    static_assert(
        Root::jacobian != JacobianUse::none,
        "the derivatives of a root need the exact Jacobian, which this root finder does not use: choose Automatic, Newton or DenseNewton");
    if (result.status != Status::converged) return result;
    ++result.iterations, ++result.evaluations, ++result.factorizations;
    if (!detail::exact_update<Root, S>(problem, x, work)) result.status = Status::singular;
  }
  return result;
}

/// Counts evaluations and updates, and stops at the tolerance, after RootOptions::max_iterations updates, or when only rounding errors are
/// left. The latter is assumed if the norm is below the floor and two updates, consecutive or not, failed to halve the smallest norm so
/// far; the last norms fluctuate. The estimated floor does not account for the lever arms of every model: with the tolerance 0, a norm up
/// to a hundred times the floor is accepted after six such updates.
template <class V>
class StoppingRule {
 public:
  /// @param method the method that begins.
  StoppingRule(const RootOptions<V>& options, Method method) : options_(options) { result_.method = method; }

  /// Counts an evaluation and judges its norm.  @param problem whose floor() is asked for if the iteration stalls.
  /// @returns true if the iteration ends; result() contains the status.
  template <class Problem>
  bool stop(V norm, Problem& problem) noexcept {
    count_evaluation();
    if (result_.evaluations > 1 && !(norm < best_ / 2)) ++stalls_;
    const bool is_idle = result_.evaluations > 1 && !(norm < V(0.9F) * best_) && best_ > std::sqrt(std::numeric_limits<V>::epsilon());
    idle_ = is_idle ? idle_ + 1 : 0;
    best_ = result_.evaluations == 1 ? norm : std::min(best_, norm);
    result_.norm = norm;
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= options_.tolerance || norm == V(0)) return end(Status::converged);
    if (result_.evaluations == 1 && norm > options_.farthest) return end(Status::max_iterations);
    if (stalls_ >= 2) {
      const V rounding = problem.floor();
      if (norm <= rounding) return end(Status::converged);
      if (stalls_ >= 6 && norm <= 100 * rounding && options_.tolerance == V(0)) return end(Status::converged);
    }
    return (result_.iterations >= options_.max_iterations || idle_ > options_.max_idle) && end(Status::max_iterations);
  }
  /// Makes and counts an update z of x.
  template <class S>
  void update(VectorX<S>& x, const VectorX<S>& z) noexcept {
    count_update();
    x += z;
  }
  void count_update() noexcept { ++result_.iterations; }                ///< counts an update that the caller makes
  void count_factorization() noexcept { ++result_.factorizations; }     ///< counts a factorisation of the exact Jacobian
  void count_evaluation() noexcept { ++result_.evaluations; }           ///< counts an evaluation of the residual that is not judged
  void judge_again() noexcept { --result_.evaluations; }                ///< the next norm is another one of the last evaluation
  void set_method(Method method) noexcept { result_.method = method; }  ///< changes the method
  /// Ends the iteration with a status.  @returns true.
  bool end(Status status) noexcept {
    result_.status = status;
    return true;
  }
  const RootResult<V>& result() const noexcept { return result_; }  ///< counts so far, and the status once the iteration has ended

 private:
  RootOptions<V> options_;
  RootResult<V> result_{Status::max_iterations, Method::riqn, 0, 0, 0, V(0)};
  V best_{};
  int stalls_ = 0, idle_ = 0;
};

}  // namespace actio
