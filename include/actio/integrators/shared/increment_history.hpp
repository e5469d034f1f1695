// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Initial guesses for the increment of a step, extrapolated from the increments of earlier steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <utility>

#include "actio/core/types.hpp"

namespace actio {

/// Where the root finder starts; x1, x2, ... are the most recent increments.            [vi_math.md, section 7.7]
enum class InitialGuess {
  zero,       ///< IG1: x = 0
  last,       ///< IG2: x = x1
  dynamics,   ///< IG3: x = x1 + h^2 a(q, x1/h); one forward dynamics
  momentum,   ///< IGp: x = h v + h^2/2 a(q, v), v = M^-1 p; one forward dynamics, needs no history
  linear,     ///< EX2: x = 2 x1 - x2
  quadratic,  ///< EX3: x = 3 x1 - 3 x2 + x3
  cubic,      ///< EX4: x = 4 x1 - 6 x2 + 4 x3 - x4
  quartic,    ///< EX5: x = 5 x1 - 10 x2 + 10 x3 - 5 x4 + x5
  quintic,    ///< EX6: x = 6 x1 - 15 x2 + 20 x3 - 15 x4 + 6 x5 - x6
};

namespace detail {

/// The last increments of a motion as differences, which continue the polynomial through its last nodes, position over time, by a step of
/// any length. With t_0 = 0 at the newest node and t_1, t_2, ... at those before it, it has the divided differences of the positions
///   phi_n = psi_1 psi_2 ... psi_n q[t_0, t_1, ..., t_n],   psi_n = t_0 - t_n,
/// for steps of equal length the backward difference of order n - 1 of the increments.
/// @tparam S of one motion, or a Batch of motions with steps of the same lengths.
template <Scalar S>
class IncrementDifferences {
 public:
  static constexpr int capacity = 6;  ///< increments kept
  /// Bound of the sum of the magnitudes of the weights: twice the 2^6 - 1 of six equal steps. Errors that are not polynomial in time (from
  /// rounding, the tolerance and the integrator) are amplified by as much. Where lengths change smoothly, by a factor of five from
  /// longest to shortest, 63 costs a few more residual evaluations a step than 126; beyond 126 nothing is gained, and where lengths
  /// vary irregularly a larger bound costs more.
  static constexpr int largest_amplification = 126;
  using PerOrder = std::array<S, static_cast<std::size_t>(capacity)>;  ///< a number for each order, that of order n at n - 1

  IncrementDifferences() = default;
  /// @param nv entries of an increment.
  explicit IncrementDifferences(Eigen::Index nv) {
    phi_.fill(VectorX<S>::Constant(nv, S(0)));
    psi_.fill(S(1));
    for (PerOrder& weights : weights_) weights.fill(S(0));
  }

  /// Adds the increment of the most recent step.  @param x (nv).  @param h its length [s].
  void push(const VectorX<S>& x, const S& h) noexcept {
    const PerOrder before = psi_;  // of the node that was the newest
    psi_[0] = h;
    for (std::size_t n = 1; n < psi_.size(); ++n) psi_[n] = h + before[n - 1];
    PerOrder beta;  // phi_(n + 1) = phi_n - beta_n times the phi_n of before
    S quotients(1);
    for (std::size_t n = 0; n < beta.size(); ++n) beta[n] = quotients *= psi_[n] / before[n];
    VectorX<S>& next = phi_.back();  // the last one is not needed any more
    next = x;
    for (std::size_t n = 0; n + 1 < phi_.size(); ++n) {
      phi_[n] = next - beta[n] * phi_[n];
      phi_[n].swap(next);
    }
    PerOrder weights{S(1)};
    std::fill(weights.begin() + 1, weights.end(), S(0));
    for (std::size_t n = 0; n < weights_.size(); ++n) {
      const PerOrder last = std::exchange(weights_[n], weights);
      for (std::size_t k = 1; k < weights.size(); ++k) weights[k] -= beta[n] * last[k - 1];
    }
  }

  /// The polynomials for a step of some length.
  struct Step {
    int highest = 0;     ///< order for which the weights are not too large
    PerOrder factor{};  ///< by which each phi_n contributes to the increment, up to that order: 1 if all lengths are equal
  };
  /// @param wanted the highest order.  @param h of any sign [s]. Two nodes at the same time (a step and one back) have no polynomial:
  /// their weights are not finite.
  Step step(int wanted, const S& h) const noexcept {
    using std::abs;
    Step step;
    PerOrder sum;  // weights of the increments, the most recent first
    sum.fill(S(0));
    S quotients(1), time = h;  // from the last node to the end of the step, then from the one before, ...
    for (std::size_t n = 0; n < at(wanted); ++n) {
      step.factor[n] = quotients *= time / psi_[n];
      time = h + psi_[n];
      S amplification(0);
      for (std::size_t k = 0; k <= n; ++k) {
        sum[k] += step.factor[n] * weights_[n][k];
        amplification += abs(sum[k]);
      }
      if (!all(amplification <= S(ValueOf<S>(largest_amplification)))) break;
      ++step.highest;
    }
    return step;
  }
  const VectorX<S>& phi(int n) const noexcept { return phi_[at(n - 1)]; }  ///< phi_n (nv), of order 1 ... capacity

 private:
  static constexpr std::size_t at(int n) noexcept { return static_cast<std::size_t>(n); }

  std::array<VectorX<S>, static_cast<std::size_t>(capacity)> phi_;
  PerOrder psi_{};                                                          // [s]
  std::array<PerOrder, static_cast<std::size_t>(capacity)> weights_{};  // of the increments in each phi_n
};

/// Chooses the order of an extrapolation. It is lowered where its contribution is a thousandth or more and does not shrink from one order
/// to the next but one (an oscillation contributes sines and cosines alternately). The motion is then too fast for its steps, and higher
/// polynomials are worse guesses.
template <class V>
class ExtrapolationOrder {
 public:
  int order() const noexcept { return order_; }  ///< orders that were taken
  /// Takes the next order, or not.  @param size squared norm of its contribution.
  bool takes(V size) noexcept {
    if (order_ > 1 && !(size <= std::max(before_, negligible_))) return false;
    if (order_ == 0) negligible_ = size * V(1e-6);  // far above the rounding error of the sizes
    ++order_;
    before_ = std::exchange(last_, size);
    return true;
  }

 private:
  V before_{}, last_{}, negligible_{};
  int order_ = 0;
};

}  // namespace detail

/// The last increments and the lengths of their steps, which may differ, also in sign.
template <Scalar S>
class IncrementHistory {
 public:
  static constexpr int capacity = detail::IncrementDifferences<S>::capacity;  ///< increments kept

  IncrementHistory() = default;
  /// @param nv entries of an increment.
  explicit IncrementHistory(Eigen::Index nv) : differences_(nv) {}

  void clear() noexcept { size_ = 0; }         ///< removes all increments
  int size() const noexcept { return size_; }  ///< number of increments, 0 ... capacity

  /// Adds the increment of the most recent step.  @param x (nv).  @param h its length [s].
  void push(const VectorX<S>& x, const S& h) noexcept {
    differences_.push(x, h);
    size_ = std::min(size_ + 1, capacity);
  }

  /// Computes the increment of a step of length h along the polynomial through the last order + 1 nodes, position over time.
  /// @param wanted the highest order; lower where there are fewer increments, the weights would be too large, or higher orders are worse.
  /// @param h of any sign [s].  @param x (nv) out; unchanged if the order is 0.
  /// @returns the order; 0 if no extrapolation is possible.
  int extrapolate(int wanted, const S& h, VectorX<S>& x) const noexcept {
    const auto step = differences_.step(std::min(wanted, size_), h);
    const auto factor = [&](int n) -> const S& { return step.factor[static_cast<std::size_t>(n - 1)]; };
    detail::ExtrapolationOrder<ValueOf<S>> order;
    for (int n = 1; n <= step.highest; ++n) {
      if (!order.takes(value_of(S(factor(n) * factor(n) * differences_.phi(n).squaredNorm())))) break;
    }
    for (int n = 1; n <= order.order(); ++n) {
      if (n == 1) x = factor(n) * differences_.phi(n);
      else x += factor(n) * differences_.phi(n);
    }
    return order.order();
  }

 private:
  detail::IncrementDifferences<S> differences_;
  int size_ = 0;
};

namespace detail {

/// An integrator whose initial guesses extrapolate the increments of its earlier steps.
template <class I>
concept ContinuesIncrements = requires(I& integrator) {
  { integrator.increment_history() } noexcept -> std::same_as<IncrementHistory<typename I::Scalar>&>;
};

}  // namespace detail
}  // namespace actio
