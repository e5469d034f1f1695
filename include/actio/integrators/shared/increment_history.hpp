// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Initial guesses for the increment of a step, extrapolated from the increments of earlier steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

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

/// The last increments and the lengths of their steps, which may differ, also in sign.
template <Scalar S>
class IncrementHistory {
 public:
  static constexpr int capacity = 6;  ///< increments kept
  /// Bound of the sum of the magnitudes of the weights: twice the 2^6 - 1 of six equal steps. Errors that are not polynomial in time (from
  /// rounding, the tolerance and the integrator) are amplified by as much. Where lengths change smoothly, by a factor of five from
  /// longest to shortest, 63 costs a few more residual evaluations a step than 126; beyond 126 nothing is gained, and where lengths
  /// vary irregularly a larger bound costs more.
  static constexpr int largest_amplification = 126;

  IncrementHistory() = default;
  /// @param nv entries of an increment.
  explicit IncrementHistory(Eigen::Index nv) : columns_(Columns::Zero(nv, capacity)) {}

  void clear() noexcept { size_ = 0; }         ///< removes all increments
  int size() const noexcept { return size_; }  ///< number of increments, 0 ... capacity
  /// Returns x_back (nv), back = 1 ... size(): x_1 is the most recent.
  auto operator[](int back) const { return columns_.col(slot(back)); }

  /// Adds the increment of the most recent step.  @param x (nv).  @param h its length [s].
  void push(const VectorX<S>& x, const S& h) noexcept {
    newest_ = (newest_ + 1) % capacity;
    columns_.col(newest_) = x;
    for (int k = 0; k < capacity; ++k) gram_(newest_, k) = gram_(k, newest_) = inner_product(columns_.col(k), x);
    lengths_[at(newest_)] = h;
    size_ = std::min(size_ + 1, capacity);
  }

  /// Computes the increment of a step of length h along the polynomial through the last order + 1 nodes, position over time; for equal
  /// steps the weights are binomials of alternating sign. The order is lowered where its contribution is a thousandth or more and does
  /// not shrink from one order to the next but one (an oscillation contributes sines and cosines alternately). The motion is then too
  /// fast for its steps, and higher polynomials are worse guesses.
  /// @param wanted the highest order; lower where there are fewer increments or the weights would be too large.
  /// @param h of any sign [s].  @param x (nv) out; unchanged if the order is 0.
  /// @returns the order; 0 if no extrapolation is possible.
  int extrapolate(int wanted, const S& h, VectorX<S>& x) const noexcept {
    const int available = std::min(wanted, size_);
    const bool equal = are_all_of_length(h, available);
    Weights last{}, weight{};
    Polynomials polynomials;
    double size_before = 0, last_size = 0, negligible = 0;  // squares
    int order = 0;
    for (int n = 1; n <= available; ++n) {
      if (equal) weigh_equal(n, weight);
      else if (!weigh_next(n, h, polynomials, weight)) continue;
      Eigen::Matrix<double, capacity, 1> more = Eigen::Matrix<double, capacity, 1>::Zero();
      for (int k = 1; k <= n; ++k) more[slot(k)] = double(value_of(S(weight[at(k)] - last[at(k)])));
      const double size = more.dot(gram_ * more);  // squared norm of the contribution of this order
      if (order > 1 && !(size <= std::max(size_before, negligible))) break;
      if (order == 0) negligible = size * 1e-6;  // far above the rounding error of the sizes, in double
      order = n;
      last = weight;
      size_before = last_size;
      last_size = size;
    }
    if (order == 0) return 0;
    Eigen::Matrix<S, capacity, 1> by_slot = Eigen::Matrix<S, capacity, 1>::Zero();
    for (int k = 1; k <= order; ++k) by_slot[slot(k)] = last[at(k)];
    x.noalias() = columns_.lazyProduct(by_slot);
    return order;
  }

 private:
  using Columns = Eigen::Matrix<S, Eigen::Dynamic, capacity>;
  using Weights = std::array<S, capacity + 1>;  // of x_1, x_2, ...; [0] stands for the newest node

  /// Returns the inner product of the values, in double, because most of it cancels in the sizes.
  template <class Column>
  static double inner_product(const Column& a, const VectorX<S>& b) noexcept {
    if constexpr (std::floating_point<S>) return a.template cast<double>().dot(b.template cast<double>());
    else return double(value_of(S(a.dot(b))));
  }
  Eigen::Index slot(int back) const noexcept { return (newest_ + capacity - (back - 1)) % capacity; }
  const S& length(int back) const noexcept { return lengths_[static_cast<std::size_t>(slot(back))]; }
  bool are_all_of_length(const S& h, int count) const noexcept {
    int k = 0;
    while (k < count && length(k + 1) == h) ++k;
    return k == count;
  }

  static void weigh_equal(int order, Weights& weight) noexcept {
    int binomial = -1;
    for (int k = 1; k <= order; ++k) {
      binomial = -binomial * (order - k + 1) / k;
      weight[at(k)] = S(binomial);
    }
  }

  /// Lagrange polynomials at h. The newest node has time 0 and position 0, node k has position -(x_1 + ... + x_k). The weight of x_k is
  /// minus the sum of the polynomials of the nodes k, k + 1, ...
  struct Polynomials {
    Weights time{}, value{S(1)};
  };
  /// Adds node n.  @returns false if the weights are too large. Two nodes at the same time (a step and one back) have no polynomial:
  /// their weights are not finite.
  bool weigh_next(int n, const S& h, Polynomials& p, Weights& weight) const noexcept {
    const std::size_t last = at(n);
    p.time[last] = p.time[last - 1] - length(n);
    p.value[last] = S(1);
    for (std::size_t j = 0; j < last; ++j) {
      p.value[j] *= (h - p.time[last]) / (p.time[j] - p.time[last]);
      p.value[last] *= (h - p.time[j]) / (p.time[last] - p.time[j]);
    }
    ValueOf<S> amplification(0);
    Weights sum{};
    S tail(0);
    for (std::size_t k = last; k > 0; --k) {
      tail -= p.value[k];
      sum[k] = tail;
      amplification += std::abs(value_of(tail));
    }
    if (!(amplification <= ValueOf<S>(largest_amplification))) return false;
    weight = sum;
    return true;
  }
  static constexpr std::size_t at(int k) noexcept { return static_cast<std::size_t>(k); }

  Columns columns_;
  Eigen::Matrix<double, capacity, capacity> gram_ = Eigen::Matrix<double, capacity, capacity>::Zero();  // inner products of the columns
  std::array<S, capacity> lengths_{};
  int newest_ = 0, size_ = 0;
};

namespace detail {

/// An integrator whose initial guesses extrapolate the increments of its earlier steps.
template <class I>
concept ContinuesIncrements = requires(I& integrator) {
  { integrator.increment_history() } noexcept -> std::same_as<IncrementHistory<typename I::Scalar>&>;
};

}  // namespace detail
}  // namespace actio
