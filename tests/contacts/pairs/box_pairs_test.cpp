// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/boxes.hpp"

#include "support/convex_pairs.hpp"

namespace box_pairs_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
using Boxes = test::Pair<Box<double>, Box<double>>;

const double pi = std::acos(-1.);
Pose<double> at(double x, double y, double z, double turn = 0) { return {so3::exp<double>(Vector3d(0, 0, turn)), {x, y, z}}; }

TEST_CASE("box pairs: the least gap is the signed distance, and its rate is the velocity along the normal", "[contacts][long]") {
  int overlapping = 0, inexact = 0, faces = 0, edges = 0, corners = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    test::Random random(seed);
    const double away = random(0.3, 1.5);
    Boxes pair{test::random_shape<Box<double>>(random), test::random_pose(random, away), test::random_shape<Box<double>>(random),
               test::random_pose(random, away)};
    if (seed % 4 == 0)
      pair.T_WB.R = pair.T_WA.R * so3::exp<double>(Vector3d(random.matrix(3, 1, std::pow(10, random(-2.5, -0.5)))));  // nearly aligned
    CAPTURE(seed);
    const bool is_exact = test::check_points(pair, random, 0.02);
    const PairPoints<double> found = pair.points();
    if (is_exact) test::check_rate(pair, random, 1e-4 / std::min(1., std::max(1e-3, std::abs(test::deepest(found).gap))));
    const Pose<double> T = test::random_pose(random, 2);
    test::check_same(found, pair.moved(T).points(), T, 1);
    test::check_same(found, pair.swapped().points(), Pose<double>::identity(), -1);
    const std::uint32_t a = test::deepest(found).feature / 32, b = test::deepest(found).feature % 32;
    inexact += !is_exact && seed % 4 != 0;
    overlapping += test::deepest(found).gap < 0;
    faces += a >= 20 || b >= 20;
    edges += a >= 8 && a < 20 && b >= 8 && b < 20;
    corners += (a < 8 && b < 20) || (b < 8 && a < 20);
  }
  CAPTURE(overlapping, inexact, faces, edges, corners);
  CHECK((overlapping > 200 && overlapping < 900 && faces > 200 && edges > 100 && corners > 100 && inexact < 30));
}

/// Points of b on a: corners of a polygon in the plane z = 0.5, each with a depth of 0.01.
std::vector<Vector3d> resting(const Boxes& pair) {
  std::vector<Vector3d> corners;
  const PairPoints<double> found = pair.points(0.05);
  for (const PairPoint<double>& point : found.points()) {
    CHECK((std::abs(point.gap + 0.01) < 1e-6 && (point.normal - Vector3d::UnitZ()).norm() < 1e-6 && std::abs(point.p[2] - 0.495) < 1e-6));
    corners.push_back(point.p);
  }
  return corners;
}
bool has(const std::vector<Vector3d>& corners, double x, double y) {
  return std::count_if(corners.begin(), corners.end(), [&](const Vector3d& p) { return std::hypot(p[0] - x, p[1] - y) < 1e-6; }) == 1;
}

TEST_CASE("box pairs: boxes rest on the corners of the common part of their faces", "[contacts][long]") {
  const Box<double> cube{{1, 1, 1}};
  for (const double noise : {0., 1e-15, 1e-10}) {
    const double n = noise;
    const auto aligned = resting({cube, at(0, 0, 0), cube, at(n, -n, 0.99, n)});
    CHECK(
        (aligned.size() == 4 && has(aligned, 0.5, 0.5) && has(aligned, -0.5, 0.5) && has(aligned, 0.5, -0.5) && has(aligned, -0.5, -0.5)));
    const auto shifted = resting({cube, at(0, 0, 0), cube, at(0.3, n, 0.99, pi / 2 + n)});
    CHECK(
        (shifted.size() == 4 && has(shifted, -0.2, 0.5) && has(shifted, 0.5, 0.5) && has(shifted, -0.2, -0.5) && has(shifted, 0.5, -0.5)));
    const auto twisted = resting({cube, at(0, 0, 0), cube, at(0, n, 0.99, pi / 4 + n)});
    const double cut = std::sqrt(0.5) - 0.5;
    CHECK(twisted.size() == 8);
    for (const double s : {-1., 1.}) {
      for (const double t : {-1., 1.}) CHECK((has(twisted, s * 0.5, t * cut) && has(twisted, s * cut, t * 0.5)));
    }
    const auto t_shape =
        resting({Box<double>{{0.2, 0.4, 1}}, at(0, 0, 0), Box<double>{{2, 0.3, 0.1}}, at(0.1, 0, 0.54, n)});  // a beam on a post
    CHECK((t_shape.size() == 4 && has(t_shape, 0.1, 0.15) && has(t_shape, -0.1, 0.15) && has(t_shape, 0.1, -0.15) &&
           has(t_shape, -0.1, -0.15)));
    const auto small = resting({Box<double>{{5, 5, 1}}, at(0, 0, 0), Box<double>{{0.2, 0.2, 0.2}}, at(1, 1, 0.59, n)});
    CHECK((small.size() == 4 && has(small, 1.1, 1.1) && has(small, 0.9, 0.9)));
  }
}

TEST_CASE("box pairs: features stay the same while aligned boxes move by rounding errors", "[contacts][long]") {
  const Box<double> cube{{1, 1, 1}};
  for (const Vector3d& shift : {Vector3d(0, 0, 0.99), Vector3d(0.3, 0, 0.99), Vector3d(0, 0, 1.01), Vector3d(0.3, 0.2, 0.99)}) {
    const Boxes still{cube, at(0, 0, 0), cube, at(shift[0], shift[1], shift[2])};
    const PairPoints<double> before = still.points(0.05);
    CHECK(before.points().size() == 4);
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      test::Random random(seed);
      Boxes moved = still;
      moved.T_WB = Pose<double>{so3::exp<double>(Vector3d(random.matrix(3, 1, 1e-10))), random.matrix(3, 1, 1e-10)} * still.T_WB;
      CAPTURE(seed, shift.transpose());
      test::check_same(before, moved.points(0.05), Pose<double>::identity(), 1);
    }
  }
}

TEMPLATE_TEST_CASE("box pairs: aligned boxes, coinciding centres and boxes without size, in both precisions", "[contacts][long]", float,
                   double) {
  using S = TestType;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    test::Random random(seed);
    const auto pick = [&](std::initializer_list<double> values) {
      return S(*(values.begin() + static_cast<int>(random(0, double(values.size()) - 1e-9))));
    };
    const auto size = [&] { return Vector3<S>(pick({0, 1, 1, 2}), pick({0, 1, 1, 2}), pick({0, 1, 1, 2})); };
    const Box<S> a{size()}, b{size()};
    const Pose<S> T_WA{so3::exp<S>(Vector3<S>(S(0.3), S(-1), S(2))), Vector3<S>(S(0.1), S(0.2), S(0.3))};
    const Pose<S> T_AB{so3::exp<S>(pick({0, pi / 4, pi / 2, pi, 1e-6, 1}) * Vector3<S>::Unit(static_cast<int>(random(0, 2.999)))),
                       Vector3<S>(pick({-1, 0, 0.5, 1}), pick({-1, 0, 0.5, 1}), pick({-1, 0, 0.5, 1}))};
    PairPoints<S> found;
    find_points(a, T_WA, b, T_WA * T_AB, S(10), found);
    CAPTURE(seed, a.size.transpose(), b.size.transpose(), T_AB.R, T_AB.p.transpose());
    REQUIRE(!found.points().empty());
    S least(100);
    for (const PairPoint<S>& point : found.points()) {
      CHECK((point.p.allFinite() && std::abs(point.normal.norm() - 1) < S(1e-5) && std::isfinite(point.gap)));
      least = std::min(least, point.gap);
    }
    const Boxes pair{{a.size.template cast<double>()},
                     {T_WA.R.template cast<double>(), T_WA.p.template cast<double>()},
                     {b.size.template cast<double>()},
                     {(T_WA.R * T_AB.R).template cast<double>(), (T_WA * T_AB.p).template cast<double>()}};
    CHECK(test::largest_apart(pair, random, 20) <= double(least) + (sizeof(S) >= 8 ? 1e-5 : 1e-3));
  }
}

}  // namespace box_pairs_test
