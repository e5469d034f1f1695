// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/sparse/changing_ldu.hpp"

#include <set>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace changing_ldu_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

template <class S>
void check_against_dense(std::uint64_t seed, double tolerance) {
  test::Random random(seed);
  const int nodes = 1 + static_cast<int>(random(0, 15));
  std::vector<int> sizes;
  for (int i = 0; i < nodes; ++i) sizes.push_back(random(0, 1) < 0.5 ? 6 : 1 + static_cast<int>(random(0, 9)));
  ChangingLdu<S> ldu(sizes, static_cast<std::size_t>(nodes * nodes));
  for (int trial = 0; trial < 4; ++trial) {  // several plans in sequence
    std::set<std::array<int, 2>> pairs;
    for (int k = 0; k < nodes * trial / 2; ++k) {
      const int a = static_cast<int>(random(0, nodes)), b = static_cast<int>(random(0, nodes));
      if (a != b) pairs.insert({a < b ? a : b, a < b ? b : a});
    }
    const std::vector<std::array<int, 2>> listed(pairs.begin(), pairs.end());
    const Eigen::Index n = ldu.offset(nodes - 1) + sizes.back();
    MatrixXd dense = MatrixXd::Zero(n, n);
    const auto fill = [&](int a, int b, double shift) {
      const MatrixXd block = random.matrix(ldu.size(a), ldu.size(b), 1) + shift * MatrixXd::Identity(ldu.size(a), ldu.size(b));
      dense.block(ldu.offset(a), ldu.offset(b), ldu.size(a), ldu.size(b)) = block;
      S* const to = ldu.block(ldu.place(a, b));
      for (int c = 0; c < ldu.size(b); ++c) {
        for (int r = 0; r < ldu.size(a); ++r) to[r + detail::leading<S>(ldu.size(a)) * c] = static_cast<S>(block(r, c));
      }
    };
    VectorX<S> x(n);
    const VectorXd right = random.matrix(n, 1);
    x = right.cast<S>();
    bool planned = false, factored = false;
    {
      const test::AllocationCounter allocations;
      planned = ldu.plan(listed);
      CHECK(allocations.count() == 0);
    }
    REQUIRE(planned);
    ldu.set_zero();
    for (int i = 0; i < nodes; ++i) fill(i, i, 12);
    for (const auto& [a, b] : listed) {
      CHECK(ldu.is_coupled(a, b));
      fill(a, b, 0);
      fill(b, a, 0);
    }
    {
      const test::AllocationCounter allocations;
      factored = ldu.factor();
      ldu.solve(x);
      CHECK(allocations.count() == 0);
    }
    REQUIRE(factored);
    CAPTURE(seed, trial, nodes);
    CHECK((dense * x.template cast<double>() - right).norm() < tolerance * right.norm());
  }
}

TEST_CASE("changing LDU: solutions match the dense matrix, for mixed sizes and changing graphs", "[solvers][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) check_against_dense<double>(seed, 1e-12);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) check_against_dense<float>(seed, 1e-4);
}

TEST_CASE("changing LDU: singular pivots and graphs beyond the capacity are reported", "[solvers][fast]") {
  ChangingLdu<double> ldu({6, 3, 6}, 2);
  ldu.set_zero();
  CHECK_FALSE(ldu.factor());
  const std::vector<std::array<int, 2>> triangle{{0, 1}, {1, 2}, {0, 2}};
  CHECK_FALSE(ldu.plan(triangle));
  CHECK(ldu.plan(std::span(triangle).first(2)));
  CHECK_FALSE(ldu.is_coupled(0, 2));
}

}  // namespace changing_ldu_test
