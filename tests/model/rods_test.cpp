// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/rods.hpp"

#include "actio/model/samples/random.hpp"
#include "actio/model/samples/rod_chains.hpp"
#include "support/catch.hpp"

namespace rods_test {

using namespace actio;

TEST_CASE("rods: invalid parents, loops and lengths are refused", "[model][rods][fast]") {
  RodTree<double, 2> tree(1, 1, {0, -9.8});
  CHECK_THROWS_AS(tree.add_rod(BodyIndex(1)), ModelError);
  tree.add_rod(Vector2<double>(0, 0));
  tree.add_rod(BodyIndex(1));
  CHECK_THROWS_AS(tree.add_loop(1, 1), ModelError);
  CHECK_THROWS_AS(tree.add_loop(1, 3), ModelError);
  CHECK_THROWS_AS((RodTree<double, 2>(0, 1, {0, -9.8})), ModelError);
}

TEST_CASE("rods: the energy is that of thin rods, and the momentum is its derivative", "[model][rods][fast]") {
  using Tree = RodTree<double, 3>;
  using Point = Tree::Point;
  models::Random random(1);
  Tree tree(0.7, 1.3, {0.5, 0, -9.8});
  tree.add_rod(Point(1, 2, 3));
  const Eigen::VectorXd p = tree.placed({0.7 * random.direction<double>()}), v = random.in_box<double, 6>(2);
  const Point r = p.tail<3>(), v_start = v.head<3>() - v.tail<3>();
  double expected = 0;
  constexpr int pieces = 1000;
  for (int k = 0; k < pieces; ++k) {  // point masses along the rod
    const double s = (k + 0.5) / pieces;
    expected += 1.3 / pieces * ((v_start + s * v.tail<3>()).squaredNorm() / 2 - tree.acceleration().dot(tree.knot(1) + s * r));
  }
  CHECK(std::abs(tree.energy(p, v) - expected) < 1e-5);  // the error of the midpoint rule is |r'|^2 m / (24 pieces^2)
  Point of_x, of_r;
  tree.momentum(v.head<3>(), v.tail<3>(), of_x, of_r);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(6);
  CHECK(std::abs((of_x.dot(v.head<3>()) + of_r.dot(v.tail<3>())) / 2 - (tree.energy(p, v) - tree.energy(p, still))) < 1e-13);
}

template <int d>
void check_placed(const models::PlacedRods<double, d>& rods, Eigen::Index num_rods, std::size_t loops) {
  using Tree = RodTree<double, d>;
  CHECK(rods.tree.num_rods() == num_rods);
  REQUIRE(rods.tree.loops().size() == loops);
  for (const auto& loop : rods.tree.loops()) CHECK((Tree::end_of(loop.a, rods.p) - Tree::end_of(loop.b, rods.p)).norm() < 1e-14);
  for (BodyIndex j = 1; j <= num_rods; ++j) CHECK(std::abs(Tree::vector_of(j, rods.p).norm() - 1) < 1e-15);
}

TEST_CASE("rods: chains of squares and nets start with closed loops", "[model][rods][fast]") {
  for (const int n : {1, 2, 5}) {
    check_placed(models::corner_joined_squares(n), 4 * n, static_cast<std::size_t>(n));
    check_placed(models::edge_sharing_squares(n), 3 * n + 1, static_cast<std::size_t>(n));
    check_placed(models::rod_net(n, 3), (2 * n + 1) * 3, static_cast<std::size_t>(3 * n));
  }
}

}  // namespace rods_test
