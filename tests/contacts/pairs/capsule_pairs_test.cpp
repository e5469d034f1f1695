// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/capsules.hpp"

#include "support/convex_pairs.hpp"

namespace capsule_pairs_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
using Capsules = test::Pair<Capsule<double>, Capsule<double>>;

Pose<double> lying(double turn, const Vector3d& p) {  // along (cos turn, sin turn, 0)
  return {so3::exp<double>(Vector3d(0, 0, turn)) * so3::exp<double>(Vector3d(0, std::acos(-1.) / 2, 0)), p};
}

TEST_CASE("capsule pairs: the least gap is the signed distance, and its rate is the velocity along the normal", "[contacts][long]") {
  int overlapping = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    test::Random random(seed);
    Capsules pair{test::random_shape<Capsule<double>>(random), test::random_pose(random, 0.7), test::random_shape<Capsule<double>>(random),
                  test::random_pose(random, 0.7)};
    if (seed % 2 == 0)
      pair.T_WB.R = so3::exp<double>(Vector3d(random.matrix(3, 1, std::pow(10, random(-4, -0.5))))) * pair.T_WA.R;  // nearly parallel
    if (seed % 4 == 0) pair.T_WB.R.rightCols<2>() *= -1;
    CAPTURE(seed);
    test::check_points(pair, random, 1e-7);
    const PairPoints<double> found = pair.points();
    const double between_axes = std::abs(test::deepest(found).gap + pair.a.radius + pair.b.radius);
    if (between_axes > 1e-3) test::check_rate(pair, random, 1e-5 / between_axes);
    const Pose<double> T = test::random_pose(random, 2);
    test::check_same(found, pair.moved(T).points(), T, 1);
    test::check_same(found, pair.swapped().points(), Pose<double>::identity(), -1);
    overlapping += test::deepest(found).gap < 0;
    several += found.points().size() > 1;
  }
  CHECK((overlapping > 50 && overlapping < 390 && several > 100));
}

TEST_CASE("capsule pairs: parallel capsules touch at two points, at the ends of their common part", "[contacts][long]") {
  const auto ends = [](const Capsules& pair) {
    const PairPoints<double> found = pair.points(0.05);
    std::vector<double> x;
    for (const PairPoint<double>& point : found.points()) {
      CHECK(std::abs(point.gap + 0.01) < 1e-6);
      CHECK((point.normal - Vector3d::UnitZ()).norm() < 1e-3);
      CHECK((std::abs(point.p[1]) < 1e-4 && std::abs(point.p[2] - 0.095) < 1e-6));
      x.push_back(point.p[0]);
    }
    std::sort(x.begin(), x.end());
    return x;
  };
  for (const double turn : {0., 1e-12, -1e-9, std::acos(-1.)}) {
    CAPTURE(turn);
    const auto equal = ends({{0.1, 1}, lying(0, {0, 0, 0}), {0.1, 1}, lying(turn, {0, 0, 0.19})});
    CHECK((equal.size() == 2 && std::abs(equal[0] + 0.5) < 1e-9 && std::abs(equal[1] - 0.5) < 1e-9));
    const auto shifted = ends({{0.1, 1}, lying(0, {0, 0, 0}), {0.1, 0.6}, lying(turn, {0.4, 0, 0.19})});
    CHECK((shifted.size() == 2 && std::abs(shifted[0] - 0.1) < 1e-9 && std::abs(shifted[1] - 0.5) < 1e-9));
    const auto behind = ends({{0.1, 1}, lying(0, {0, 0, 0}), {0.1, 1}, lying(turn, {1, 0, 0.19})});
    CHECK((behind.size() == 1 && std::abs(behind[0] - 0.5) < 1e-9));
  }
  // Distances that are equal up to rounding: features stay the same.
  const Capsules still{{0.1, 1}, lying(0, {0, 0, 0}), {0.1, 1}, lying(0, {0, 0, 0.19})};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    test::Random random(seed);
    Capsules other = still;
    other.T_WB = Pose<double>{so3::exp<double>(Vector3d(random.matrix(3, 1, 1e-10))), random.matrix(3, 1, 1e-10)} * other.T_WB;
    test::check_same(still.points(0.05), other.points(0.05), Pose<double>::identity(), 1);
  }
}

TEMPLATE_TEST_CASE("capsule pairs: intersecting and coinciding axes, and capsules without length or size, in both precisions",
                   "[contacts][long]", float, double) {
  using S = TestType;
  const Pose<S> at{so3::exp<S>(Vector3<S>(S(0.3), S(-1), S(2))), Vector3<S>(S(0.1), S(0.2), S(0.3))};
  for (const S r : {S(0), S(0.5)}) {
    for (const S length : {S(0), S(1)}) {
      for (const S turn : {S(0), S(1)}) {
        const Pose<S> turned{at.R * so3::exp<S>(Vector3<S>(turn, S(0), S(0))), at.p};
        PairPoints<S> found;
        find_points(Capsule<S>{r, S(1)}, at, Capsule<S>{r, length}, turned, S(1), found);
        CAPTURE(r, length, turn);
        REQUIRE(!found.points().empty());
        for (const PairPoint<S>& point : found.points()) {
          CHECK((point.p.allFinite() && std::abs(point.normal.norm() - 1) < S(1e-6) && std::abs(point.gap + S(2) * r) < S(1e-6)));
        }
      }
    }
  }
}

}  // namespace capsule_pairs_test
