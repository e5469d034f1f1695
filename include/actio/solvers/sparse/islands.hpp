// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What hangs together in a graph, found as often as wanted in room made once.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace actio::detail {

/// Connected components of a graph.  Only the constructor allocates or throws.
class Islands {
 public:
  /// @param nodes of the graphs to come.
  explicit Islands(int nodes) : parent_(size(nodes)), island_(size(nodes)), members_(size(nodes)), begin_(size(nodes) + 1) {}

  /// @param pairs of nodes.  @param order all nodes: islands are numbered by the first of each, and list their nodes, in that order.
  void find(std::span<const std::array<int, 2>> pairs, std::span<const int> order) noexcept {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const auto& [a, b] : pairs) parent_[size(root(a))] = root(b);
    count_ = 0;
    std::fill(island_.begin(), island_.end(), none);
    std::fill(begin_.begin(), begin_.end(), 0);
    for (const int node : order) {
      int& number = island_[size(root(node))];  // of roots first
      if (number == none) number = count_++;
      ++begin_[size(number) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    for (const int node : order) island_[size(node)] = of(root(node));
    for (const int node : order) members_[size(begin_[size(of(node))]++)] = node;
    for (int i = count_; i > 0; --i) begin_[size(i)] = begin_[size(i) - 1];
    begin_[0] = 0;
  }

  int count() const noexcept { return count_; }                    ///< how many there are
  int of(int node) const noexcept { return island_[size(node)]; }  ///< the island of a node
  /// Nodes of an island, in the order that find() was given.
  std::span<const int> members(int island) const noexcept {
    return std::span<const int>(members_).subspan(size(begin_[size(island)]), size(begin_[size(island) + 1] - begin_[size(island)]));
  }

 private:
  static constexpr int none = -1;
  static std::size_t size(int i) noexcept { return static_cast<std::size_t>(i); }
  int root(int node) noexcept {
    while (parent_[size(node)] != node) node = parent_[size(node)] = parent_[size(parent_[size(node)])];
    return node;
  }

  std::vector<int> parent_;   // of a node, towards the one that stands for all
  std::vector<int> island_;   // of a node
  std::vector<int> members_;  // island by island
  std::vector<int> begin_;    // of an island in members_
  int count_ = 0;
};

}  // namespace actio::detail
