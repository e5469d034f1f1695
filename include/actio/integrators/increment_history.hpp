// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

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

/// The last increments and the lengths of their steps, which may differ, in sign too.
template <Scalar S>
class IncrementHistory {
 public:
  static constexpr int capacity = 6;
  /// Of the sum of the magnitudes of the weights: twice the 2^6 - 1 of six equal steps. What is no polynomial in time (what
  /// rounding, the tolerance and the integrator's own error leave) is blown up by as much. Where lengths change smoothly, five
  /// times from longest to shortest, 63 costs a few more residual evaluations a step than 126 does; beyond 126 nothing is
  /// gained, and where lengths jump about a larger bound costs more.
  static constexpr int largest_amplification = 126;

  IncrementHistory() = default;
  explicit IncrementHistory(Eigen::Index nv) : columns_(MatrixX<S>::Zero(nv, capacity)) {}

  void clear() noexcept { size_ = 0; }
  int size() const noexcept { return size_; }
  /// x_1 is the most recent.
  auto operator[](int back) const { return columns_.col(slot(back)); }

  void push(const VectorX<S>& x, const S& h) noexcept {
    newest_ = (newest_ + 1) % capacity;
    columns_.col(newest_) = x;
    lengths_[static_cast<std::size_t>(newest_)] = h;
    size_ = std::min(size_ + 1, capacity);
  }

  /// The increment of a step of length h along the polynomial through the last order + 1 nodes, position over time: for equal
  /// steps binomials of alternating sign.
  /// @param wanted the order at most: lowered where there are fewer increments or the weights would be too large.
  /// @param h of any sign [s].  @param x (nv) out; untouched where the order is 0.
  /// @returns the order; 0 where nothing serves.  The weights cost O(order^2) scalar operations.
  int extrapolate(int wanted, const S& h, VectorX<S>& x) const noexcept {
    Weights weight{};
    const int available = std::min(wanted, size_);
    const int order = are_all_of_length(h, available) ? weigh_equal(available, weight) : weigh(available, h, weight);
    if (order > 0) x = weight[1] * (*this)[1];
    for (int k = 2; k <= order; ++k) x += weight[static_cast<std::size_t>(k)] * (*this)[k];
    return order;
  }

 private:
  using Weights = std::array<S, capacity + 1>;  // of x_1, x_2, ...; [0] stands for the newest node

  Eigen::Index slot(int back) const noexcept { return (newest_ + capacity - (back - 1)) % capacity; }
  const S& length(int back) const noexcept { return lengths_[static_cast<std::size_t>(slot(back))]; }
  bool are_all_of_length(const S& h, int count) const noexcept {
    int k = 0;
    while (k < count && length(k + 1) == h) ++k;
    return k == count;
  }

  static int weigh_equal(int order, Weights& weight) noexcept {
    int binomial = -1;
    for (int k = 1; k <= order; ++k) {
      binomial = -binomial * (order - k + 1) / k;
      weight[static_cast<std::size_t>(k)] = S(binomial);
    }
    return order;
  }

  /// Lagrange's polynomials at h, node by node. The newest node stands at time 0 and position 0, node k at -(x_1 + ... + x_k):
  /// x_k has minus the sum of the polynomials of the nodes k, k + 1, ...
  /// Two nodes at the same time (a step forth and one back) have no polynomial: the weights are not finite, the order stays below.
  int weigh(int available, const S& h, Weights& weight) const noexcept {
    Weights time{}, lagrange{}, sum{};
    lagrange[0] = S(1);
    int order = 0;
    for (std::size_t n = 1; n <= static_cast<std::size_t>(available); ++n) {
      time[n] = time[n - 1] - length(static_cast<int>(n));
      lagrange[n] = S(1);
      for (std::size_t j = 0; j < n; ++j) {
        lagrange[j] *= (h - time[n]) / (time[j] - time[n]);
        lagrange[n] *= (h - time[j]) / (time[n] - time[j]);
      }
      ValueOf<S> amplification(0);
      S tail(0);
      for (std::size_t k = n; k > 0; --k) {
        tail -= lagrange[k];
        sum[k] = tail;
        amplification += std::abs(value_of(tail));
      }
      if (!(amplification <= ValueOf<S>(largest_amplification))) continue;
      order = static_cast<int>(n);
      weight = sum;
    }
    return order;
  }

  MatrixX<S> columns_;
  std::array<S, capacity> lengths_{};
  int newest_ = 0, size_ = 0;
};

}  // namespace actio
