// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/block_velocities.hpp"

#include "actio/solvers/cone/islands.hpp"
#include "support/dense.hpp"
#include "support/velocity_problem.hpp"

namespace block_velocities_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

static_assert(IslandProblem<BlockVelocities<double>, double> && IslandProblem<BlockVelocities<float>, float>);

/// Nodes of mixed sizes, in clusters tied by rows of all kinds, and the same problem as dense matrices.
struct Pile {
  std::vector<int> sizes;
  BlockVelocities<double> blocks;
  test::ConeCase dense;

  explicit Pile(std::uint64_t seed, int clusters = 1) : sizes(sizes_of(seed)), blocks(sizes, 80, sizes.size() * sizes.size()) {
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
    dense.v_free = v + test::solve(dense.M, impulse);
    dense.G.setZero(0, n);
    for (int k = 0; k < 3 * nodes; ++k) {
      const int count = k % 3 == 0 ? 1 : k % 3 + 1, a = static_cast<int>(random(0, nodes)), other = static_cast<int>(random(0, nodes));
      const bool alone = other == a || (other - a) % clusters != 0 || random(0, 1) < 0.3, nowhere = clusters > 1 && random(0, 1) < 0.1;
      const std::array<int, 2> ends{nowhere ? blocks.none : a, alone || nowhere ? blocks.none : other};
      std::array<MatrixXd, 2> G;
      std::array<const double*, 2> data{};
      MatrixXd rows = MatrixXd::Zero(count, n);
      for (const std::size_t side : {0u, 1u}) {
        if (ends[side] == blocks.none) continue;
        const int size = blocks.size(ends[side]);
        G[side] = MatrixXd::Constant(detail::leading<double>(size), count, std::nan(""));  // padding between columns must have no effect
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
      const bool fits = blocks.add({kind, count, {R, 1e-4, 1e-4}, {bias, 0, 0}, limit}, ends, data);
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

TEST_CASE("block velocities: products and mobilities match the dense problem", "[solvers][fast]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed);
    CAPTURE(seed, pile.sizes.size());
    test::check_products(pile.blocks, pile.dense, seed);
    CHECK((test::jacobian(pile.blocks) - pile.dense.G).norm() == 0);
    const VectorXd exact = test::delassus(pile.dense.G, pile.dense.M).diagonal();
    CHECK((pile.blocks.mobility().head(exact.size()) - exact).norm() < 1e-10 * exact.norm());
  }
}

TEST_CASE("block velocities: forces and velocities match the dense problem", "[solvers][fast]") {
  int slid = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed);
    CAPTURE(seed);
    slid += test::check_solutions(pile.blocks, pile.dense);
  }
  CHECK(slid > 50);
}

/// The part of a dense problem that belongs to the current island.
test::ConeCase part(const test::ConeCase& all, const BlockVelocities<double>& blocks) {
  const Eigen::Index n = all.v_free.size(), m = all.rows.size();
  const VectorXd entries = VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1)),
                 rows = VectorXd::LinSpaced(m, 0, static_cast<double>(m - 1));
  VectorXd own_entries(blocks.v_free().size()), own_rows(blocks.rows().size());
  blocks.gather(entries, rows, own_entries, own_rows);
  const std::vector<int> v(own_entries.begin(), own_entries.end()), r(own_rows.begin(), own_rows.end());
  test::ConeCase own{"island", {}, all.M(v, v), all.G(r, v), all.v_free(v), all.h, blocks.rows()};
  CHECK(own.rows.R() == all.rows.R()(r));
  CHECK(own.rows.bias() == all.rows.bias()(r));
  CHECK(own.rows.settling() == all.rows.settling()(r));
  CHECK(own.rows.base() == all.rows.base()(r));
  return own;
}

TEST_CASE("block velocities: an island is the dense problem of its connected nodes", "[solvers][fast]") {
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed, 3);
    BlockVelocities<double>& blocks = pile.blocks;
    CAPTURE(seed);
    REQUIRE(blocks.place());
    several += blocks.num_islands() > 2;
    ConeRows<double>& rows = pile.dense.rows;
    test::Random random(seed);
    for (Eigen::Index k = 0; k < rows.size(); k += 2) {  // every second row settles
      rows.settling()[k] = rows.R()[k];
      rows.base()[k] = random(-1, 1);
    }
    blocks.set(pile.dense.rows, VectorXd(blocks.mobility()), pile.dense.v_free);
    Eigen::Index n = 0, m = 0;
    for (int island = 0; island < blocks.num_islands(); ++island) {
      const test::AllocationCounter allocations;
      blocks.enter(island);
      CHECK(allocations.count() == 0);
      const test::ConeCase own = part(pile.dense, blocks);
      n += own.v_free.size();
      m += own.rows.size();
      CHECK(blocks.has_rows(island) == (own.rows.size() > 0));
      if (own.v_free.size() > 0) test::check_products(blocks, own, seed);
    }
    CHECK(n == pile.dense.v_free.size());  // each node is in exactly one island
    CHECK(m == pile.dense.rows.size());
    blocks.leave();
    test::check_products(blocks, pile.dense, seed);
  }
  CHECK(several > 30);
}

TEST_CASE("cone islands: solving the islands one by one gives the solution of the whole problem", "[solvers][fast]") {
  int slid = 0, kept = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pile pile(seed, 3);
    CAPTURE(seed);
    REQUIRE(pile.blocks.place());
    const Eigen::Index n = pile.dense.v_free.size(), m = pile.dense.rows.size();
    ConeNewton<double> newton(n, m);
    ConeIslands<double, ConeNewton<double>> islands(n, m, newton);
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      VectorXd v = pile.dense.v_free, lambda = VectorXd::Zero(m), expected = v, expected_lambda = lambda;
      test::DenseVelocities<double> dense = pile.dense.velocities();
      REQUIRE(newton.solve(dense, {.law = law}, expected, expected_lambda));
      const test::AllocationCounter allocations;
      const ConeResult<double> result = islands.solve(pile.blocks, {.law = law}, v, lambda);
      CHECK(allocations.count() == 0);
      REQUIRE(result);
      CHECK((v - expected).norm() < 1e-8 * (1 + expected.norm()));
      CHECK(test::certificate(pile.dense, law, lambda).worst() < 1e-7);
      CHECK(pile.blocks.rows().size() == m);  // the island was left
      for (const GroupForce<double>& force : newton.forces()) slid += force.piece == Piece::slide;
      // Each island has factors of its own, which serve for a similar problem.
      VectorXd again = v * (1 + 1e-7), its_lambda = lambda * (1 + 1e-7);
      const ConeResult<double> similar = islands.solve(pile.blocks, {.law = law, .same_matrix = true}, again, its_lambda);
      REQUIRE(similar);
      CHECK((again - v).norm() < 1e-8 * (1 + v.norm()));
      kept += similar.factorizations == 0 && similar.iterations > 0;
    }
  }
  CAPTURE(kept);
  CHECK(slid > 50);
  CHECK(kept > 10);  // in the others an island slides or has rows so stiff that it is factored more exactly
}

TEST_CASE("block velocities: rows beyond the capacity are refused", "[solvers][fast]") {
  BlockVelocities<double> blocks({6, 6, 6}, 2, 2);
  blocks.begin(1e-2);
  for (int i = 0; i < 3; ++i) blocks.mass(i).setIdentity();
  REQUIRE(blocks.invert_masses() == blocks.none);
  const Eigen::Matrix<double, 8, 3> G = Eigen::Matrix<double, 8, 3>::Ones();
  const auto tie = [&](int a, int b) { return blocks.add({RowKind::bilateral, 1, {1, 0, 0}, {0, 0, 0}}, {a, b}, {G.data(), G.data()}); };
  CHECK(tie(0, 1));
  CHECK(tie(1, 2));
  CHECK_FALSE(tie(0, 2));
  CHECK(blocks.place());
  BlockVelocities<double> ring({6, 6, 6}, 9, 2);
  ring.begin(1e-2);
  for (int i = 0; i < 3; ++i) ring.mass(i).setIdentity();
  REQUIRE(ring.invert_masses() == ring.none);
  for (int i = 0; i < 3; ++i) REQUIRE(ring.add({RowKind::bilateral, 1, {1, 0, 0}, {0, 0, 0}}, {i, (i + 1) % 3}, {G.data(), G.data()}));
  CHECK_FALSE(ring.place());
  CHECK_FALSE(ring.factor(std::vector<GroupForce<double>>(3)));
  ring.mass(1).setZero();
  CHECK(ring.invert_masses() == 1);
}

}  // namespace block_velocities_test
