// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/fcl/support_corners.hpp"

#include "support/convex_pairs.hpp"

namespace support_corners_test {

using namespace actio;
using Eigen::Vector3d;

TEST_CASE("support corners: in any direction the farthest corner is as far as the shape extends", "[contacts][fast]") {
  test::Random random(1);
  detail::Corners<double> x;
  const auto farthest = [&](const auto& shape, const Pose<double>& T, const Vector3d& n) {
    detail::support_corners(shape, T, n, x);
    double most = -1e9;
    for (const Vector3d& corner : x) most = std::max(most, n.dot(corner));
    return most - n.dot(T.p);
  };
  for (int k = 0; k < 100; ++k) {
    const Pose<double> T = test::random_pose(random, 2);
    const Vector3d n = Vector3d(random.matrix(3, 1)).normalized(), local = T.R.transpose() * n;
    const auto check = [&](const auto& shape) { CHECK(std::abs(farthest(shape, T, n) - test::reach(shape, local)) < 1e-12); };
    check(Sphere<double>{0.3});
    check(Capsule<double>{0.2, 0.7});
    check(Box<double>{{0.3, 0.5, 0.7}});
    const Cylinder<double> can{0.4, 0.6};
    CHECK(std::abs(farthest(can, T, n) - (can.radius * local.head<2>().norm() + can.length / 2 * std::abs(local[2]))) < 1e-12);
    CHECK(std::abs(farthest(can, T, T.R.col(2)) - 0.3) < 1e-12);
  }
}

}  // namespace support_corners_test
