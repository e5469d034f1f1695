// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/points.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/moving_tree.hpp"

namespace contact_rows_test {

using namespace actio;
using Eigen::Vector3d;

TEST_CASE("contact rows: the rates are the velocity of b relative to a at the contact point", "[contacts][fast]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const test::MovingTree moving(seed);
    test::Random random(seed);
    ContactPoint<double> point;
    point.a = static_cast<BodyIndex>(seed % 7);
    point.b = 1 + static_cast<BodyIndex>((seed + 2) % 6);
    point.p = random.matrix(3, 1);
    point.normal = Vector3d(random.matrix(3, 1)).normalized();
    point.gap = -0.1;
    const auto rows = contact_rows(point, moving.now.T_WB[point.a], moving.now.T_WB[point.b]);
    const auto velocity = [&](BodyIndex body) {  // of the material point of the body that is there now
      const Vector3d in_body = moving.now.T_WB[body].inverse() * point.p;
      return Vector3d(Vector3d::NullaryExpr([&](Eigen::Index e) {
        return moving.rate([&](const KinematicsData<double>& data) { return (data.T_WB[body] * in_body)[e]; });
      }));
    };
    const Vector3d relative = velocity(point.b) - velocity(point.a);
    Vector3d rates;
    for (std::size_t k = 0; k < 3; ++k) rates[static_cast<Eigen::Index>(k)] = rows[k].rate(moving.now.V, moving.v);
    CAPTURE(seed, point.a, point.b);
    CHECK(rows[0].value == -0.1);
    const ConstraintRow<double> alone = contact_normal_row(point, moving.now.T_WB[point.a], moving.now.T_WB[point.b])[0];
    CHECK((alone.value == -0.1 && alone.rate(moving.now.V, moving.v) == rates[0]));
    CHECK(std::abs(rates[0] - point.normal.dot(relative)) < 1e-8 * (1 + relative.norm()));
    CHECK(std::abs(rates.tail<2>().norm() - (relative - point.normal * point.normal.dot(relative)).norm()) < 1e-8 * (1 + relative.norm()));
  }
}

}  // namespace contact_rows_test
