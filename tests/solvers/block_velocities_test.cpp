// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/block_velocities.hpp"

#include "support/velocity_problem.hpp"

namespace {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

static_assert(ConeProblem<BlockVelocities<double>, double> && ConeProblem<BlockVelocities<float>, float>);

/// Nodes of mixed sizes and rows of all kinds that tie them, and the same problem as dense matrices.
struct Pile {
  std::vector<int> sizes;
  BlockVelocities<double> blocks;
  test::ConeCase dense;

  explicit Pile(std::uint64_t seed) : sizes(sizes_of(seed)), blocks(sizes, 80, sizes.size() * sizes.size()) {
    test::Random random(seed);
    const int nodes = static_cast<int>(sizes.size());
    const Eigen::Index n = blocks.offset(nodes - 1) + sizes.back();
    dense.h = std::pow(10, random(-3.5, -1.5));
    dense.M.setZero(n, n);
    blocks.begin(dense.h);
    for (int i = 0; i < nodes; ++i) {
      const MatrixXd root = random.matrix(sizes[static_cast<std::size_t>(i)], sizes[static_cast<std::size_t>(i)]);
      const MatrixXd M = root * root.transpose() + 0.3 * MatrixXd::Identity(root.rows(), root.rows());
      blocks.mass(i) = M;
      dense.M.block(blocks.offset(i), blocks.offset(i), M.rows(), M.rows()) = M;
    }
    REQUIRE(blocks.invert_masses() == blocks.none);
    const VectorXd v = random.matrix(n, 1), impulse = random.matrix(n, 1);
    blocks.set_free_motion(v, impulse);
    dense.v_free = v + dense.M.ldlt().solve(impulse);
    dense.G.setZero(0, n);
    for (int k = 0; k < 3 * nodes; ++k) {
      const int count = k % 3 == 0 ? 1 : k % 3 + 1, a = static_cast<int>(random(0, nodes)), other = static_cast<int>(random(0, nodes));
      const std::array<int, 2> ends{a, other == a || random(0, 1) < 0.3 ? blocks.none : other};
      std::array<MatrixXd, 2> G;
      std::array<const double*, 2> data{};
      MatrixXd rows = MatrixXd::Zero(count, n);
      for (const std::size_t side : {0u, 1u}) {
        if (ends[side] == blocks.none) continue;
        const int size = blocks.size(ends[side]);
        G[side] = MatrixXd::Constant(detail::leading<double>(size), count, std::nan(""));  // what lies between must not matter
        G[side].topRows(size) = random.matrix(size, count);
        data[side] = G[side].data();
        rows.middleCols(blocks.offset(ends[side]), size) = G[side].topRows(size).transpose();
      }
      dense.G.conservativeResize(dense.G.rows() + count, n);
      dense.G.bottomRows(count) = rows;
      const RowKind single = k % 2 == 0 ? RowKind::unilateral : k % 5 == 0 ? RowKind::friction : RowKind::bilateral;
      const test::AllocationCounter allocations;
      const RowKind kind = count > 1 ? RowKind::contact : single;
      const double R = std::pow(10, random(-9, -1)), bias = random(-0.3, 0.1), limit = random(0, 0.6);
      const bool fits = blocks.add(kind, count, ends, data, R, 1e-4, bias, limit);
      CHECK(allocations.count() == 0);
      REQUIRE(fits);
    }
    dense.rows = blocks.rows();
  }
  static std::vector<int> sizes_of(std::uint64_t seed) {
    test::Random random(seed + 1000);
    std::vector<int> sizes(static_cast<std::size_t>(random(1, 9)));
    for (int& size : sizes) size = random(0, 1) < 0.6 ? 6 : static_cast<int>(random(1, 12));
    return sizes;
  }
};

TEST_CASE("block velocities: they are the dense problem of their masses and rows", "[solvers][fast]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed);
    CAPTURE(seed, pile.sizes.size());
    test::check_products(pile.blocks, pile.dense, seed);
    CHECK((test::jacobian(pile.blocks) - pile.dense.G).norm() == 0);
    const VectorXd exact = (pile.dense.G * pile.dense.M.ldlt().solve(pile.dense.G.transpose())).diagonal();
    CHECK((pile.blocks.mobility().head(exact.size()) - exact).norm() < 1e-10 * exact.norm());
  }
}

TEST_CASE("block velocities: forces and velocities are those of the dense problem", "[solvers][fast]") {
  int slid = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed);
    CAPTURE(seed);
    slid += test::check_solutions(pile.blocks, pile.dense);
  }
  CHECK(slid > 50);
}

TEST_CASE("block velocities: what has no room is refused", "[solvers][fast]") {
  BlockVelocities<double> blocks({6, 6, 6}, 2, 2);
  blocks.begin(1e-2);
  for (int i = 0; i < 3; ++i) blocks.mass(i).setIdentity();
  REQUIRE(blocks.invert_masses() == blocks.none);
  const Eigen::Matrix<double, 8, 3> G = Eigen::Matrix<double, 8, 3>::Ones();
  const auto tie = [&](int a, int b) { return blocks.add(RowKind::bilateral, 1, {a, b}, {G.data(), G.data()}, 1., 1., 0., 0.); };
  CHECK(tie(0, 1));
  CHECK(tie(1, 2));
  CHECK_FALSE(tie(0, 2));
  CHECK(blocks.place());
  BlockVelocities<double> ring({6, 6, 6}, 9, 2);
  ring.begin(1e-2);
  for (int i = 0; i < 3; ++i) ring.mass(i).setIdentity();
  REQUIRE(ring.invert_masses() == ring.none);
  for (int i = 0; i < 3; ++i) REQUIRE(ring.add(RowKind::bilateral, 1, {i, (i + 1) % 3}, {G.data(), G.data()}, 1., 1., 0., 0.));
  CHECK_FALSE(ring.place());
  CHECK_FALSE(ring.factor(std::vector<GroupForce<double>>(3)));
  ring.mass(1).setZero();
  CHECK(ring.invert_masses() == 1);
}

}  // namespace
