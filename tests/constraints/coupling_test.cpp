// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of a coupling are the derivatives of its gap.
#include "actio/constraints/coupling.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace coupling_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("coupling: the coefficient of each joint is the derivative of the gap with respect to its coordinate",
          "[constraints][coupling][fast]") {
  models::Random random(1);
  const std::tuple joints{Revolute<double>(random.direction<double>()), Prismatic<double>(random.direction<double>()),
                          Helical<double>(random.direction<double>(), 0.3)};
  const auto check = [&](const auto& follower, const auto& leader) {
    const Coupling<double> coupling{
        .name = "gear", .follower_q = 0, .leader_q = 1, .follower_v = 0, .leader_v = 1, .ratio = -1.7, .offset = 0.4};
    const Eigen::Vector2d q(random.uniform(-9, 9), random.uniform(-9, 9)), v(random.uniform(-1, 1), random.uniform(-1, 1));
    PoseRows<double> on_follower, on_leader;
    const Eigen::Matrix<double, 1, 1> q_f(q[0]), q_l(q[1]);
    coupling_row(coupling, true, follower, q_f, coupling_gap(coupling, q), on_follower);
    coupling_row(coupling, false, leader, q_l, 0.0, on_leader);
    REQUIRE(on_follower.count == 1);
    REQUIRE(on_leader.count == 1);
    CHECK(on_follower.value[0] + on_leader.value[0] == q[0] + 1.7 * q[1] - 0.4);
    const double rate =
        on_follower.wrench[0].dot(follower.motion_subspace(q_f)) * v[0] + on_leader.wrench[0].dot(leader.motion_subspace(q_l)) * v[1];
    constexpr double e = 1e-5;
    CHECK(std::abs(rate - (coupling_gap(coupling, q + e * v) - coupling_gap(coupling, q - e * v)) / (2 * e)) < 1e-9);
  };
  const auto check_leaders = [&](const auto& follower) {
    std::apply([&](const auto&... leader) { (check(follower, leader), ...); }, joints);
  };
  for (int trial = 0; trial < 5; ++trial) std::apply([&](const auto&... follower) { (check_leaders(follower), ...); }, joints);
}

}  // namespace coupling_test
