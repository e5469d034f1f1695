// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/sparse/islands.hpp"

#include <numeric>

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace islands_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("islands: two nodes are in the same island exactly if a path connects them", "[solvers][fast]") {
  models::Random random(7);
  const auto below = [&](int n) { return static_cast<int>(random.uniform(0, n)); };
  const auto index = [](int i) { return static_cast<std::size_t>(i); };
  for (int run = 0; run < 200; ++run) {
    const int n = below(24);
    std::vector<int> order(index(n));
    std::iota(order.begin(), order.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(order[index(i)], order[index(below(i + 1))]);
    Islands islands(n);
    for (const int edges : {n / 2, 0, 2 * n}) {  // found again after other graphs
      std::vector<std::array<int, 2>> pairs(index(edges));
      for (auto& pair : pairs) pair = {below(n), below(n)};
      const test::AllocationCounter allocations;
      islands.find(pairs, order);
      CHECK(allocations.count() == 0);

      // Connected nodes by Warshall's algorithm.
      std::vector<std::vector<bool>> joined(order.size(), std::vector<bool>(order.size()));
      for (std::size_t i = 0; i < order.size(); ++i) joined[i][i] = true;
      for (const auto& [a, b] : pairs) joined[index(a)][index(b)] = joined[index(b)][index(a)] = true;
      for (std::size_t k = 0; k < order.size(); ++k) {
        for (std::size_t i = 0; i < order.size(); ++i) {
          for (std::size_t j = 0; j < order.size(); ++j) joined[i][j] = joined[i][j] || (joined[i][k] && joined[k][j]);
        }
      }
      bool same = true;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) same &= (islands.of(i) == islands.of(j)) == joined[index(i)][index(j)];
      }
      CHECK(same);

      // Each node is listed once, in the given order; islands are ordered by their first nodes.
      std::vector<int> listed, firsts;
      const auto rank = [&](int node) { return std::find(order.begin(), order.end(), node) - order.begin(); };
      const auto earlier = [&](int a, int b) { return rank(a) < rank(b); };
      for (int i = 0; i < islands.count(); ++i) {
        const std::span<const int> members = islands.members(i);
        REQUIRE(!members.empty());
        firsts.push_back(members.front());
        for (const int node : members) CHECK(islands.of(node) == i);
        CHECK(std::is_sorted(members.begin(), members.end(), earlier));
        listed.insert(listed.end(), members.begin(), members.end());
      }
      CHECK(std::is_sorted(firsts.begin(), firsts.end(), earlier));
      CHECK(std::is_permutation(listed.begin(), listed.end(), order.begin(), order.end()));
    }
  }
}

}  // namespace islands_test
