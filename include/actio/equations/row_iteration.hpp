// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The iteration over products with a tree and its rows, which solves for the impulses of rows without a matrix of them.
#include "actio/solvers/krylov.hpp"

namespace actio::detail {

/// Solves  T w - G^T L = f,  G w + R L = d  by an iteration over products with A = G T^-1 G^T + R, O(bodies + rows) each. A System `at` has
///   at.solve_tree(x)        x (nv) := T^-1 x
///   at.rates(v, out)        out (rows) = G v
///   at.add_forces(L, f)     f (nv) += G^T L
///   at.R                    (rows) compliance
/// Only the constructor allocates or throws.                                                                  [srm_math.md, section 5.2]
/// @tparam is_symmetric whether T is; where it is not, GMRES is used if conjugate gradients fail.
template <Scalar S, bool is_symmetric = true>
class RowIteration {
 public:
  using V = ValueOf<S>;  ///< the type of tolerances

  /// @param nv, rows their numbers.  @param redundant as in ConjugateGradients.
  RowIteration(Eigen::Index nv, Eigen::Index rows, V redundant)
      : gradients_(rows, redundant), richardson_(rows), gmres_(is_symmetric ? 0 : rows, 60), f_(VectorX<S>::Zero(nv)),
        r_(VectorX<S>::Zero(rows)), rate_(r_), x_(r_), Ax_(r_) {}

  /// Computes out = A x.  @param x, out (rows), not the same vector.
  template <class System>
  void multiply(const System& at, const VectorX<S>& x, VectorX<S>& out) noexcept {
    respond(at, x);
    at.rates(f_, out);
    out += at.R.cwiseProduct(x);
  }
  /// Solves the system.  @param w (nv) in: f; out: w.  @param L (rows) in: d; out: L.  @param precondition (r, out) out = P r, P close to
  /// A^-1.  @param tolerance of the residual, relative to its initial value.  @param most largest number of products.  @param sweeps
  /// whether Richardson's iteration is used: with ClosureWeights sequential regularisation.  @returns the number of products, and the
  /// residual.
  template <class System, class Precondition>
  SweepResult<V> solve(const System& at, VectorRef<S> w, VectorRef<S> L, const Precondition& precondition, V tolerance, int most,
                       bool sweeps = false) noexcept {
    at.solve_tree(w);
    at.rates(w, rate_);
    r_ = L - rate_;
    L.setZero();
    const SweepResult<V> result = iterate(at, r_, L, precondition, tolerance, most, sweeps);
    respond(at, L);
    w += f_;
    return result;
  }
  /// Solves A L = r with the initial value of L.  @param r (rows) in: r - A L; out: what remains.
  template <class System, class Precondition>
  SweepResult<V> iterate(const System& at, VectorX<S>& r, VectorRef<S> L, const Precondition& precondition, V tolerance, int most,
                         bool sweeps = false) noexcept {
    const auto times = [&](const VectorX<S>& x, VectorX<S>& out) { multiply(at, x, out); };
    if (sweeps) return richardson_.solve(times, precondition, r, L, tolerance, most);
    if constexpr (is_symmetric) {
      return gradients_.solve(times, precondition, r, L, tolerance, most);
    } else {
      rate_ = r;
      const SweepResult<V> result = gradients_.solve(times, precondition, r, L, tolerance, most);
      if (result.residual < solved<V>) return result;
      precondition(rate_, r);
      L.setZero();  // it may be anything
      const auto preconditioned = [&](const auto& x, auto&& out) {
        x_ = x;
        multiply(at, x_, Ax_);
        precondition(Ax_, out);
      };
      return gmres_.solve(preconditioned, r, L, tolerance, 300);
    }
  }

 private:
  /// Computes f_ = T^-1 G^T L.
  template <class System, class Impulses>
  void respond(const System& at, const Impulses& L) noexcept {
    f_.setZero();
    at.add_forces(L, f_);
    at.solve_tree(f_);
  }

  ConjugateGradients<S> gradients_;
  Richardson<S> richardson_;
  Gmres<S> gmres_;
  VectorX<S> f_;                  // (nv)
  VectorX<S> r_, rate_, x_, Ax_;  // (rows)
};

}  // namespace actio::detail
