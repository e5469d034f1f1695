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
};

/// The last four increments of steps of one length; another length begins anew.
template <Scalar S>
class IncrementHistory {
 public:
  explicit IncrementHistory(Eigen::Index nv = 0) : columns_(MatrixX<S>::Zero(nv, 4)) {}

  void clear() noexcept { size_ = 0; }
  int size() const noexcept { return size_; }
  /// x_1 is the most recent.
  auto operator[](int back) const { return columns_.col((newest_ + 4 - (back - 1)) % 4); }

  void push(const VectorX<S>& x, const S& h) noexcept {
    if (!(h == h_)) size_ = 0;
    h_ = h;
    newest_ = (newest_ + 1) % 4;
    columns_.col(newest_) = x;
    size_ = std::min(size_ + 1, 4);
  }
  /// How many increments serve a step of length h.
  int usable(const S& h) const noexcept { return h == h_ ? size_ : 0; }
  /// The polynomial through the last `order` increments, one step on.
  void extrapolate(int order, VectorX<S>& x) const noexcept {
    const IncrementHistory& past = *this;
    switch (order) {
      case 1: x = past[1]; break;
      case 2: x = S(2) * past[1] - past[2]; break;
      case 3: x = S(3) * (past[1] - past[2]) + past[3]; break;
      default: x = S(4) * (past[1] + past[3]) - S(6) * past[2] - past[4]; break;
    }
  }

 private:
  MatrixX<S> columns_;
  int newest_ = 0, size_ = 0;
  S h_{};
};

}  // namespace actio
