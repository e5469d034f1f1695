// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/sparse/minimum_degree.hpp"

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

TEST_CASE("minimum degree: no fill on trees, one pair per node on rings, and little more than the best known orders on grids",
          "[solvers][fast]") {
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

  const int side = 24;
  Pairs grid;
  BlockGraph graph;
  for (int i = 0; i < side * side; ++i) {
    graph.add_node(1);
    if (i % side > 0) grid.push_back({i - 1, i});
    if (i >= side) grid.push_back({i - side, i});
  }
  for (const auto& [a, b] : grid) graph.couple(a, b);
  MinimumDegree planned(side * side, 20'000);
  REQUIRE(planned.plan(grid));
  const double reference = static_cast<double>(grid.size()) + eliminate(graph, minimum_degree(graph)).fill;  // of Eigen
  CHECK(planned.num_couplings() < 1.3 * reference);
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
