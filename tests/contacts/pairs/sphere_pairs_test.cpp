// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/spheres.hpp"

#include "support/convex_pairs.hpp"

namespace sphere_pairs_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;

TEMPLATE_TEST_CASE("sphere pairs: the gap is the signed distance, and its rate is the velocity along the normal", "[contacts][long]",
                   Sphere<double>, Capsule<double>, Box<double>) {
  int overlapping = 0, inside = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    test::Random random(seed);
    const test::Pair<Sphere<double>, TestType> pair{test::random_shape<Sphere<double>>(random), test::random_pose(random, 0.8),
                                                    test::random_shape<TestType>(random), test::random_pose(random, 0.8)};
    CAPTURE(seed);
    const PairPoints<double> found = pair.points();
    CHECK(found.points().size() == 1);
    CHECK(test::check_points(pair, random));
    test::check_rate(pair, random, 1e-6 / std::max(1e-3, std::abs(found.points()[0].gap + pair.a.radius)));
    const Pose<double> T = test::random_pose(random, 2);
    test::check_same(found, pair.moved(T).points(), T, 1);
    if constexpr (std::same_as<TestType, Sphere<double>>) test::check_same(found, pair.swapped().points(), Pose<double>::identity(), -1);
    overlapping += found.points()[0].gap < 0;
    inside += test::distance_from(pair.b, pair.T_WB.inverse() * pair.T_WA.p) < 0;
  }
  CHECK((overlapping > 50 && overlapping < 290 && inside > 10));
}

TEMPLATE_TEST_CASE("sphere pairs: coinciding centres and spheres without size, in both precisions", "[contacts][long]", float, double) {
  using S = TestType;
  const Pose<S> at{so3::exp<S>(Vector3<S>(S(0.3), S(-1), S(2))), Vector3<S>(S(0.1), S(0.2), S(0.3))};
  PairPoints<S> found;
  for (const S r : {S(0), S(0.5)}) {
    find_points(Sphere<S>{r}, at, Sphere<S>{r}, at, S(1), found);
    find_points(Sphere<S>{r}, at, Capsule<S>{r, r}, at, S(1), found);
    find_points(Sphere<S>{r}, at, Capsule<S>{r, S(0)}, at, S(1), found);
    find_points(Sphere<S>{r}, at, Box<S>{Vector3<S>(S(2) * r, S(3) * r, S(4) * r)}, at, S(1), found);
  }
  REQUIRE(found.points().size() == 8);
  for (const PairPoint<S>& point : found.points()) {
    const S expected = &point - found.points().data() < 4 ? S(0) : S(-1);
    CHECK((point.p.allFinite() && std::abs(point.normal.norm() - 1) < S(1e-6) && std::abs(point.gap - expected) < S(1e-6)));
  }
  found.clear();
  find_points(Sphere<S>{S(1)}, Pose<S>{at.R, Vector3<S>::Constant(std::numeric_limits<S>::quiet_NaN())}, Box<S>{Vector3<S>(1, 1, 1)}, at,
              S(1), found);
  CHECK(found.points().empty());
}

}  // namespace sphere_pairs_test
