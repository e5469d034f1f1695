// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Connected components of a graph, found again and again without allocation.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace actio::detail {

/// Connected components of a graph.  Only the constructor allocates or throws.
class Islands {
 public:
  /// @param nodes number of nodes of the graphs.
  explicit Islands(int nodes) : parent_(size(nodes)), island_(size(nodes)), members_(size(nodes)), begin_(size(nodes) + 1) {}

  /// Finds the islands.  @param pairs of nodes that are connected.  @param order of all nodes: islands are numbered by their first nodes,
  /// and list their nodes, in this order.
  void find(std::span<const std::array<int, 2>> pairs, std::span<const int> order) noexcept {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const auto& [a, b] : pairs) parent_[size(root(a))] = root(b);
    count_ = 0;
    std::fill(island_.begin(), island_.end(), none);
    std::fill(begin_.begin(), begin_.end(), 0);
    for (const int node : order) {
      int& number = island_[size(root(node))];  // roots first
      if (number == none) number = count_++;
      ++begin_[size(number) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    for (const int node : order) island_[size(node)] = of(root(node));
    for (const int node : order) members_[size(begin_[size(of(node))]++)] = node;
    for (int i = count_; i > 0; --i) begin_[size(i)] = begin_[size(i) - 1];
    begin_[0] = 0;
  }

  int count() const noexcept { return count_; }                    ///< number of islands
  int of(int node) const noexcept { return island_[size(node)]; }  ///< the island of a node
  /// Returns the nodes of an island, in the order given to find().
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

  std::vector<int> parent_;   // of each node, towards the representative of its island
  std::vector<int> island_;   // of each node
  std::vector<int> members_;  // island by island
  std::vector<int> begin_;    // where an island begins in members_
  int count_ = 0;
};

}  // namespace actio::detail
