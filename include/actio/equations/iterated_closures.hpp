// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Closed loops by sweeps over the tree.
#include <cmath>

#include "actio/constraints/closure_weights.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/solvers/krylov.hpp"

namespace actio::detail {

/// The mass matrix' system of DenseClosures, without a matrix of the rows: products with G M^-1 G^T, O(bodies + rows) each, weighed by ClosureWeights.
/// As many of them as the conditioning asks for: half a dozen where loops hang on one another by corners, as many as there are rungs in a
/// ladder.                                                                                    [Ascher and Lin 1999; srm_math.md, section 5.2]
/// All members but the constructor neither allocate nor throw.
template <class ModelType>
class IteratedClosures {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers
  using V = ValueOf<S>;              ///< of tolerances

  /// @param sweeps updates by Richardson's iteration, which is sequential regularisation; all else is by conjugate gradients.
  /// @param model outlives this.  @throws ModelError where a closure acts on a body that on its own resists not every motion.
  IteratedClosures(const Model& model, bool sweeps)
      : sweeps_(sweeps), mobility_(model), weights_(model, "an iteration over closed loops"), products_(model, rows()), gradients_(rows()),
        richardson_(rows()), r_(VectorX<S>::Zero(rows())), y_(r_) {}

  static constexpr bool wants_mass = true;  ///< factors of M
  /// A bound of DenseClosures' from above; zero of what nothing moves.  @param mobility (rows) out.
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
    if (at.is_redundant) mobility_.exact_of_closures(at.tree, at.mass, at.closures, mobility);
    else mobility_.of_closures(at.tree, at.mass, at.closures, mobility);
  }
  /// Sets the weights.  @returns false when one is singular.
  bool factor_mass(const ClosedNode<Model>& at) noexcept {
    const auto row = [&](std::size_t k) -> const ConstraintRow<S>& { return at.closures[static_cast<Eigen::Index>(k)]; };
    return weights_.set(at.tree, row) == nullptr;
  }
  /// As DenseClosures': takes impulses without a pattern, and solves for them from the rates that they cause. Where the solution differs, the
  /// difference causes no rates.
  bool is_redundant(const ClosedNode<Model>& at) noexcept {
    const auto some = [](Eigen::Index k) {
      const double golden = 0.6180339887498949 * static_cast<double>(k + 1);
      return S(static_cast<V>(0.5 + golden - std::floor(golden)));
    };
    for (Eigen::Index k = 0; k < y_.size(); ++k) y_[k] = some(k);
    products_.multiply(at, y_, r_);
    y_.setZero();
    iterate(at, Metric::of_rows, r_, y_, Accuracy::full, 0);
    V all(0), lost(0);
    for (Eigen::Index k = 0; k < y_.size(); ++k) {
      const V b = value_of(some(k)), D = value_of(at.D[k]), e = b - value_of(y_[k]);
      all += D * b * b;
      lost += D * e * e;
    }
    return lost > V(sizeof(V) >= 8 ? 1e-10 : 1e-5) * all;
  }
  /// As DenseClosures', to that accuracy; in full where rows are redundant, so that nothing is left to a guess of L.
  /// @param most iterations; 0: as many as should do.
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy accuracy, int most = 0) noexcept {
    products_.solve(at, w, L, [&](VectorX<S>& r, VectorRef<S> impulses) {
      iterate(at, at.is_redundant ? Metric::of_rows : Metric::of_weights, r, impulses, at.is_redundant ? Accuracy::full : accuracy, most);
    });
  }
  int iterations() const noexcept { return iterations_; }  ///< of the last solve

 private:
  /// The metric of the preconditioner: a solution that begins at zero is the least one in it.
  enum class Metric : bool {
    of_weights,  ///< of loops and couplings: the faster one
    of_rows,     ///< D
  };
  /// (G M^-1 G^T + R) L = r.
  void iterate(const ClosedNode<Model>& at, Metric metric, VectorX<S>& r, VectorRef<S> L, Accuracy accuracy, int most) noexcept {
    const auto times = [&](const VectorX<S>& x, VectorX<S>& out) { products_.multiply(at, x, out); };
    const auto weigh = [&](const VectorX<S>& x, VectorX<S>& out) {
      if (metric == Metric::of_weights) weights_.times(x, out);
      else out = x.cwiseQuotient(at.D);
    };
    const V tolerance = accuracy == Accuracy::full ? 16 * epsilon<S> : V(sizeof(V) >= 8 ? 1e-3F : 1e-2F);
    if (most == 0) most = static_cast<int>(accuracy == Accuracy::full ? 10 * rows() + 1000 : rows() + 100);
    const bool sweeps = sweeps_ && accuracy == Accuracy::of_update;
    iterations_ = (sweeps ? richardson_.solve(times, weigh, r, L, tolerance, most) : gradients_.solve(times, weigh, r, L, tolerance, most)).iterations;
  }

  Eigen::Index rows() const noexcept { return static_cast<Eigen::Index>(weights_.rows()); }

  bool sweeps_;
  RowMobility<Model> mobility_;
  ClosureWeights<Model> weights_;
  ClosureProducts<Model> products_;
  ConjugateGradients<S> gradients_;
  Richardson<S> richardson_;
  VectorX<S> r_, y_;
  int iterations_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class IteratedClosures<Model<double>>;
#endif

}  // namespace actio::detail
