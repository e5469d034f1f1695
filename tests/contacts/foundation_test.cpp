// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/foundation.hpp"

#include <algorithm>
#include <cmath>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/refusal.hpp"

namespace foundation_test {

using namespace actio;
using Eigen::Vector2d, Eigen::Vector3d;

const FoundationMaterial<double> rubber{1e6, 0.1, 1e3, 0.5};

TEST_CASE("foundation: elements tile their rectangle and move with the body", "[contacts][fast]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    test::Random random(seed);
    const auto random_pose = [&] { return Pose<double>{so3::exp<double>(Vector3d(random.matrix(3, 1, 3))), random.matrix(3, 1)}; };
    const Vector3d normal = random.matrix(3, 1), n = normal.normalized();
    const double height = random(-1, 1);
    const Pose<double> T_BF = random_pose();
    BodyArray<Pose<double>> T_WB(3, Pose<double>::identity());
    T_WB[2] = random_pose();
    const Vector2d size{random(0.1, 2), random(0.1, 2)};
    const int nx = static_cast<int>(random(1, 7)), ny = static_cast<int>(random(1, 7));
    FoundationContacts<double> foundation(normal, height);
    foundation.add(2, T_BF, size, nx, ny, rubber);
    REQUIRE(foundation.most_points() == static_cast<std::size_t>(nx * ny));
    ContactList<double> found(foundation.most_points());
    foundation.find(T_WB, 100, found);
    REQUIRE(found.points().size() == foundation.most_points());
    CAPTURE(seed, nx, ny);
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const ContactPoint<double>& point = found.points()[static_cast<std::size_t>(i + nx * j)];
        const Vector3d center((i + 0.5) / nx * size[0] - size[0] / 2, (j + 0.5) / ny * size[1] - size[1] / 2, 0),
            at = T_WB[2] * (T_BF * center);
        CHECK(point.id == static_cast<std::uint64_t>(i + nx * j));
        CHECK((point.a == 0 && point.b == 2 && (point.normal - n).norm() < 1e-15));
        CHECK(std::abs(point.gap - (n.dot(at) - height)) < 1e-13);
        CHECK((point.p - (at - point.gap / 2 * n)).norm() < 1e-13);
      }
    }
    ContactList<double> near(foundation.most_points());
    const double margin = found.points()[0].gap;
    foundation.find(T_WB, margin, near);
    const auto within = std::count_if(found.points().begin(), found.points().end(), [&](const auto& point) { return point.gap <= margin; });
    CHECK(near.points().size() == static_cast<std::size_t>(within));
  }
}

TEST_CASE("foundation: the stiffness of the layer is shared by the elements, independent of their number", "[contacts][fast]") {
  FoundationContacts<double> foundation;
  foundation.add_bottom(1, Pose<double>::identity(), Box<double>{{2, 3, 0.5}}, 4, 5, rubber);
  foundation.add_bottom(2, Pose<double>::identity(), Box<double>{{1, 1, 1}}, 2, 2, rubber);
  const BodyArray<Pose<double>> poses(3, Pose<double>::translation(0, 0, 0.4));
  ContactList<double> found(foundation.most_points());
  const test::AllocationCounter allocations;
  foundation.find(poses, 1, found);
  CHECK(allocations.count() == 0);
  REQUIRE(found.points().size() == 24);
  double stiffness[2] = {}, damping[2] = {};
  for (std::size_t k = 0; k < 24; ++k) {
    const ContactPoint<double>& point = found.points()[k];
    const auto& spring = std::get<Compliance<double>>(point.material->normal);
    stiffness[point.b - 1] += spring.stiffness;
    damping[point.b - 1] += spring.damping;
    CHECK((point.id == k && point.material->friction == 0.5));
    CHECK(std::abs(point.gap - (point.b == 1 ? 0.15 : -0.1)) < 1e-15);
  }
  CHECK(std::abs(stiffness[0] / (6 * 1e6 / 0.1) - 1) < 1e-14);
  CHECK(std::abs(stiffness[1] / (1e6 / 0.1) - 1) < 1e-14);
  CHECK(std::abs(damping[0] / 6e3 - 1) < 1e-14);
  CHECK(std::abs(damping[1] / 1e3 - 1) < 1e-14);
}

TEST_CASE("foundation: invalid parameters are refused", "[contacts][fast]") {
  const Pose<double> here = Pose<double>::identity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](BodyIndex body, const Vector2d& size, int nx, int ny, const FoundationMaterial<double>& material) {
    return test::refusal<OptionsError>([&] { FoundationContacts<double>().add(body, here, size, nx, ny, material); });
  };
  CHECK_NOTHROW(FoundationContacts<double>().add(1, here, {1, 1}, 2, 2, rubber));
  CHECK(refused(0, {1, 1}, 2, 2, rubber) == "FoundationContacts: the body of a layer is 0, expected >= 1; the world is body 0");
  CHECK_FALSE(refused(-1, {1, 1}, 2, 2, rubber).empty());
  CHECK_FALSE(refused(1, {1, 1}, 0, 2, rubber).empty());
  CHECK(refused(1, {1, 1}, 2, -1, rubber) == "FoundationContacts: the number of elements along an edge is -1, expected >= 1");
  CHECK_FALSE(refused(1, {0, 1}, 2, 2, rubber).empty());
  CHECK(refused(1, {1, none}, 2, 2, rubber) == "FoundationContacts: an edge of a layer is nan, expected a finite number > 0");
  CHECK(refused(1, {1, 1}, 2, 2, {0, 1}) == "FoundationContacts: the material's modulus is 0, expected > 0");
  CHECK(refused(1, {1, 1}, 2, 2, {1, none}) == "FoundationContacts: the material's thickness is nan, expected > 0");
  CHECK(refused(1, {1, 1}, 2, 2, {1, 1, -1}) == "FoundationContacts: the material's damping is -1, expected >= 0");
  CHECK_FALSE(refused(1, {1, 1}, 2, 2, {1, 1, 0, -0.5}).empty());
  CHECK_FALSE(refused(1, {1, 1}, 2, 2, {1, 1, 0, 0.5, 0}).empty());
  CHECK_FALSE(test::refusal<OptionsError>([] { return FoundationContacts<double>(Vector3d::Zero()); }).empty());
}

}  // namespace foundation_test
