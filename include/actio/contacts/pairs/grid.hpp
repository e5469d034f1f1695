// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The broad phase: finds overlapping axis-aligned boxes with a hierarchical spatial hash.               [Mirtich 1997; Eitz and Lixu 2007]
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/core/types.hpp"

namespace actio::detail {

/// Finds pairs of axis-aligned boxes. A box is stored in the cell that contains its centre, on the level of its size; larger boxes have
/// coarser cells. The partners of a box are looked for in the cells nearby, on its own level and on coarser ones. The table is built again
/// each time, in O(boxes): the pairs and their order depend on the present bounds only. O(boxes + overlapping pairs) if boxes of similar
/// size are no denser than boxes that touch.
template <std::floating_point S>
class ProximityGrid {
 public:
  /// The bounds of a box.
  struct Bounds {
    Vector3<S> center,  ///< in the world [m]
        half;           ///< half its edges along x, y, z of the world [m]
  };

  std::size_t size() const noexcept { return bounds_.size(); }  ///< number of boxes
  /// Adds a box, which bounds() then places.
  /// @param radius of a ball about its centre that contains the box at any orientation [m].
  void add(const S& radius) {
    const int exponent = radius > S(0) ? static_cast<int>(std::clamp(std::ceil(elementary::log2(radius)), S(-24), S(39))) : -24;
    levels_.push_back(static_cast<std::uint8_t>(exponent + 24));
    S& largest = radius_[levels_.back()];
    largest = std::max(largest, radius);
    used_ |= std::uint64_t(1) << levels_.back();
    bounds_.push_back({Vector3<S>::Zero(), Vector3<S>::Zero()});
    entries_.emplace_back();
    cells_.push_back(0);
    for (std::vector<std::uint32_t>* of_boxes : {&rank_, &order_, &partners_}) of_boxes->push_back(0);
    first_.resize(std::bit_ceil(2 * size()));
  }
  ///@{
  /// Returns the bounds of a box, numbered in the order in which they were added; to be set before for_each_pair.
  Bounds& bounds(std::size_t box) noexcept { return bounds_[box]; }
  const Bounds& bounds(std::size_t box) const noexcept { return bounds_[box]; }
  ///@}

  /// Returns the rank of a box: boxes are ordered by level of size, and within a level as they were added. Valid after the first
  /// for_each_pair.
  std::size_t rank(std::size_t box) const noexcept { return rank_[box]; }

  /// Calls visit(a, b) once for every pair of boxes at most `margin` [m] apart along each axis, in ascending order of the ranks of a and
  /// then of b; the rank of b is larger than that of a. Allocates nothing.
  template <class Visit>
  void for_each_pair(const S& margin, Visit visit) noexcept {
    fill(margin);
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      const std::size_t partners = find_partners(rank, margin);
      std::sort(partners_.begin(), partners_.begin() + static_cast<std::ptrdiff_t>(partners));
      for (std::size_t k = 0; k < partners; ++k) visit(std::size_t(order_[rank]), std::size_t(order_[partners_[k]]));
    }
  }

 private:
  struct Entry {
    Bounds bounds;
    std::uint64_t cell = 0;
    std::uint32_t rank = 0;
  };
  static constexpr std::uint64_t cell_of(unsigned level, std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::uint64_t mask = (std::uint64_t(1) << 19U) - 1;  // distant cells may share a key: their boxes do not overlap
    return std::uint64_t(level) << 57U | (std::uint64_t(x) & mask) << 38U | (std::uint64_t(y) & mask) << 19U | (std::uint64_t(z) & mask);
  }
  std::size_t bucket_of(std::uint64_t cell) const noexcept {
    const std::uint64_t mixed = (cell ^ cell >> 29U) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 32U) & (first_.size() - 1);
  }
  static std::int64_t floored(const S& x) noexcept {
    constexpr S far = S(1LL << 40);
    return x > -far ? static_cast<std::int64_t>(std::floor(std::min(x, far))) : -(1LL << 40);  // NaN too
  }
  void fill(const S& margin) noexcept {
    for (std::size_t level = 0; level < radius_.size(); ++level) {
      per_width_[level] = S(1) / std::max(cells_per_reach * (S(2) * radius_[level] + margin), std::numeric_limits<S>::min() * S(4));
    }
    std::array<std::uint32_t, 65> next{};
    for (const std::uint8_t level : levels_) ++next[level + 1U];
    for (std::size_t level = 1; level < next.size(); ++level) next[level] += next[level - 1];
    std::fill(first_.begin(), first_.end(), 0U);
    for (std::size_t box = 0; box < size(); ++box) {
      rank_[box] = next[levels_[box]]++;
      order_[rank_[box]] = static_cast<std::uint32_t>(box);
      const Vector3<S> at = bounds_[box].center * per_width_[levels_[box]];
      cells_[box] = cell_of(levels_[box], floored(at[0]), floored(at[1]), floored(at[2]));
      ++first_[bucket_of(cells_[box])];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& first : first_) sum += std::exchange(first, sum);
    for (std::size_t box = 0; box < size(); ++box) {  // moves the beginning of each bucket to its end, where the next one begins
      entries_[first_[bucket_of(cells_[box])]++] = {bounds_[box], cells_[box], rank_[box]};
    }
  }
  /// Fills partners_ with ranks above that of a.  @returns their number.
  std::size_t find_partners(std::uint32_t rank, const S& margin) noexcept {
    const std::size_t a = order_[rank];
    const Bounds of_a = bounds_[a];
    std::size_t found = 0;
    for (std::uint64_t left = used_ & ~std::uint64_t(0) << levels_[a]; left != 0; left &= left - 1) {
      const unsigned level = static_cast<unsigned>(std::countr_zero(left));
      const S scale = per_width_[level], reach = (radius_[level] + margin) * S(1.0001F);
      const Vector3<S> low = (of_a.center - of_a.half).array() - reach, high = (of_a.center + of_a.half).array() + reach;
      const std::int64_t x_end = floored(high[0] * scale), y_end = floored(high[1] * scale), z_end = floored(high[2] * scale);
      for (std::int64_t x = floored(low[0] * scale); x <= x_end; ++x) {
        for (std::int64_t y = floored(low[1] * scale); y <= y_end; ++y) {
          for (std::int64_t z = floored(low[2] * scale); z <= z_end; ++z) {
            const std::uint64_t cell = cell_of(level, x, y, z);
            const std::size_t bucket = bucket_of(cell), end = first_[bucket];
            for (std::size_t k = bucket == 0 ? 0 : first_[bucket - 1]; k < end; ++k) {
              const Entry& other = entries_[k];
              if (other.cell != cell || other.rank <= rank) continue;
              const Vector3<S> apart = (other.bounds.center - of_a.center).cwiseAbs() - of_a.half - other.bounds.half;
              if (apart[0] <= margin && apart[1] <= margin && apart[2] <= margin) partners_[found++] = other.rank;
            }
          }
        }
      }
    }
    return found;
  }

  static constexpr S cells_per_reach = S(2);  // wider cells are fewer to search, but fuller
  std::vector<Bounds> bounds_;
  std::vector<std::uint8_t> levels_;  // sizes within a level differ by a factor of at most two
  std::array<S, 64> radius_{}, per_width_{};
  std::uint64_t used_ = 0;
  std::vector<Entry> entries_;        // ordered by bucket, then by box
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint32_t> rank_, order_, partners_;
  std::vector<std::uint32_t> first_;  // where each bucket ends, once filled; its size is a power of two
};

}  // namespace actio::detail
