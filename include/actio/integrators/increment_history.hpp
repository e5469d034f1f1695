// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>

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

/// The last increments of steps of one length; another length begins anew.
template <Scalar S>
class IncrementHistory {
 public:
  static constexpr int capacity = 6;
  explicit IncrementHistory(Eigen::Index nv = 0) : columns_(MatrixX<S>::Zero(nv, capacity)) {}

  void clear() noexcept { size_ = 0; }
  int size() const noexcept { return size_; }
  /// x_1 is the most recent.
  auto operator[](int back) const { return columns_.col((newest_ + capacity - (back - 1)) % capacity); }

  void push(const VectorX<S>& x, const S& h) noexcept {
    if (!(h == h_)) size_ = 0;
    h_ = h;
    newest_ = (newest_ + 1) % capacity;
    columns_.col(newest_) = x;
    size_ = std::min(size_ + 1, capacity);
  }
  /// How many increments serve a step of length h.
  int usable(const S& h) const noexcept { return h == h_ ? size_ : 0; }
  /// The polynomial through the last `order` increments, one step on: binomial coefficients of alternating sign.
  void extrapolate(int order, VectorX<S>& x) const noexcept {
    x = S(order) * (*this)[1];
    int binomial = order;
    for (int k = 2; k <= order; ++k) {
      binomial = -binomial * (order - k + 1) / k;
      x += S(binomial) * (*this)[k];
    }
  }

 private:
  MatrixX<S> columns_;
  int newest_ = 0, size_ = 0;
  S h_{};
};

}  // namespace actio
