// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Symmetric systems by products with their matrix alone.
#include <cmath>
#include <limits>

#include "actio/core/types.hpp"

namespace actio {

/// How far such an iteration came.
template <class V>
struct SweepResult {
  int iterations = 0;  ///< products with the matrix
  V residual = 0;      ///< sqrt(r^T P r) at the end, relative to that at the beginning; infinite where a number was not finite
};

/// A x = b with A symmetric and >= 0, and a preconditioner P > 0 for which P A is of the order of one at most. Where A is singular and b in
/// its range, what A cannot feel of x stays as it came in, but for what P mixes into it; rows that say the same cost nothing. It ends where
/// all that is left is rounding to A.                                      [Hestenes and Stiefel 1952; srm_math.md, section 5.2]
/// All members but the constructor neither allocate nor throw.
template <Scalar S>
class ConjugateGradients {
 public:
  using V = ValueOf<S>;  ///< of norms and tolerances
  /// @param size unknowns.  @param redundant directions are those where P^1/2 A P^1/2 is no more than this.
  explicit ConjugateGradients(Eigen::Index size, V redundant = V(sizeof(V) >= 8 ? 1e-11 : 1e-5))
      : redundant_(redundant), z_(VectorX<S>::Zero(size)), p_(z_), Ap_(z_), s_(z_) {}

  /// @param times (x, out): out = A x.  @param precondition (r, out): out = P r.
  /// @param r (size) in: b - A x; out: what is left of it.  @param x (size) in: a guess; out: the solution.
  /// @param tolerance of the residual, relative to what it was.
  template <class Times, class Precondition>
  SweepResult<V> solve(Times&& times, Precondition&& precondition, VectorX<S>& r, VectorRef<S> x, V tolerance, int max_iterations) noexcept {
    SweepResult<V> result;
    precondition(r, z_);
    S rz = r.dot(z_);
    const V first = value_of(rz);
    if (!std::isfinite(first)) result.residual = std::numeric_limits<V>::infinity();
    if (!(first > 0) || !std::isfinite(first)) return result;
    p_ = z_;
    s_ = r;
    result.residual = 1;
    while (result.iterations < max_iterations) {
      times(p_, Ap_);
      ++result.iterations;
      const S pAp = p_.dot(Ap_);
      if (!(value_of(pAp) > redundant_ * value_of(S(p_.dot(s_))))) break;  // A does not feel it
      const S alpha = rz / pAp;
      x += alpha * p_;
      r -= alpha * Ap_;
      precondition(r, z_);
      const S before = rz;
      rz = r.dot(z_);
      if (!(value_of(rz) > 0) || !std::isfinite(value_of(rz))) {
        result.residual = std::isfinite(value_of(rz)) ? V(0) : std::numeric_limits<V>::infinity();
        break;
      }
      result.residual = std::sqrt(value_of(rz) / first);
      if (result.residual <= tolerance) break;
      p_ = z_ + (rz / before) * p_;
      s_ = r + (rz / before) * s_;
    }
    return result;
  }

 private:
  V redundant_;
  VectorX<S> z_, p_, Ap_, s_;  // s = P^-1 p
};

/// x += omega P r,  r -= omega A P r,  as long as it takes: Richardson's iteration, which converges where omega P A has its spectrum in
/// [0, 2), slowly where some of it is near zero. With the weights of RowWeights for P it is sequential regularisation within a step.
///                                                                                              [srm_math.md, section 5.2]
template <Scalar S>
class Richardson {
 public:
  using V = ValueOf<S>;  ///< of norms and tolerances
  /// @param size unknowns.
  explicit Richardson(Eigen::Index size) : z_(VectorX<S>::Zero(size)), Az_(z_) {}

  /// As ConjugateGradients::solve().
  template <class Times, class Precondition>
  SweepResult<V> solve(Times&& times, Precondition&& precondition, VectorX<S>& r, VectorRef<S> x, V tolerance, int max_iterations) noexcept {
    constexpr V omega(1.8F);
    SweepResult<V> result;
    V first(0);
    while (true) {
      precondition(r, z_);
      const V rz = value_of(S(r.dot(z_)));
      if (result.iterations == 0) first = rz;
      if (!std::isfinite(rz)) {
        result.residual = std::numeric_limits<V>::infinity();
        return result;
      }
      if (!(rz > 0)) break;
      result.residual = std::sqrt(rz / first);
      if (result.residual <= tolerance || result.iterations == max_iterations) return result;
      times(z_, Az_);
      ++result.iterations;
      x += S(omega) * z_;
      r -= S(omega) * Az_;
    }
    result.residual = 0;
    return result;
  }

 private:
  VectorX<S> z_, Az_;
};

}  // namespace actio
