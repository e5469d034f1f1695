// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Impulses of closed loops by conjugate gradients over sweeps of the tree, without a matrix of the rows.
#include <cmath>

#include "actio/constraints/closure_weights.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/equations/row_iteration.hpp"

namespace actio::detail {

/// Solves the system of DenseClosures with the mass matrix by an iteration over products with G M^-1 G^T, O(bodies + rows) each,
/// preconditioned by ClosureWeights. The number of products depends on the conditioning: half a dozen for loops that are connected at
/// corners, the number of rungs for a ladder.                                             [Ascher and Lin 1999; srm_math.md, section 5.2]
/// Only the constructor allocates or throws.
template <class ModelType>
class IteratedClosures {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< the type of tolerances

  /// @param sweeps whether updates use Richardson's iteration, which is sequential regularisation; otherwise conjugate gradients are used.
  /// @param model outlives this.  @throws ModelError if a closure acts on a body without full inertia.
  IteratedClosures(const Model& model, bool sweeps)
      : sweeps_(sweeps), mobility_(model), weights_(model, "the iteration over closed loops"),
        iteration_(model.nv(), rows(), V(sizeof(V) >= 8 ? 1e-11 : 1e-5)), r_(VectorX<S>::Zero(rows())), y_(r_) {}

  static constexpr bool wants_mass = true;  ///< needs factors of M
  /// Computes the mobility of the rows: an upper bound, or exact if rows are redundant; zero within rounding errors.
  /// @param mobility (rows) out.
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
    if (at.is_redundant) mobility_.exact_of_closures(at.tree, at.mass, at.closures, mobility);
    else mobility_.of_closures(at.tree, at.mass, at.closures, mobility);
  }
  /// Computes the weights.  @returns false if one is singular.
  bool factor_mass(const ClosedNode<Model>& at) noexcept {
    return weights_.set(at.tree, [&](Eigen::Index k) -> const ConstraintRow<S>& { return at.closures[k]; }) == nullptr;
  }
  /// Returns whether rows are redundant: takes generic impulses, and solves for them from the rates that they cause. If the solution
  /// differs, the difference causes no rates.
  bool is_redundant(const ClosedNode<Model>& at) noexcept {
    const auto some = [](Eigen::Index k) {
      const double golden = 0.6180339887498949 * static_cast<double>(k + 1);
      return S(static_cast<V>(0.5 + golden - std::floor(golden)));
    };
    for (Eigen::Index k = 0; k < y_.size(); ++k) y_[k] = some(k);
    iteration_.multiply(at, y_, r_);
    y_.setZero();
    iteration_.iterate(at, r_, y_, metric(at, true), tolerance(true), most_iterations(true));
    V all(0), lost(0);
    for (Eigen::Index k = 0; k < y_.size(); ++k) {
      const V b = value_of(some(k)), D = value_of(at.D[k]), e = b - value_of(y_[k]);
      all += D * b * b;
      lost += D * e * e;
    }
    return lost > V(sizeof(V) >= 8 ? 1e-10 : 1e-5) * all;
  }
  /// Solves the system of ClosedNode to an accuracy; in full if rows are redundant, so that the solution does not depend on a guess of L.
  /// @param w (nv) in: f; out: w.  @param L (rows) in: d; out: L.  @param most largest number of iterations; 0: a sufficient default.
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy accuracy, int most = 0) noexcept {
    const bool full = at.is_redundant || accuracy == Accuracy::full;
    if (most == 0) most = most_iterations(full);
    iterations_ = iteration_.solve(at, w, L, metric(at, at.is_redundant), tolerance(full), most, sweeps_ && !full).iterations;
  }
  int iterations() const noexcept { return iterations_; }  ///< iterations of the last solution

 private:
  /// Returns the preconditioner. A solution that begins at zero is the smallest one in its metric.  @param of_rows whether that is D;
  /// otherwise it is that of the weights of loops and couplings, which are faster.
  auto metric(const ClosedNode<Model>& at, bool of_rows) const noexcept {
    return [this, &at, of_rows](const VectorX<S>& x, VectorX<S>& out) {
      if (of_rows) out = x.cwiseQuotient(at.D);
      else weights_.times(x, out);
    };
  }
  static V tolerance(bool full) noexcept { return full ? 16 * epsilon<S> : V(sizeof(V) >= 8 ? 1e-3F : 1e-2F); }
  int most_iterations(bool full) const noexcept { return static_cast<int>(full ? 10 * rows() + 1000 : rows() + 100); }
  Eigen::Index rows() const noexcept { return static_cast<Eigen::Index>(weights_.rows()); }

  bool sweeps_;
  RowMobility<Model> mobility_;
  ClosureWeights<Model> weights_;
  RowIteration<S> iteration_;
  VectorX<S> r_, y_;
  int iterations_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class IteratedClosures<Model<double>>;
#endif

}  // namespace actio::detail
