// SPDX-License-Identifier: BSD-3-Clause
// Block LDU against dense LU, on graphs that differ from those of robots.
#include "actio/solvers/sparse/block_ldu.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/dual.hpp"
#include "support/random_blocks.hpp"
#include "support/saddle_system.hpp"

namespace block_ldu_long_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::fill;
using test::random_tree;
using test::reversed;

TEMPLATE_TEST_CASE("block ldu: trees are factored without fill and match dense LU", "[solvers][block_ldu][long]", double, float) {
  using S = TestType;
  models::Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const BlockGraph graph = random_tree(1 + random.below(40), random, trial % 4 == 0 ? 9 : 6);
    BlockLdu<S> ldu(graph, reversed(graph.num_nodes()));
    CHECK(ldu.fill() == 0);
    const MatrixX<S> dense = fill(graph, ldu, random);
    VectorX<S> b = VectorX<S>::NullaryExpr(ldu.size(), [&] { return S(random.uniform(-1, 1)); }), x = b;
    const test::AllocationCounter allocations;
    REQUIRE(ldu.factor() == -1);
    ldu.solve(x);
    CHECK(allocations.count() == 0);
    CHECK((dense * x - b).norm() <= 2000 * epsilon<S> * dense.norm() * x.norm());
    VectorX<S> again = b;
    ldu.solve(again);
    CHECK(again == x);
  }
}

TEST_CASE("block ldu: any order of any graph is factored, with the least fill for this order", "[solvers][block_ldu][long]") {
  models::Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const int nodes = 2 + random.below(25);
    BlockGraph graph = random_tree(nodes, random);
    for (int loop = random.below(8); loop > 0; --loop) graph.couple(random.below(nodes), random.below(nodes));
    std::vector<int> order = reversed(nodes);
    for (std::size_t k = order.size() - 1; k > 0; --k)
      std::swap(order[k], order[static_cast<std::size_t>(random.below(static_cast<int>(k) + 1))]);
    // Fill as in textbooks: eliminating a node couples all its remaining neighbours.
    Eigen::MatrixXi pattern = Eigen::MatrixXi::Zero(nodes, nodes);
    int couplings = 0, after = 0;
    for (int i = 0; i < nodes; ++i) {
      for (const int j : graph.neighbours(i)) pattern(i, j) = 1;
    }
    couplings = pattern.sum() / 2;
    std::vector<bool> gone(static_cast<std::size_t>(nodes));
    for (const int i : order) {
      gone[static_cast<std::size_t>(i)] = true;
      for (int a = 0; a < nodes; ++a) {
        for (int b = 0; b < nodes; ++b) {
          if (a != b && !gone[static_cast<std::size_t>(a)] && !gone[static_cast<std::size_t>(b)] && pattern(i, a) && pattern(i, b))
            pattern(a, b) = 1;
        }
      }
    }
    after = pattern.sum() / 2;
    BlockLdu<double> ldu(graph, order);
    CHECK(ldu.fill() == after - couplings);
    CHECK(ldu.num_blocks() == static_cast<std::size_t>(nodes + 2 * after));
    const MatrixXd dense = fill(graph, ldu, random);
    VectorXd x = VectorXd::NullaryExpr(ldu.size(), [&] { return random.uniform(-1, 1); });
    const VectorXd expected = test::solve(dense, x);
    REQUIRE(ldu.factor() == -1);
    ldu.solve(x);
    CHECK((x - expected).norm() <= 1e-12 * expected.norm());
  }
}

/// The residual relative to the size of A, x and b.
double relative_residual(const MatrixXd& A, const VectorXd& x, const VectorXd& b) {
  return (A * x - b).norm() / (A.norm() * x.norm() + b.norm());
}

TEST_CASE("block ldu: redundant rows of a node that may be singular are dropped", "[solvers][block_ldu][long]") {
  // A body with six unknowns and a constraint that is given three times: only independent multipliers remain.
  models::Random random(5);
  BlockGraph graph;
  const int body = graph.add_node(6), rows = graph.add_node(5);
  graph.couple(body, rows);
  const MatrixXd once = MatrixXd::NullaryExpr(2, 6, [&] { return random.uniform(-1, 1); });
  MatrixXd G(5, 6);
  G << once, once, once.colwise().sum();
  const auto make = [&](BlockLdu<double>& ldu) {
    ldu.set_zero();
    ldu.block(body, body).diagonal().setLinSpaced(1, 6);
    ldu.block(rows, body) = G;
    ldu.block(body, rows) = G.transpose();
  };
  BlockLdu<double> ldu(graph, {body, rows}, {rows});
  make(ldu);
  MatrixXd dense = MatrixXd::Zero(11, 11);
  dense << ldu.block(body, body).eval(), G.transpose(), G, MatrixXd::Zero(5, 5);
  const VectorXd b = dense * VectorXd::LinSpaced(11, -1, 1);  // consistent
  VectorXd x = b;
  const test::AllocationCounter allocations;
  REQUIRE(ldu.factor() == -1);
  ldu.solve(x);
  CHECK(allocations.count() == 0);
  CHECK(ldu.dropped() == 3);
  CHECK(relative_residual(dense, x, b) < 1e-14);
  const VectorXd least = test::solve_least_norm(dense, b);
  CHECK((x - least).head(6).norm() < 1e-12 * least.norm());
  CHECK((x.tail(5).array() == 0).count() == 3);
  make(ldu);
  ldu.block(rows, body).setZero();  // rank 0
  CHECK(ldu.factor() == -1);
  CHECK(ldu.dropped() == 5);
  x = b;
  x.tail(5).setZero();
  ldu.solve(x);
  CHECK((x.head(6) - VectorXd(b.head(6).array() / VectorXd::LinSpaced(6, 1, 6).array())).norm() < 1e-14 * b.norm());
  CHECK(x.tail(5).isZero(0));
  ldu.set_zero();
  ldu.block(body, body).setIdentity();
  ldu.block(rows, rows)(0, 1) = ldu.block(rows, rows)(1, 0) = 1;  // of full rank with a zero diagonal
  CHECK(ldu.factor() == -1);
  CHECK(ldu.dropped() == 3);
  ldu.block(rows, rows)(2, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK(ldu.factor() == rows);
}

/// Bodies on a ring, connected by revolute joints about axes along z: the last three rows of the ring are redundant; then a rung across,
/// and that rung twice.
test::SaddleSystem planar_ring(unsigned seed, int n) {
  test::SaddleSystem s(seed);
  models::Random random(seed);
  const auto at = [&](double k) { return Vector3<double>(3 * std::cos(k * 6.28 / n), 2 * std::sin(k * 6.28 / n), 0.1); };
  for (int k = 0; k < n; ++k) s.add_body(at(k));
  for (int k = 0; k < n; ++k)
    s.add_revolute(s.bodies[static_cast<std::size_t>(k)], s.bodies[static_cast<std::size_t>((k + 1) % n)], at(k + 0.5), {0, 0, 1});
  for (int twice = 0; twice < 2; ++twice) s.add_revolute(s.bodies[0], s.bodies[static_cast<std::size_t>(n / 2)], {0.2, 0.3, 0}, {0, 0, 1});
  s.add_ball(-1, s.bodies[1], {1, 1, 1});
  return s;
}

TEST_CASE("block ldu: redundant rows of several nodes, in every order of the nodes and any units of the rows",
          "[solvers][block_ldu][long]") {
  for (unsigned trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    models::Random random(trial);
    const int n = 5 + random.below(5);
    test::SaddleSystem s = planar_ring(trial, n);
    if (trial % 2 == 1) {
      for (const int c : s.constraints) {
        for (int r = 0; r < s.graph.size(c); ++r) s.scale_row(c, r, std::pow(10.0, random.uniform(-6, 6)));
      }
    }
    std::vector<int> order = s.bodies, constraints = s.constraints;
    for (std::size_t k = constraints.size() - 1; k > 0; --k)
      std::swap(constraints[k], constraints[static_cast<std::size_t>(random.below(static_cast<int>(k) + 1))]);
    order.insert(order.end(), constraints.begin(), constraints.end());
    BlockLdu<double> ldu(s.graph, order, constraints);
    s.fill(ldu);
    const MatrixXd A = s.dense(ldu);
    REQUIRE(ldu.factor() == -1);
    // The ring has three redundant rows, the rung three more, the second rung five.
    CHECK(ldu.dropped() == 11);
    // Multipliers scale inversely with their rows.
    VectorXd truth = VectorXd::NullaryExpr(ldu.size(), [&] { return random.uniform(-1, 1); });
    for (const int c : s.constraints) {
      for (int r = 0; r < s.graph.size(c); ++r) truth[ldu.offset(c) + r] /= A.row(ldu.offset(c) + r).norm();
    }
    const VectorXd b = A * truth;
    VectorXd x = b;
    ldu.solve(x);
    // Rows are normalised, so that each counts; the motion of bodies does not depend on the multipliers.
    const VectorXd units = A.rowwise().norm().cwiseInverse();
    CHECK((units.asDiagonal() * (A * x - b)).norm() < 1e-9);
    double apart = 0;
    for (const int i : s.bodies) apart += (x - truth).segment(ldu.offset(i), 6).norm();
    CHECK(apart < 1e-9 * n);
    if (trial % 2 == 0) {
      const VectorXd least = test::solve_least_norm(A, b);
      for (const int i : s.bodies) CHECK((x - least).segment(ldu.offset(i), 6).norm() < 1e-9);
    }
  }
}

TEST_CASE("block ldu: redundant rows in single precision are dropped", "[solvers][block_ldu][long]") {
  for (unsigned trial = 0; trial < 20; ++trial) {
    test::SaddleSystem s = planar_ring(trial, 6);
    std::vector<int> order = s.bodies;
    order.insert(order.end(), s.constraints.begin(), s.constraints.end());
    BlockLdu<float> ldu(s.graph, order, s.constraints);
    s.fill(ldu);
    const MatrixXd A = s.dense(ldu);
    REQUIRE(ldu.factor() == -1);
    CHECK(ldu.dropped() == 11);
    const VectorXd b = A * VectorXd::LinSpaced(A.cols(), -1, 1);
    VectorX<float> x = b.cast<float>();
    ldu.solve(x);
    CHECK(relative_residual(A, x.cast<double>(), b) < 1e-5);
  }
}

TEST_CASE("block ldu: random saddle-point systems with dependent rows", "[solvers][block_ldu][long]") {
  for (unsigned trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    // Constraints on the same few bodies; the rows of some are sums of those of two others, before and after a change of the columns.
    models::Random random(trial);
    const auto matrix = [&](int r, int c) { return MatrixXd::NullaryExpr(r, c, [&] { return random.uniform(-1, 1); }).eval(); };
    const int bodies = 1 + random.below(4), constraints = 2 + random.below(3);
    BlockGraph graph;
    std::vector<int> order;
    for (int i = 0; i < bodies + constraints; ++i) {
      order.push_back(graph.add_node(i < bodies ? 6 : 1 + random.below(5)));
      for (int j = 0; j < bodies; ++j) {
        if (i >= bodies) graph.couple(i, j);
      }
    }
    std::vector<int> singular(order.begin() + bodies, order.end());
    BlockLdu<double> ldu(graph, order, singular);
    const int n = 6 * bodies, m = static_cast<int>(ldu.size()) - n, rank = std::min({1 + random.below(m), m, n});
    const MatrixXd G = matrix(m, rank) * matrix(rank, n), root = matrix(n, n);
    MatrixXd D = MatrixXd::Zero(n, n), C = D, A = MatrixXd::Zero(n + m, n + m);
    for (int j = 0; j < n; j += 6) {
      D.block(j, j, 6, 6) = root.block(j, j, 6, 6) * root.block(j, j, 6, 6).transpose() + MatrixXd::Identity(6, 6) + 0.01 * matrix(6, 6);
      C.block(j, j, 6, 6) = MatrixXd::Identity(6, 6) + 0.01 * matrix(6, 6);
    }
    A << D, -G.transpose(), G * C, MatrixXd::Zero(m, m);
    ldu.set_zero();
    for (int i = 0; i < graph.num_nodes(); ++i) {
      for (int j = 0; j < graph.num_nodes(); ++j) {
        if (i == j || graph.is_coupled(i, j)) ldu.block(i, j) = A.block(ldu.offset(i), ldu.offset(j), graph.size(i), graph.size(j));
      }
    }
    const VectorXd b = A * matrix(n + m, 1);
    VectorXd x = b;
    REQUIRE(ldu.factor() == -1);
    ldu.solve(x);
    CHECK(ldu.dropped() == m - rank);
    CHECK(relative_residual(A, x, b) < 1e-9);
    const VectorXd least = test::solve_least_norm(A, b);
    CHECK((x - least).head(n).norm() < 1e-6 * least.norm());
  }
}

TEST_CASE("block ldu: derivatives are propagated by dual numbers", "[solvers][block_ldu][long]") {
  models::Random random(7);
  const BlockGraph graph = random_tree(8, random, 7);
  BlockLdu<double> ldu(graph, reversed(8));
  BlockLdu<test::Dual> dual(graph, reversed(8));
  const MatrixXd A = fill(graph, ldu, random), A_rate = fill(graph, ldu, random);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      if (a != b && !graph.is_coupled(a, b)) continue;
      auto block = dual.block(a, b);
      for (Eigen::Index c = 0; c < block.cols(); ++c) {
        for (Eigen::Index r = 0; r < block.rows(); ++r)
          block(r, c) = {A(ldu.offset(a) + r, ldu.offset(b) + c), A_rate(ldu.offset(a) + r, ldu.offset(b) + c)};
      }
    }
  }
  const VectorXd b = VectorXd::LinSpaced(ldu.size(), -1, 1), x = test::solve(A, b), x_rate = test::solve(A, -A_rate * x);
  VectorX<test::Dual> y = b.cast<test::Dual>();
  REQUIRE(dual.factor() == -1);
  dual.solve(y);
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    CHECK(std::abs(y[k].x - x[k]) < 1e-12 * x.norm());
    CHECK(std::abs(y[k].derivative - x_rate[k]) < 1e-12 * x_rate.norm());
  }
}

}  // namespace block_ldu_long_test
