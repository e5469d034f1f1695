// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The last increments of all lanes of a batch, from which the next ones are guessed.
#include <algorithm>
#include <array>
#include <cstddef>

#include "actio/core/types.hpp"
#include "actio/integrators/shared/increment_history.hpp"

namespace actio::detail {

/// The last increments of lanes whose steps have the same lengths, one history for each lane. It continues a lane as IncrementHistory does.
/// @tparam B a Batch.
template <class B>
class LaneHistory {
 public:
  static constexpr int capacity = IncrementDifferences<B>::capacity;  ///< increments kept
  using Orders = std::array<int, static_cast<std::size_t>(B::lanes)>;  ///< one for each lane

  /// @param nv entries of an increment.
  explicit LaneHistory(Eigen::Index nv) : differences_(nv) {}

  void clear(int lane) noexcept { sizes_[static_cast<std::size_t>(lane)] = 0; }  ///< removes all increments of a lane

  /// Adds the increments of a step of all lanes, which are finite.  @param x (nv).  @param h its length [s].
  void push(const VectorX<B>& x, ValueOf<B> h) noexcept {
    differences_.push(x, B(h));
    for (int& size : sizes_) size = std::min(size + 1, capacity);
  }

  /// Computes the increment of a further step.  @param wanted the highest order.  @param h its length [s].
  /// @param x (nv) out.  @returns the order in each lane; where it is 0, x is zero.
  Orders extrapolate(int wanted, ValueOf<B> h, VectorX<B>& x) const noexcept {
    const auto step = differences_.step(wanted, B(h));
    std::array<B, capacity> sizes;
    for (int n = 1; n <= step.highest; ++n) {
      const B& factor = step.factor[at(n - 1)];
      sizes[at(n - 1)] = factor * factor * differences_.phi(n).squaredNorm();
    }
    Orders orders{};
    for (int lane = 0; lane < B::lanes; ++lane) {
      const int available = std::min(step.highest, sizes_[at(lane)]);
      ExtrapolationOrder<ValueOf<B>> order;
      while (order.order() < available && order.takes(sizes[at(order.order())][lane])) continue;
      orders[at(lane)] = order.order();
    }
    x.setConstant(B(ValueOf<B>(0)));
    for (int n = 1; n <= *std::max_element(orders.begin(), orders.end()); ++n) {
      const auto takes = B::Mask::of([&](int lane) { return orders[at(lane)] >= n; });
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        const B more = step.factor[at(n - 1)] * differences_.phi(n)[i];
        x[i] = select(takes, n > 1 ? x[i] + more : more, x[i]);
      }
    }
    return orders;
  }

 private:
  static constexpr std::size_t at(int k) noexcept { return static_cast<std::size_t>(k); }

  IncrementDifferences<B> differences_;
  Orders sizes_{};
};

}  // namespace actio::detail
