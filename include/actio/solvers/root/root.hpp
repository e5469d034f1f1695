// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What root finders have in common: the problem they are handed, when they stop, and what they report.
//
// A root finder is a type with
//   static constexpr JacobianUse jacobian      what it needs of the problem beyond an approximate inverse Jacobian
//   Workspace<S>(n)                            sized once, for n unknowns
//   solve(problem, x, workspace, options)      x: initial guess in, root out
// and, if what one root taught helps with the next, Memory<V>, handed to solve after the workspace.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "actio/core/status.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// What a root finder needs of a problem beyond an approximate inverse Jacobian.
enum class JacobianUse {
  none,      ///< the approximate inverse alone
  factored,  ///< NewtonProblem
  dense,     ///< DenseProblem
};

/// A system f(x) = 0, as many equations as unknowns, with an approximate inverse Jacobian, seen through a norm that the problem chooses.
template <class P, class S>
concept RootProblem = requires(P& problem, const VectorX<S>& x, VectorX<S>& z) {
  { problem.residual(x) } noexcept -> std::convertible_to<S>;  // evaluates f at x; its norm, relative, 1 being the scale of the problem
  { problem.update(z) } noexcept;                              // z = -H f of that f, H the approximate inverse Jacobian
  { problem.floor() } noexcept -> std::convertible_to<ValueOf<S>>;  // what rounding leaves of the norm at best; may be costly
};

/// Whose exact Jacobian J is at hand as an operator.
template <class P, class S>
concept NewtonProblem = RootProblem<P, S> && requires(P& problem, const VectorX<S>& x, VectorX<S>& z) {
  { problem.evaluate(x) } noexcept;                                   // f at x, without its norm
  { problem.linearize() } noexcept -> std::same_as<bool>;             // factors J at the x of the last evaluation; false when it is singular
  { problem.newton_norm() } noexcept -> std::convertible_to<S>;       // the norm of the last f as these factors see it; until residual(),
                                                                      // which may put others in their place
  { problem.newton_update(z) } noexcept;                              // z = -J^-1 f of the f of the last newton_norm()
  { problem.plausible() } noexcept -> std::same_as<bool>;             // whether x lies where f is meant to be evaluated
};

/// Whose exact Jacobian is at hand as a matrix.
template <class P, class S>
concept DenseProblem = RootProblem<P, S> && requires(P& problem, MatrixX<S>& J) {
  { problem.value() } noexcept -> std::same_as<const VectorX<S>&>;  // the last f
  { problem.jacobian(J) } noexcept;                                 // J (n, n) at the x of the last evaluation
  { problem.plausible() } noexcept -> std::same_as<bool>;
};

/// When a root finder stops.
template <class V>
struct RootOptions {
  V tolerance;                                      ///< on the norm, >= 0; 0: to rounding
  int max_iterations;                               ///< updates
  V farthest = std::numeric_limits<V>::infinity();  ///< norm of the initial guess above which none is made: there may be other roots
};

/// What a root finder found.
template <class V>
struct RootResult {
  Status status;       ///< converged, or why not
  Method method;       ///< that found the root, or was the last to try
  int evaluations;     ///< of the residual
  int factorizations;  ///< of the exact Jacobian
  int solves;          ///< updates, with whatever Jacobian
  V norm;              ///< at x on return
};

namespace detail {

struct NoRootMemory {};

template <class Root, class S>
struct RootMemoryOf { using type = NoRootMemory; };
template <class Root, class S>
  requires requires { typename Root::template Memory<ValueOf<S>>; }
struct RootMemoryOf<Root, S> { using type = typename Root::template Memory<ValueOf<S>>; };

/// Whether the next root, of a problem that changed little, may use the same approximate inverse.
template <class Memory>
bool keeps_inverse(const Memory& memory) {
  if constexpr (requires { memory.keeps_inverse; }) return memory.keeps_inverse;
  else return false;
}

}  // namespace detail

/// What a root finder keeps from one root to the next; empty for most.
template <class Root, class S>
using RootMemory = typename detail::RootMemoryOf<Root, S>::type;

namespace detail {

/// One Newton update with the exact Jacobian from x, where f was evaluated last, to where it is then.  @returns false when J is singular.
template <class Root, class S, class Problem>
bool exact_update(Problem& problem, VectorX<S>& x, typename Root::template Workspace<S>& work) noexcept {
  if constexpr (Root::jacobian == JacobianUse::factored) {
    if (!problem.linearize()) return false;
    problem.newton_norm();
    problem.newton_update(work.z);
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

/// Finds the root, with or without memory. Convergence is tested on values; of scalars that carry derivatives one exact Newton
/// update follows, from whose x = x0 - J^-1 f those of the root come exactly, up to what was left of f (implicit function theorem).
/// @param x (n) in: the guess; out: the root, or where the search ended.  @param work for n unknowns.  @param memory what earlier roots taught.
/// @returns converged, or max_iterations, singular, not_finite. Where rounding leaves more than the tolerance, that counts as converged.
template <class Root, class S, class Problem>
RootResult<ValueOf<S>> find_root(Problem& problem, VectorX<S>& x, typename Root::template Workspace<S>& work, RootMemory<Root, S>& memory,
                                 const RootOptions<ValueOf<S>>& options) noexcept {
  RootResult<ValueOf<S>> result{};
  if constexpr (std::same_as<RootMemory<Root, S>, detail::NoRootMemory>) result = Root::solve(problem, x, work, options);
  else result = Root::solve(problem, x, work, memory, options);
  if constexpr (has_derivatives<S>) {
    static_assert(Root::jacobian != JacobianUse::none,
                  "derivatives of a root take the exact Jacobian, which this root finder does without: use Automatic, Newton or DenseNewton");
    if (result.status != Status::converged) return result;
    ++result.evaluations, ++result.factorizations, ++result.solves;
    if (!detail::exact_update<Root, S>(problem, x, work)) result.status = Status::singular;
  }
  return result;
}

/// Counts, and stops at the tolerance, or where only rounding is left: below the floor when two updates, in a row or not, failed
/// to halve the best residual so far (the last ones go up and down). A floor that is estimated in advance does not know every
/// model's lever arms: who asks for rounding itself, by the tolerance 0, gets what is up to a hundred times above it, when six failed.
template <class V>
class StoppingRule {
 public:
  /// @param method that begins.
  StoppingRule(const RootOptions<V>& options, Method method) : options_(options) { result_.method = method; }

  /// Counts an evaluation and judges its norm.  @param floor called when the iteration stalls.
  /// @returns true when the iteration ends; `result()` says how.
  template <class Floor>
  bool stop(V norm, Floor&& floor) noexcept {
    count_evaluation();
    return judge(norm, floor);
  }
  /// The same of a norm whose evaluation was counted before.
  template <class Floor>
  bool judge(V norm, Floor&& floor) noexcept {
    if (result_.evaluations > 1 && !(norm < best_ / 2)) ++stalls_;
    best_ = result_.evaluations == 1 ? norm : std::min(best_, norm);
    result_.norm = norm;
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= options_.tolerance || norm == V(0)) return end(Status::converged);
    if (result_.evaluations == 1 && norm > options_.farthest) return end(Status::max_iterations);
    if (stalls_ >= 2) {
      const V rounding = floor();
      if (norm <= rounding) return end(Status::converged);
      if (stalls_ >= 6 && norm <= 100 * rounding && options_.tolerance == V(0)) return end(Status::converged);
    }
    return result_.evaluations > options_.max_iterations && end(Status::max_iterations);
  }
  void count_solve() noexcept { ++result_.solves; }                     ///< an update
  void count_factorization() noexcept { ++result_.factorizations; }     ///< of the exact Jacobian
  void count_evaluation() noexcept { ++result_.evaluations; }           ///< of the residual, not judged
  void set_method(Method method) noexcept { result_.method = method; }  ///< from here on
  /// Ends the iteration for another reason.  @returns true.
  bool end(Status status) noexcept {
    result_.status = status;
    return true;
  }
  const RootResult<V>& result() const noexcept { return result_; }  ///< counts so far, and how it ended once it did

 private:
  RootOptions<V> options_;
  RootResult<V> result_{Status::max_iterations, Method::riqn, 0, 0, 0, V(0)};
  V best_{};
  int stalls_ = 0;
};

}  // namespace actio
