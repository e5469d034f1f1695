// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/sparse/minimum_degree.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <set>

#include "actio/solvers/sparse/block_graph.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace minimum_degree_test {

using namespace actio;
using namespace actio::detail;
using Pairs = std::vector<std::array<int, 2>>;

/// Compares with `eliminate`, which is given the same order, on the same graph.
void check_plan(const MinimumDegree& plan, const Pairs& pairs) {
  BlockGraph graph;
  std::vector<int> order;
  for (int k = 0; k < plan.num_nodes(); ++k) {
    graph.add_node(1);
    order.push_back(plan.node(k));
    REQUIRE(plan.position(plan.node(k)) == k);
  }
  for (const auto& [a, b] : pairs) graph.couple(a, b);
  REQUIRE(std::set(order.begin(), order.end()).size() == order.size());
  const Elimination expected = eliminate(graph, order);
  for (int k = 0; k < plan.num_nodes(); ++k) {
    const std::span<const int> later = plan.later(k);
    CHECK(std::vector<int>(later.begin(), later.end()) == expected.later[static_cast<std::size_t>(plan.node(k))]);
  }
  CHECK(plan.num_couplings() == static_cast<int>(pairs.size()) + expected.fill);
}
Pairs random_pairs(test::Random& random, int nodes, double count) {
  std::set<std::array<int, 2>> pairs;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    const int a = static_cast<int>(random(0, nodes)), b = static_cast<int>(random(0, nodes));
    if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
  }
  return {pairs.begin(), pairs.end()};
}
/// The order of Eigen's approximate minimum degree.
std::vector<int> order_of_eigen(const BlockGraph& graph) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : graph.neighbours(i)) entries.emplace_back(i, j, 1.0);
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(graph.num_nodes(), graph.num_nodes());
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), permutation);
  const auto& indices = permutation.indices();
  return {indices.data(), indices.data() + indices.size()};
}
/// Operations of a factorisation in our order, as a multiple of those in Eigen's.
double cost_over_eigen(const BlockGraph& graph) {
  return factor_cost(graph, eliminate(graph, minimum_degree(graph))) / factor_cost(graph, eliminate(graph, order_of_eigen(graph)));
}

TEST_CASE("minimum degree: the couplings match elimination in the same order, independent of earlier graphs", "[solvers][fast]") {
  test::Random random(1);
  for (const int nodes : {1, 2, 7, 30, 60}) {
    MinimumDegree plan(nodes, static_cast<std::size_t>(nodes * nodes));
    for (int trial = 0; trial < 30; ++trial) {
      const Pairs pairs = random_pairs(random, nodes, random(0, 3 * nodes));
      const test::AllocationCounter allocations;
      const bool fits = plan.plan(pairs);
      CHECK(allocations.count() == 0);
      REQUIRE(fits);
      check_plan(plan, pairs);
    }
  }
}

TEST_CASE("minimum degree: no fill on trees, and one pair per node on rings", "[solvers][fast]") {
  test::Random random(2);
  Pairs tree, ring;
  const int n = 200;
  for (int i = 1; i < n; ++i) tree.push_back({static_cast<int>(random(0, i)), i});
  for (int i = 0; i < n; ++i) ring.push_back({i, (i + 1) % n});
  MinimumDegree plan(n, 10 * n);
  REQUIRE(plan.plan(tree));
  CHECK(plan.num_couplings() == n - 1);
  REQUIRE(plan.plan(ring));
  CHECK(plan.num_couplings() == n + n - 3);
}

TEST_CASE("minimum degree: factorisations are as cheap as in the order of Eigen", "[solvers][fast]") {
  for (const int side : {5, 10, 24}) {
    BlockGraph grid;
    for (int i = 0; i < side * side; ++i) {
      grid.add_node(6);
      if (i % side > 0) grid.couple(i - 1, i);
      if (i >= side) grid.couple(i - side, i);
    }
    CAPTURE(side);
    CHECK(cost_over_eigen(grid) < 1.05);  // ties are broken differently
  }
  test::Random random(3);
  double sum = 0;
  const int trials = 100;
  for (int trial = 0; trial < trials; ++trial) {
    BlockGraph graph;
    const int nodes = static_cast<int>(random(5, 65));
    for (int i = 0; i < nodes; ++i) graph.add_node(static_cast<int>(random(1, 7)));
    for (int i = 1; i < nodes; ++i) graph.couple(static_cast<int>(random(0, i)), i);
    for (const auto& [a, b] : random_pairs(random, nodes, random(0, nodes))) graph.couple(a, b);
    sum += cost_over_eigen(graph);
  }
  CHECK(sum / trials < 1);
}

TEST_CASE("minimum degree: insufficient capacity is reported, and the plan can be used again", "[solvers][fast]") {
  MinimumDegree plan(6, 7);
  const Pairs path{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}, ring{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};
  const Pairs many{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}};
  CHECK(plan.plan(path));
  CHECK_FALSE(plan.plan(ring));  // the fill is nine
  CHECK_FALSE(plan.plan(many));
  REQUIRE(plan.plan(path));
  check_plan(plan, path);
}

}  // namespace minimum_degree_test
