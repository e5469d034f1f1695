// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Trees of blocks with random values, for BlockLdu and as dense matrices.
#include <vector>

#include "actio/model/samples/random.hpp"
#include "actio/solvers/sparse/block_ldu.hpp"

namespace actio::test {

inline std::vector<int> reversed(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = n - 1 - k;
  return order;
}

/// A random tree; each node is coupled with one of a smaller number, so that the reversed numbers run from the leaves to the root.
inline detail::BlockGraph random_tree(int nodes, models::Random& random, int largest = 6) {
  detail::BlockGraph graph;
  for (int i = 0; i < nodes; ++i) {
    graph.add_node(1 + random.below(largest));
    if (i > 0) graph.couple(i, random.below(i));
  }
  return graph;
}

/// Fills the pattern with random values, larger in diagonal blocks.  @returns the same as a dense matrix.
template <class S>
MatrixX<S> fill(const detail::BlockGraph& graph, detail::BlockLdu<S>& ldu, models::Random& random) {
  MatrixX<S> dense = MatrixX<S>::Zero(ldu.size(), ldu.size());
  ldu.set_zero();
  const auto set = [&](int a, int b, double weight) {
    auto block = ldu.block(a, b);
    for (Eigen::Index c = 0; c < block.cols(); ++c) {
      for (Eigen::Index r = 0; r < block.rows(); ++r) block(r, c) = S(random.uniform(-1, 1) + (a == b && r == c ? weight : 0));
    }
    dense.block(ldu.offset(a), ldu.offset(b), block.rows(), block.cols()) = block;
  };
  for (int i = 0; i < graph.num_nodes(); ++i) {
    set(i, i, 8);
    for (const int j : graph.neighbours(i)) set(i, j, 0);
  }
  return dense;
}

}  // namespace actio::test
