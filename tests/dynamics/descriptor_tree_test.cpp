// SPDX-License-Identifier: BSD-3-Clause
// The recursion in redundant coordinates, against a dense solution of the same saddle-point system.
#include "actio/dynamics/descriptor_tree.hpp"

#include "actio/dynamics/rod_tree.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/rod_chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace descriptor_tree_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

/// Returns u'' of  [M G^T; G 0] (u'', mu) = (f, gamma)  by one dense matrix.
template <class Blocks, class ParentOf, class BlocksOf>
VectorXd dense_accelerations(BodyIndex bodies, const ParentOf& parent_of, const BlocksOf& blocks_of) {
  constexpr int size = Blocks::size, rows = Blocks::rows, port = Blocks::port;
  const Eigen::Index n = size * bodies, m = rows * bodies;
  MatrixXd kkt = MatrixXd::Zero(n + m, n + m);
  VectorXd rhs(n + m);
  for (BodyIndex j = 1; j <= bodies; ++j) {
    const Blocks blocks = blocks_of(j);
    const Eigen::Index u = size * (j - 1), row = n + rows * (j - 1);
    kkt.block<size, size>(u, u) = blocks.M;
    kkt.block<rows, size>(row, u) = blocks.G;
    kkt.block<size, rows>(u, row) = blocks.G.transpose();
    if (const BodyIndex parent = parent_of(j); parent > 0) {
      kkt.block<rows, port>(row, size * (parent - 1)) = blocks.G_parent;
      kkt.block<port, rows>(size * (parent - 1), row) = blocks.G_parent.transpose();
    }
    rhs.segment<size>(u) = blocks.f;
    rhs.segment<rows>(row) = blocks.gamma;
  }
  return test::solve(kkt, rhs).head(n);
}

/// Blocks of random numbers: the recursion does not depend on what the blocks mean.
template <class Blocks>
Blocks random_blocks(models::Random& random) {
  const auto fill = [&](auto& matrix) {
    for (double& x : matrix.reshaped()) x = random.uniform(-1, 1);
  };
  Blocks blocks;
  fill(blocks.M);
  blocks.M = (blocks.M * blocks.M.transpose() + Eigen::Matrix<double, Blocks::size, Blocks::size>::Identity()).eval();
  fill(blocks.G), fill(blocks.G_parent), fill(blocks.gamma), fill(blocks.f);
  for (int k = 0; k < Blocks::rows; ++k) blocks.G(k, k) += 3;  // for full rank
  return blocks;
}

template <class Blocks>
void check_random_blocks(std::uint64_t seed) {
  models::Random random(seed);
  const auto bodies = static_cast<BodyIndex>(random.uniform(1, 30));
  std::vector<BodyIndex> parent{0};
  std::vector<Blocks> blocks{random_blocks<Blocks>(random)};  // that of the world is not used
  for (BodyIndex j = 1; j <= bodies; ++j) {  // several bodies are children of the world
    parent.push_back(static_cast<BodyIndex>(random.uniform(0, double(j) - 0.01)));
    blocks.push_back(random_blocks<Blocks>(random));
  }
  const auto parent_of = [&](BodyIndex j) { return parent[static_cast<std::size_t>(j)]; };
  const auto blocks_of = [&](BodyIndex j) { return blocks[static_cast<std::size_t>(j)]; };
  DescriptorData<Blocks> data(bodies + 1);
  VectorXd a = VectorXd::Constant(Blocks::size * bodies, std::nan(""));
  CAPTURE(seed, bodies);
  REQUIRE(descriptor_accelerations<Blocks>(data, parent_of, blocks_of, a) == 0);
  const VectorXd expected = dense_accelerations<Blocks>(bodies, parent_of, blocks_of);
  CHECK((a - expected).cwiseAbs().maxCoeff() < 1e-12 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
}

TEST_CASE("descriptor tree: the recursion solves the saddle-point system for arbitrary blocks", "[dynamics][descriptor_tree][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_random_blocks<DescriptorBlocks<double, 4, 3, 2>>(seed);
    check_random_blocks<DescriptorBlocks<double, 6, 4, 3>>(seed);
    check_random_blocks<DescriptorBlocks<double, 6, 1, 6>>(seed);
    check_random_blocks<DescriptorBlocks<double, 3, 3, 1>>(seed);  // no degree of freedom remains
  }
}

/// Irregular trees, some with several roots, at poses and rates that violate the constraints by up to `off`.
template <int d>
void check_random_rods(std::uint64_t seed, double off) {
  using Tree = RodTree<double, d>;
  using Point = typename Tree::Point;
  models::Random random(seed);
  const auto direction = [&] { return Point(random.in_box<double, d>(1).normalized()); };
  Tree tree(random.uniform(0.3, 2), random.uniform(0.5, 3), random.in_box<double, d>(10));
  std::vector<Point> r;
  const int rods = static_cast<int>(random.uniform(1, 40)), roots = 1 + static_cast<int>(seed % 3);
  for (int j = 1; j <= rods; ++j) {
    if (j <= roots) tree.add_rod(Point(random.in_box<double, d>(2)));
    else tree.add_rod(std::max(BodyIndex(1), static_cast<BodyIndex>(random.uniform(j - 6, j - 0.01))));
    r.push_back(tree.length() * direction());
  }
  VectorXd p = tree.placed(r), v(p.size()), push(p.size());
  for (double& x : p) x += random.uniform(-off, off);
  for (double& x : v) x = random.uniform(-3, 3);
  for (double& x : push) x = random.uniform(-5, 5);
  const Baumgarte<double> back{random.uniform(0, 10), random.uniform(0, 10)};
  const auto parent_of = [&](BodyIndex j) { return tree.parent(j); };
  const auto blocks_of = [&](BodyIndex j) { return rod_blocks<double, d>(tree, j, p, v, push, back); };
  DescriptorData<RodBlocks<double, d>> data(tree.num_rods() + 1);
  VectorXd a = VectorXd::Constant(p.size(), std::nan(""));
  CAPTURE(d, seed, rods, off);
  const test::AllocationCounter allocations;
  const BodyIndex singular = rod_accelerations<double, d>(tree, data, p, v, push, back, a);
  CHECK(allocations.count() == 0);
  REQUIRE(singular == 0);
  const VectorXd expected = dense_accelerations<RodBlocks<double, d>>(tree.num_rods(), parent_of, blocks_of);
  CHECK((a - expected).cwiseAbs().maxCoeff() < 1e-12 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
}

TEST_CASE("rods: accelerations match the dense saddle-point system", "[dynamics][descriptor_tree][fast]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const double off : {0.0, 1e-2}) {
      check_random_rods<2>(seed, off);
      check_random_rods<3>(seed, off);
    }
  }
}

TEST_CASE("rods: a rod without length is reported by its index", "[dynamics][descriptor_tree][fast]") {
  auto [tree, p] = models::corner_joined_squares(2);
  RodTree<double, 2>::vector_of(3, p).setZero();
  DescriptorData<RodBlocks<double, 2>> data(tree.num_rods() + 1);
  VectorXd a(p.size());
  CHECK(rod_accelerations<double, 2>(tree, data, p, VectorXd::Zero(p.size()), VectorXd::Zero(p.size()), {}, a) == 3);
}

TEST_CASE("rods: a pendulum accelerates as in the textbook", "[dynamics][descriptor_tree][fast]") {
  // horizontal and at rest: m l^2 / 3 times the angular acceleration is m g l / 2
  RodTree<double, 3> tree(2, 5, {0, 0, -9.8});
  tree.add_rod(Vector3<double>(1, 2, 3));
  const VectorXd p = tree.placed({{2, 0, 0}}), nothing = VectorXd::Zero(6);
  DescriptorData<RodBlocks<double, 3>> data(2);
  VectorXd a(6), expected(6);
  REQUIRE(rod_accelerations<double, 3>(tree, data, p, nothing, nothing, {}, a) == 0);
  expected << 0, 0, -1.5 * 9.8, 0, 0, -1.5 * 9.8;
  CHECK((a - expected).norm() < 1e-13);
  CHECK(std::abs(tree.energy(p, nothing) - 5 * 9.8 * 3) < 1e-12);
}

}  // namespace descriptor_tree_test
