// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The pattern of a sparse block matrix as a graph, and what an order of elimination makes of it.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <numeric>
#include <vector>

#include "actio/core/types.hpp"

namespace actio::detail {

/// Nodes with some unknowns each, and which pairs of them a matrix couples. The pattern is symmetric; values need not be.
class BlockGraph {
 public:
  /// @param unknowns of it, >= 0.  @returns the new node's number.
  int add_node(int unknowns) {
    ACTIO_ASSERT(unknowns >= 0);
    sizes_.push_back(unknowns);
    neighbours_.emplace_back();
    return static_cast<int>(sizes_.size()) - 1;
  }
  /// Twice is once, and a node is always coupled with itself.  @pre both have been added.
  void couple(int a, int b) {
    ACTIO_ASSERT(0 <= std::min(a, b) && std::max(a, b) < num_nodes());
    if (a == b || is_coupled(a, b)) return;
    neighbours_[static_cast<std::size_t>(a)].push_back(b);
    neighbours_[static_cast<std::size_t>(b)].push_back(a);
  }
  int num_nodes() const { return static_cast<int>(sizes_.size()); }                                           ///< numbered from 0
  int size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }                                 ///< unknowns of a node
  const std::vector<int>& neighbours(int node) const { return neighbours_[static_cast<std::size_t>(node)]; }  ///< coupled with it, not itself
  /// Whether couple() was told so; not of a node and itself.
  bool is_coupled(int a, int b) const {
    const std::vector<int>& of_a = neighbours(a);
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

 private:
  std::vector<int> sizes_;
  std::vector<std::vector<int>> neighbours_;
};

/// The nodes in the order of their elimination, and whom each is coupled with when its turn comes.
struct Elimination {
  std::vector<int> order;               ///< numbers of the nodes, first to last
  std::vector<std::vector<int>> later;  ///< of each node by its number, in the order of elimination; what was filled in is among them
  int fill = 0;                         ///< pairs that the graph does not couple
};

/// @param order of all nodes of the graph, each once. On a tree from the leaves to the root nothing is filled in.
inline Elimination eliminate(const BlockGraph& graph, std::vector<int> order) {
  ACTIO_ASSERT(static_cast<int>(order.size()) == graph.num_nodes());
  Elimination result{std::move(order), std::vector<std::vector<int>>(static_cast<std::size_t>(graph.num_nodes())), 0};
  std::vector<int> turn(result.order.size());
  for (std::size_t k = 0; k < result.order.size(); ++k) turn[static_cast<std::size_t>(result.order[k])] = static_cast<int>(k);
  const auto turn_of = [&](int node) { return turn[static_cast<std::size_t>(node)]; };
  const auto sooner = [&](int a, int b) { return turn_of(a) < turn_of(b); };
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

/// Multiplications, each with an addition, of a block LDU in that order.
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

/// An order that keeps the fill low (approximate minimum degree, Eigen's), for graphs with many loops.  @returns the nodes, first to last.
inline std::vector<int> minimum_degree(const BlockGraph& graph) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : graph.neighbours(i)) entries.emplace_back(i, j, 1.0);
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(graph.num_nodes(), graph.num_nodes());
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), permutation);
  const auto& indices = permutation.indices();  // of the node that comes k-th
  return {indices.data(), indices.data() + indices.size()};
}

}  // namespace actio::detail
