// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The pattern of a sparse block matrix as a graph, and the fill and cost of an order of elimination.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "actio/core/types.hpp"
#include "actio/solvers/sparse/minimum_degree.hpp"

namespace actio::detail {

/// Nodes with some unknowns each, and the pairs of nodes that a matrix couples. The pattern is symmetric; values need not be.
class BlockGraph {
 public:
  /// Adds a node.  @param unknowns of the node, >= 0.  @returns the number of the node.
  int add_node(int unknowns) {
    ACTIO_ASSERT(unknowns >= 0);
    sizes_.push_back(unknowns);
    neighbours_.emplace_back();
    return static_cast<int>(sizes_.size()) - 1;
  }
  /// Couples two nodes. Repeated calls have no effect; a node is always coupled with itself.  @pre both have been added.
  void couple(int a, int b) {
    ACTIO_ASSERT(0 <= std::min(a, b) && std::max(a, b) < num_nodes());
    if (a == b || is_coupled(a, b)) return;
    neighbours_[static_cast<std::size_t>(a)].push_back(b);
    neighbours_[static_cast<std::size_t>(b)].push_back(a);
  }
  int num_nodes() const { return static_cast<int>(sizes_.size()); }                                           ///< nodes are numbered from 0
  int size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }                                 ///< unknowns of a node
  const std::vector<int>& neighbours(int node) const { return neighbours_[static_cast<std::size_t>(node)]; }  ///< without the node
  /// Returns whether couple() was called for a and b; false for a node and itself.
  bool is_coupled(int a, int b) const {
    const std::vector<int>& of_a = neighbours(a);
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

 private:
  std::vector<int> sizes_;
  std::vector<std::vector<int>> neighbours_;
};

/// The nodes in the order of their elimination, and the nodes with which each is coupled when it is eliminated.
struct Elimination {
  std::vector<int> order;               ///< numbers of the nodes, first to last
  std::vector<std::vector<int>> later;  ///< for each node, by number: later nodes coupled with it, including fill, in that order
  int fill = 0;                         ///< coupled pairs that the graph does not couple
};

/// Computes the elimination in an order.
/// @param order of all nodes of the graph, each once. A tree, from the leaves to the root, has no fill.
inline Elimination eliminate(const BlockGraph& graph, std::vector<int> order) {
  ACTIO_ASSERT(static_cast<int>(order.size()) == graph.num_nodes());
  Elimination result{std::move(order), std::vector<std::vector<int>>(static_cast<std::size_t>(graph.num_nodes())), 0};
  std::vector<int> position(result.order.size());
  for (std::size_t k = 0; k < result.order.size(); ++k) position[static_cast<std::size_t>(result.order[k])] = static_cast<int>(k);
  const auto positions_of = [&](int node) { return position[static_cast<std::size_t>(node)]; };
  const auto sooner = [&](int a, int b) { return positions_of(a) < positions_of(b); };
  // The couplings of an eliminated node pass to the first of its later neighbours, and through it to all others.
  std::vector<std::vector<int>> passed(result.order.size());
  for (const int i : result.order) {
    std::vector<int>& later = result.later[static_cast<std::size_t>(i)];
    for (const int j : graph.neighbours(i)) {
      if (sooner(i, j)) later.push_back(j);
    }
    const std::size_t own = later.size();
    later.insert(later.end(), passed[static_cast<std::size_t>(i)].begin(), passed[static_cast<std::size_t>(i)].end());
    std::sort(later.begin(), later.end(), sooner);
    later.erase(std::unique(later.begin(), later.end()), later.end());
    result.fill += static_cast<int>(later.size() - own);
    if (later.size() > 1) {
      std::vector<int>& next = passed[static_cast<std::size_t>(later.front())];
      next.insert(next.end(), later.begin() + 1, later.end());
    }
    passed[static_cast<std::size_t>(i)] = {};
  }
  return result;
}

/// Returns the number of multiplications, each with an addition, of a block LDU factorisation in that order.
inline double factor_cost(const BlockGraph& graph, const Elimination& elimination) {
  double cost = 0;
  for (const int i : elimination.order) {
    const double own = graph.size(i);
    double later = 0;
    for (const int j : elimination.later[static_cast<std::size_t>(i)]) later += graph.size(j);
    cost += own * (own + later) * (own + later) - own * own * later;  // inverse, its products with one side, updates
  }
  return cost;
}

/// Returns an order with low fill, by MinimumDegree, for graphs with many loops: the nodes, first to last.
inline std::vector<int> minimum_degree(const BlockGraph& graph) {
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    for (const int j : graph.neighbours(i)) {
      if (i < j) pairs.push_back({i, j});
    }
  }
  for (std::size_t room = 2 * pairs.size();; room *= 2) {  // for pairs and fill
    MinimumDegree plan(graph.num_nodes(), room);
    if (plan.plan(pairs)) return {plan.order().begin(), plan.order().end()};
  }
}

}  // namespace actio::detail
