// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/grid.hpp"

#include <set>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace proximity_grid_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
using Grid = ProximityGrid<double>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(Grid& grid, double margin) {
  Pairs pairs;
  grid.for_each_pair(margin, [&](std::size_t a, std::size_t b) { pairs.emplace_back(a, b); });
  return pairs;
}
Pairs brute_force(const Grid& grid, double margin) {
  Pairs pairs;
  for (std::size_t a = 0; a < grid.size(); ++a) {
    for (std::size_t b = a + 1; b < grid.size(); ++b) {
      const Vector3d apart = (grid.bounds(b).center - grid.bounds(a).center).cwiseAbs() - grid.bounds(a).half - grid.bounds(b).half;
      if (apart.maxCoeff() <= margin) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

TEST_CASE("proximity grid: every overlapping pair is found once, for any sizes, positions and margins", "[contacts][fast]") {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    test::Random random(seed);
    Grid grid;
    const int boxes = 1 + static_cast<int>(random(0, 120));
    const double spread = random(0, 4), scale = std::pow(10, random(-3, 3));
    std::vector<Vector3d> halves;
    for (int k = 0; k < boxes; ++k) {
      halves.push_back(scale * std::pow(10, random(-spread, 0)) * Vector3d{random(0, 1), random(0, 1), random(0, 1)});
      if (seed % 10 == 0) halves.back().setZero();
      grid.add(halves.back().norm());
    }
    const Vector3d away = std::pow(10, random(-2, 8)) * scale * Vector3d(random.matrix(3, 1));
    for (int step = 0; step < 3; ++step) {
      for (std::size_t k = 0; k < grid.size(); ++k)
        grid.bounds(k) = {away + Vector3d(random.matrix(3, 1, scale * random(0, 6))), halves[k]};
      const double margin = seed % 3 == 0 ? 0 : scale * random(0, 0.5);
      Pairs pairs = pairs_of(grid, margin);
      CHECK(pairs == pairs_of(grid, margin));
      Grid anew = grid;
      CHECK(pairs == pairs_of(anew, margin));
      const auto rank = [&](const auto& pair) { return std::pair(grid.rank(pair.first), grid.rank(pair.second)); };
      for (std::size_t k = 0; k < pairs.size(); ++k)
        CHECK((rank(pairs[k]).first < rank(pairs[k]).second && (k == 0 || rank(pairs[k - 1]) < rank(pairs[k]))));
      for (auto& [a, b] : pairs) {
        if (a > b) std::swap(a, b);
      }
      std::sort(pairs.begin(), pairs.end());
      CAPTURE(seed, boxes, spread, scale, margin);
      CHECK(pairs == brute_force(grid, margin));
      most = std::max(most, pairs.size());
    }
  }
  CHECK(most > 100);
}

TEST_CASE("proximity grid: no allocation, and no pairs for distant, infinite or non-finite boxes", "[contacts][fast]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Grid grid;
  for (const double x : {0., 1e30, -1e30, inf, nan, 1., 1e300}) {
    grid.add(1);
    grid.bounds(grid.size() - 1) = {Vector3d::Constant(x), Vector3d::Constant(0.6)};
  }
  std::size_t pairs = 0;
  const test::AllocationCounter allocations;
  grid.for_each_pair(0.1, [&](std::size_t a, std::size_t b) { pairs += a == 0 && b == 5 ? 1U : 100U; });
  CHECK(allocations.count() == 0);
  CHECK(pairs == 1);
}

}  // namespace proximity_grid_test
