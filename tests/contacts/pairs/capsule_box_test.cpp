// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/capsule_box.hpp"

#include "support/convex_pairs.hpp"

namespace capsule_box_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
using CapsuleAndBox = test::Pair<Capsule<double>, Box<double>>;

const double pi = std::acos(-1.);

TEST_CASE("capsule and box: the least gap is the signed distance, and its rate is the velocity along the normal", "[contacts][long]") {
  int overlapping = 0, several = 0, pierced = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    test::Random random(seed);
    CapsuleAndBox pair{test::random_shape<Capsule<double>>(random), test::random_pose(random, 0.9), test::random_shape<Box<double>>(random),
                       test::random_pose(random, 0.9)};
    if (seed % 3 == 0)
      pair.T_WA.R = pair.T_WB.R * so3::exp<double>(Vector3d(0, pi / 2, 0)) * so3::exp<double>(Vector3d(random.matrix(3, 1, 0.1)));
    CAPTURE(seed);
    CHECK(test::check_points(pair, random, 1e-7));
    const PairPoints<double> found = pair.points();
    const double from_axis = std::abs(test::deepest(found).gap + pair.a.radius);
    if (from_axis > 1e-3) test::check_rate(pair, random, 1e-5 / from_axis);
    const Pose<double> T = test::random_pose(random, 2);
    test::check_same(found, pair.moved(T).points(), T, 1);
    overlapping += test::deepest(found).gap < 0;
    pierced += test::deepest(found).gap < -pair.a.radius;
    several += found.points().size() > 1;
  }
  CHECK((overlapping > 100 && overlapping < 590 && several > 100 && pierced > 50));
}

TEST_CASE("capsule and box: a lying capsule has two points, at its ends or at the edge of the face", "[contacts][long]") {
  for (const double tilt : {0., 1e-12, -1e-9, 1e-5}) {
    for (const double length : {0.5, 1., 3.}) {
      const CapsuleAndBox pair{
          {0.1, length}, {so3::exp<double>(Vector3d(0, pi / 2 + tilt, 0)), {0, 0.2, 0.59}}, {{1, 1, 1}}, Pose<double>::identity()};
      const PairPoints<double> found = pair.points(0.05);
      CAPTURE(tilt, length);
      REQUIRE(found.points().size() == 2);
      for (const PairPoint<double>& point : found.points()) {
        CHECK((point.normal + Vector3d::UnitZ()).norm() < 1e-12);
        CHECK((std::abs(point.gap + 0.01) < 1e-4 && std::abs(std::abs(point.p[0]) - std::min(length, 1.) / 2) < 1e-4));
      }
    }
  }
}

TEMPLATE_TEST_CASE("capsule and box: coinciding centres and shapes without size, in both precisions", "[contacts][long]", float, double) {
  using S = TestType;
  const Pose<S> at{so3::exp<S>(Vector3<S>(S(0.3), S(-1), S(2))), Vector3<S>(S(0.1), S(0.2), S(0.3))};
  for (const S turn : {S(0), S(1), S(pi / 2)}) {
    for (const S length : {S(0), S(1)}) {
      for (const Vector3<S>& size : {Vector3<S>(0, 0, 0), Vector3<S>(1, 1, 0), Vector3<S>(2, 2, 2)}) {
        PairPoints<S> found;
        find_points(Capsule<S>{S(0.5), length}, Pose<S>{at.R * so3::exp<S>(Vector3<S>(turn, S(0), S(0))), at.p}, Box<S>{size}, at, S(1),
                    found);
        CAPTURE(turn, length, size.transpose());
        REQUIRE(!found.points().empty());
        for (const PairPoint<S>& point : found.points()) {
          CHECK((point.p.allFinite() && std::abs(point.normal.norm() - 1) < S(1e-6) && point.gap > S(-3) && point.gap < S(0.1)));
        }
      }
    }
  }
}

}  // namespace capsule_box_test
