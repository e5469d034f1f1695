// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The last increments of all lanes of a batch, from which the next ones are guessed.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "actio/core/types.hpp"
#include "actio/integrators/shared/increment_history.hpp"

namespace actio::detail {

/// The last increments of steps of equal length, one history for each lane. Chooses in each lane the order that IncrementHistory chooses.
/// @tparam B a Batch.
template <class B>
class LaneHistory {
 public:
  static constexpr int capacity = 6;  ///< increments kept
  using Orders = std::array<int, static_cast<std::size_t>(B::lanes)>;  ///< one for each lane

  /// @param nv entries of an increment.
  explicit LaneHistory(Eigen::Index nv) : columns_(Columns::Zero(nv, capacity)) {}

  void clear() noexcept { sizes_.fill(0); }                                     ///< removes all increments
  void clear(int lane) noexcept { sizes_[static_cast<std::size_t>(lane)] = 0; }  ///< removes those of a lane

  /// Adds the increments of a step of all lanes, which are finite.  @param x (nv).
  void push(const VectorX<B>& x) noexcept {
    newest_ = (newest_ + 1) % capacity;
    columns_.col(newest_) = x;
    for (int k = 0; k < capacity; ++k) {
      B product(ValueOf<B>(0));
      for (Eigen::Index i = 0; i < x.size(); ++i) product += columns_(i, k) * x[i];
      gram_(newest_, k) = gram_(k, newest_) = product;
    }
    for (int& size : sizes_) size = std::min(size + 1, capacity);
  }

  /// Computes the increment of a further step, as IncrementHistory::extrapolate() does.  @param wanted the highest order.
  /// @param x (nv) out.  @returns the order in each lane; where it is 0, x is zero.
  Orders extrapolate(int wanted, VectorX<B>& x) const noexcept {
    std::array<B, capacity + 1> sizes;  // squared norms of what each order contributes: backward differences
    for (int n = 1; n <= capacity; ++n) {
      B size(ValueOf<B>(0));
      for (int a = 1; a <= n; ++a) {
        B row(ValueOf<B>(0));
        for (int b = 1; b <= n; ++b) row += B(weight(n - 1, b - 1)) * gram_(slot(a), slot(b));
        size += B(weight(n - 1, a - 1)) * row;
      }
      sizes[static_cast<std::size_t>(n)] = size;
    }
    Orders orders{};
    std::array<B, capacity> by_slot;
    by_slot.fill(B(ValueOf<B>(0)));
    for (int lane = 0; lane < B::lanes; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const int order = order_of(std::min(wanted, sizes_[at]), [&](int n) { return sizes[static_cast<std::size_t>(n)][lane]; });
      for (int k = 1; k <= order; ++k) by_slot[static_cast<std::size_t>(slot(k))].set(lane, -weight(order, k));
      orders[at] = order;
    }
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      B sum(ValueOf<B>(0));
      for (int k = 0; k < capacity; ++k) sum += columns_(i, k) * by_slot[static_cast<std::size_t>(k)];
      x[i] = sum;
    }
    return orders;
  }

 private:
  using V = ValueOf<B>;
  using Columns = Eigen::Matrix<B, Eigen::Dynamic, capacity>;

  /// Returns (-1)^k times n over k.
  static V weight(int n, int k) noexcept {
    int binomial = 1;
    for (int i = 1; i <= k; ++i) binomial = -binomial * (n - i + 1) / i;
    return static_cast<V>(binomial);
  }
  /// Returns the order that IncrementHistory::extrapolate() takes.  @param size (n) -> squared norm of the contribution of order n.
  template <class Size>
  static int order_of(int available, Size size) noexcept {
    V size_before(0), last_size(0), negligible(0);
    int order = 0;
    for (int n = 1; n <= available; ++n) {
      const V now = size(n);
      if (order > 1 && !(now <= std::max(size_before, negligible))) break;
      if (order == 0) negligible = now * V(1e-6);
      order = n;
      size_before = std::exchange(last_size, now);
    }
    return order;
  }
  Eigen::Index slot(int back) const noexcept { return (newest_ + capacity - (back - 1)) % capacity; }

  Columns columns_;
  Eigen::Matrix<B, capacity, capacity> gram_ = Eigen::Matrix<B, capacity, capacity>::Constant(B(V(0)));  // inner products of the columns
  Orders sizes_{};
  int newest_ = 0;
};

}  // namespace actio::detail
