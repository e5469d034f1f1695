// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Krylov iterations: conjugate gradients for symmetric systems, GMRES for others. They need products with the matrix only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/core/types.hpp"

namespace actio::detail {

/// The outcome of such an iteration.
template <class V>
struct SweepResult {
  int iterations = 0;  ///< number of products with the matrix
  V residual = 0;      ///< sqrt(r^T P r) at the end, relative to that at the beginning; infinite if a number was not finite
};

/// A residual, relative to that at the beginning, below which a system counts as solved where rounding keeps the tolerance out of reach.
template <class V>
inline constexpr V solved = V(sizeof(V) >= 8 ? 1e-10 : 1e-4);

/// Preconditioned conjugate gradients for A x = b, with A symmetric and positive semidefinite, and a preconditioner P > 0 for which P A is
/// at most of the order of one. If A is singular and b in its range, the part of x in the kernel of A keeps its initial value, except for
/// what P mixes into it; redundant rows cost nothing. The iteration ends when A times the search direction vanishes up to rounding, or when
/// what remains is rounding: where a residual was below `solved`, a step after which it is ten times as large is taken back. It goes in
/// directions in which A is small and rounding errors become large.
///                                                                         [Hestenes and Stiefel 1952; srm_math.md, section 5.2]
/// Only the constructor allocates or throws.
template <Scalar S>
class ConjugateGradients {
 public:
  using V = ValueOf<S>;  ///< the type of norms and tolerances
  /// @param size number of unknowns.  @param redundant directions in which P^1/2 A P^1/2 is at most this are redundant.
  explicit ConjugateGradients(Eigen::Index size, V redundant = V(sizeof(V) >= 8 ? 1e-11 : 1e-5))
      : redundant_(redundant), z_(VectorX<S>::Zero(size)), p_(z_), Ap_(z_), s_(z_) {}

  /// Solves the system.  @param times (x, out): out = A x.  @param precondition (r, out): out = P r.
  /// @param r (size) in: b - A x; out: the remaining residual.  @param x (size) in: a guess; out: the solution.
  /// @param tolerance of the residual, relative to its initial value.
  template <class Times, class Precondition>
  SweepResult<V> solve(Times&& times, Precondition&& precondition, VectorX<S>& r, VectorRef<S> x, V tolerance,
                       int max_iterations) noexcept {
    SweepResult<V> result;
    precondition(r, z_);
    S rz = r.dot(z_);
    const V first = value_of(rz);
    if (!std::isfinite(first)) result.residual = std::numeric_limits<V>::infinity();
    if (!(first > 0) || !std::isfinite(first)) return result;
    p_ = z_;
    s_ = r;
    result.residual = 1;
    V least(1);
    while (result.iterations < max_iterations) {
      times(p_, Ap_);
      ++result.iterations;
      const S pAp = p_.dot(Ap_);
      if (!(value_of(pAp) > redundant_ * value_of(S(p_.dot(s_))))) break;  // in the kernel of A
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
      const V residual = std::sqrt(value_of(rz) / first);
      if (least < solved<V> && residual > 10 * least) {
        x -= alpha * p_;
        r += alpha * Ap_;
        break;
      }
      result.residual = residual;
      least = std::min(least, residual);
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

/// Richardson's iteration,  x += omega P r,  r -= omega A P r.  It converges if the spectrum of omega P A is in [0, 2), slowly if some of
/// it is near zero. With the weights of ClosureWeights for P it is sequential regularisation within a step.
///                                                                                              [srm_math.md, section 5.2]
template <Scalar S>
class Richardson {
 public:
  using V = ValueOf<S>;  ///< the type of norms and tolerances
  /// @param size number of unknowns.
  explicit Richardson(Eigen::Index size) : z_(VectorX<S>::Zero(size)), Az_(z_) {}

  /// Solves the system: see ConjugateGradients::solve().
  template <class Times, class Precondition>
  SweepResult<V> solve(Times&& times, Precondition&& precondition, VectorX<S>& r, VectorRef<S> x, V tolerance,
                       int max_iterations) noexcept {
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

/// Restarted GMRES, the method of generalised minimal residuals.                                            [Saad and Schultz 1986, Alg. 4]
/// Only the constructor allocates or throws.
template <Scalar S>
class Gmres {
 public:
  using V = ValueOf<S>;  ///< the type of norms and tolerances

  /// @param size largest number of unknowns.  @param basis largest number of basis vectors, >= 1; a full basis restarts the iteration.
  Gmres(Eigen::Index size, int basis)
      : basis_(std::min(static_cast<Eigen::Index>(basis), std::max(size, Eigen::Index{1}))), Q_(MatrixX<S>::Zero(size, basis_ + 1)),
        R_(MatrixX<S>::Zero(basis_ + 1, basis_)), g_(VectorX<S>::Zero(basis_ + 1)), cosine_(VectorX<S>::Zero(basis_)), sine_(cosine_) {}

  /// Solves the system.  @param times (x, out): out = A x, both (n), n <= size.  @param r (n) in: b - A x; out: the remaining residual.
  /// @param x (n) in: a guess; out: the solution.  @param tolerance of |r|, relative to its initial value.
  /// @param max_iterations largest number of products with A.
  template <class Times>
  SweepResult<V> solve(Times&& times, VectorRef<S> r, VectorRef<S> x, V tolerance, int max_iterations) noexcept {
    SweepResult<V> result;
    const Eigen::Index n = r.size();
    const S first = r.stableNorm();  // also if squares overflow or vanish
    result.residual = std::isfinite(value_of(first)) ? V(1) : std::numeric_limits<V>::infinity();
    if (value_of(first) == 0) result.residual = 0;
    if (!(value_of(first) > 0) || !std::isfinite(value_of(first))) return result;
    while (result.residual > tolerance && result.iterations < max_iterations) {
      const V before = result.residual;
      g_.setZero();
      g_[0] = r.stableNorm();
      Q_.col(0).head(n) = r / g_[0];
      Eigen::Index k = 0;
      while (k < basis_ && result.iterations < max_iterations && result.residual > tolerance) {
        times(Q_.col(k).head(n), Q_.col(k + 1).head(n));
        ++result.iterations;
        const Found found = orthogonalise(k, n);
        if (found == Found::nothing) break;
        ++k;
        result.residual = std::abs(value_of(S(g_[k] / first)));
        if (!std::isfinite(result.residual)) {
          result.residual = std::numeric_limits<V>::infinity();
          return result;
        }
        if (found == Found::the_last) break;
      }
      // x += Q y,  R y = g; the residual is the part along the last column, rotated back.
      for (Eigen::Index row = k - 1; row >= 0; --row) {
        for (Eigen::Index c = row + 1; c < k; ++c) g_[row] -= R_(row, c) * g_[c];
        g_[row] /= R_(row, row);
      }
      if (!g_.head(k).allFinite()) {
        result.residual = std::numeric_limits<V>::infinity();
        return result;
      }
      x.noalias() += Q_.block(0, 0, n, k) * g_.head(k);
      const S left = g_[k];
      g_.head(k).setZero();
      g_[k] = left;
      for (Eigen::Index row = k - 1; row >= 0; --row) {
        g_[row] = -sine_[row] * g_[row + 1];
        g_[row + 1] *= cosine_[row];
      }
      r.noalias() = Q_.block(0, 0, n, k + 1) * g_.head(k + 1);
      if (!(result.residual < V(0.99F) * before)) break;  // no further progress
    }
    return result;
  }

 private:
  /// What a product adds to the basis: a new direction, a combination of those before, or nothing, where A is singular.
  enum class Found { a_direction, the_last, nothing };
  /// Computes column k of R from the product in column k + 1 of Q.
  Found orthogonalise(Eigen::Index k, Eigen::Index n) noexcept {
    auto q = Q_.col(k + 1).head(n);
    const S size = q.stableNorm();
    for (Eigen::Index c = 0; c <= k; ++c) {
      R_(c, k) = Q_.col(c).head(n).dot(q);
      q -= R_(c, k) * Q_.col(c).head(n);
    }
    const S rest = q.stableNorm();
    const bool goes_on = value_of(rest) > 10 * epsilon<S> * value_of(size);
    if (goes_on) q /= rest;
    else q.setZero();
    for (Eigen::Index c = 0; c < k; ++c) {
      const S upper = R_(c, k);
      R_(c, k) = cosine_[c] * upper + sine_[c] * R_(c + 1, k);
      R_(c + 1, k) = cosine_[c] * R_(c + 1, k) - sine_[c] * upper;
    }
    const S below = goes_on ? rest : S(0), length = elementary::hypot(R_(k, k), below);
    if (!(value_of(length) > 100 * epsilon<S> * value_of(size))) return Found::nothing;
    cosine_[k] = R_(k, k) / length;
    sine_[k] = below / length;
    R_(k, k) = length;
    g_[k + 1] = -sine_[k] * g_[k];
    g_[k] *= cosine_[k];
    if (k + 1 < basis_) R_(k + 1, k + 1) = S(0);
    return goes_on ? Found::a_direction : Found::the_last;
  }

  Eigen::Index basis_;
  MatrixX<S> Q_, R_;              // A Q = Q R, R rotated to a triangle
  VectorX<S> g_, cosine_, sine_;
};

}  // namespace actio::detail
