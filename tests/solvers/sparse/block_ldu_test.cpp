// SPDX-License-Identifier: BSD-3-Clause
// Block LDU on graphs that differ from those of robots, by residuals; block_ldu_long_test.cpp compares with dense factorisations.
#include "actio/solvers/sparse/block_ldu.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/random_blocks.hpp"
#include "support/saddle_system.hpp"

namespace block_ldu_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::fill;
using test::random_tree;
using test::reversed;

TEST_CASE("block ldu: trees, and graphs with loops, are solved from the leaves to the root", "[solvers][block_ldu][fast]") {
  models::Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    BlockGraph graph = random_tree(10 + random.below(30), random, trial % 4 == 0 ? 9 : 6);
    for (int loop = trial % 2 * 5; loop > 0; --loop) graph.couple(random.below(graph.num_nodes()), random.below(graph.num_nodes()));
    BlockLdu<double> ldu(graph, reversed(graph.num_nodes()));
    CHECK((trial % 2 == 1 || ldu.fill() == 0));
    const MatrixXd dense = fill(graph, ldu, random);
    const VectorXd b = VectorXd::LinSpaced(ldu.size(), -1, 1);
    VectorXd x = b;
    const test::AllocationCounter allocations;
    REQUIRE(ldu.factor() == -1);
    ldu.solve(x);
    CHECK(allocations.count() == 0);
    CHECK((dense * x - b).norm() <= 1e-13 * dense.norm() * x.norm());
  }
}

TEST_CASE("block ldu: saddle-point systems of a chain, each joint after its child", "[solvers][block_ldu][fast]") {
  // Bodies 0, 2, 4, ... with six unknowns, and joints 1, 3, 5, ... with a zero diagonal to the next body; the last one to the world.
  models::Random random(3);
  BlockGraph graph;
  for (int i = 0; i < 12; ++i) {
    const int body = graph.add_node(6), joint = graph.add_node(1 + random.below(5));
    graph.couple(body, joint);
    if (i > 0) graph.couple(body, body - 1);
  }
  std::vector<int> order(24);
  std::iota(order.begin(), order.end(), 0);
  BlockLdu<double> ldu(graph, order);
  CHECK(ldu.fill() == 0);
  fill(graph, ldu, random);
  MatrixXd dense = MatrixXd::Zero(ldu.size(), ldu.size());
  for (int joint = 1; joint < 24; joint += 2) ldu.block(joint, joint).setZero();
  for (int a = 0; a < 24; ++a) {
    for (int b = 0; b < 24; ++b) {
      if (a == b || graph.is_coupled(a, b)) dense.block(ldu.offset(a), ldu.offset(b), graph.size(a), graph.size(b)) = ldu.block(a, b);
    }
  }
  const VectorXd b = VectorXd::LinSpaced(ldu.size(), -1, 1);
  VectorXd x = b;
  REQUIRE(ldu.factor() == -1);
  ldu.solve(x);
  CHECK((dense * x - b).norm() <= 1e-12 * dense.norm() * x.norm());
}

TEST_CASE("block ldu: blocks are accessible by their nodes and do not overlap", "[solvers][block_ldu][fast]") {
  models::Random random(6);
  BlockGraph graph = random_tree(12, random, 8);
  graph.couple(3, 9);
  BlockLdu<double> ldu(graph, reversed(12));
  const BlockLdu<double>& read = ldu;
  for (int a = 0; a < 12; ++a) {
    for (int b = 0; b < 12; ++b) {
      if (a != b && !graph.is_coupled(a, b)) continue;
      const auto place = ldu.place(a, b);
      REQUIRE(place.rows == graph.size(a));
      REQUIRE(place.columns == graph.size(b));
      for (int c = 0; c < place.columns; ++c) {
        for (int r = 0; r < place.rows; ++r) ldu.data(place)[r + ldu.leading(place) * c] = a + 100 * b + 0.1 * r + 0.01 * c;
      }
    }
  }
  for (int a = 0; a < 12; ++a) {
    for (int b = 0; b < 12; ++b) {
      if (a != b && !graph.is_coupled(a, b)) continue;
      const MatrixXd expected = MatrixXd::NullaryExpr(
          graph.size(a), graph.size(b), [&](Eigen::Index r, Eigen::Index c) { return a + 100 * b + 0.1 * double(r) + 0.01 * double(c); });
      CHECK(read.block(a, b) == expected);  // no block overlaps with another
      CHECK(read.block(ldu.place(a, b)) == expected);
    }
  }
}

TEST_CASE("block ldu: minimum degree ordering keeps ladders sparse", "[solvers][block_ldu][fast]") {
  for (const int rungs : {10, 100, 1000}) {
    BlockGraph graph;
    for (int i = 0; i < 2 * rungs; ++i) {
      graph.add_node(3);
      if (i >= 2) graph.couple(i, i - 2);
      if (i % 2 == 1) graph.couple(i, i - 1);
    }
    CHECK(eliminate(graph, minimum_degree(graph)).fill <= 4 * rungs);
  }
}

TEST_CASE("block ldu: the singular pivot is reported", "[solvers][block_ldu][fast]") {
  models::Random random(4);
  const BlockGraph graph = random_tree(6, random);
  BlockLdu<double> ldu(graph, reversed(6));
  fill(graph, ldu, random);
  ldu.block(5, 5).setZero();
  CHECK(ldu.factor() == 5);
  fill(graph, ldu, random);
  ldu.block(3, 3)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(ldu.factor() == 3);
}

TEST_CASE("block ldu: a planar ring with redundant rows and rows of different units", "[solvers][block_ldu][fast]") {
  test::SaddleSystem s(1);
  const int n = 6;
  const auto at = [](double k) { return Vector3<double>(3 * std::cos(k * 6.28 / n), 2 * std::sin(k * 6.28 / n), 0.1); };
  for (int k = 0; k < n; ++k) s.add_body(at(k));
  for (int k = 0; k < n; ++k)
    s.add_revolute(s.bodies[static_cast<std::size_t>(k)], s.bodies[static_cast<std::size_t>((k + 1) % n)], at(k + 0.5), {0, 0, 1});
  s.add_ball(-1, s.bodies[1], {1, 1, 1});
  s.scale_row(s.constraints[2], 3, 1e5);
  std::vector<int> order = s.bodies;
  order.insert(order.end(), s.constraints.begin(), s.constraints.end());
  BlockLdu<double> ldu(s.graph, order, s.constraints);
  s.fill(ldu);
  const MatrixXd A = s.dense(ldu);
  const VectorXd truth = VectorXd::LinSpaced(ldu.size(), -1, 1), b = A * truth;
  VectorXd x = b;
  REQUIRE(ldu.factor() == -1);
  CHECK(ldu.dropped() == 3);  // the redundant rows of the ring
  ldu.solve(x);
  CHECK((A * x - b).cwiseQuotient(A.rowwise().norm()).norm() < 1e-10);
  for (const int i : s.bodies) CHECK((x - truth).segment(ldu.offset(i), 6).norm() < 1e-9);
}

}  // namespace block_ldu_test
