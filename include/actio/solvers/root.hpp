// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What root finders have in common: the problem they are handed, when they stop, and what they report.
#include <algorithm>
#include <cmath>
#include <concepts>

#include "actio/core/status.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// A system f(x) = 0 with an approximate inverse Jacobian, seen through a norm that the problem chooses.
template <class P, class S>
concept RootProblem = requires(P& problem, const VectorX<S>& x, VectorX<S>& z) {
  { problem.residual(x) } noexcept -> std::convertible_to<S>;  // evaluates f at x; its norm, relative, 1 being the scale of the problem
  { problem.update(z) } noexcept;                              // z = -H f of that f, H the approximate inverse Jacobian
};

template <class V>
struct RootOptions {
  V tolerance;         ///< on the norm
  V floor;             ///< what rounding leaves of the norm at best: below it, lack of progress is convergence
  int max_iterations;  ///< updates
};

template <class V>
struct RootResult {
  Status status;
  int evaluations;  ///< of the residual
  V norm;           ///< at x on return
};

/// Stops at the tolerance, or where only rounding is left: below the floor when two updates, in a row or not, failed to halve
/// the best residual so far (the last ones go up and down). A floor that is estimated in advance does not know every model's
/// lever arms: who asks for rounding itself, by the tolerance 0, gets what is up to a hundred times above it, when six failed.
template <class V>
class StoppingRule {
 public:
  explicit StoppingRule(const RootOptions<V>& options) : options_(options) {}
  /// Judges the norm after an evaluation.  @returns true when the iteration ends; `result()` says how.
  bool stop(V norm) noexcept {
    ++result_.evaluations;
    if (result_.evaluations > 1 && !(norm < best_ / 2)) ++stalls_;
    best_ = result_.evaluations == 1 ? norm : std::min(best_, norm);
    result_.norm = norm;
    if (!std::isfinite(norm)) return end(Status::not_finite);
    if (norm <= options_.tolerance || norm == V(0)) return end(Status::converged);
    const bool to_rounding = options_.tolerance == V(0);
    if (stalls_ >= 2 && norm <= options_.floor) return end(Status::converged);
    if (stalls_ >= 6 && norm <= 100 * options_.floor && to_rounding) return end(Status::converged);
    return result_.evaluations > options_.max_iterations && end(Status::max_iterations);
  }
  const RootResult<V>& result() const noexcept { return result_; }

 private:
  bool end(Status status) noexcept {
    result_.status = status;
    return true;
  }
  RootOptions<V> options_;
  RootResult<V> result_{Status::max_iterations, 0, V(0)};
  V best_{};
  int stalls_ = 0;
};

}  // namespace actio
