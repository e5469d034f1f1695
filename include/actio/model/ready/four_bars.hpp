// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cmath>

#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// n four-bars side by side in the y-z plane, each a crank of 0.4 m, a coupler of 1.1 m and a rocker of 0.8 m on ground pins 1 m apart; 1 kg a
/// metre, hinges about x. 3 n bodies, n loops, n freedoms. At q = 0 the crank stands up, closed.
/// @param attitude of the whole in the world, a rotation.
template <Scalar S = double>
Model<S> four_bars(int n, const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity()) {
  ModelBuilder<S> builder("four_bars");
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const auto turned = [&](double angle) { return so3::rotation<S>(Vector3<S>::UnitX(), number(angle)); };
  const std::array<double, 3> length{0.4, 1.1, 0.8};
  // Angles from y to z of crank, coupler and rocker, the last seen from the coupler's end: the coupler's from its end, which both ends meet.
  const double crank = std::numbers::pi / 2, apart = std::hypot(1.0, 0.4), to_pin = std::atan2(-0.4, 1.0);
  const double coupler = to_pin + std::acos((apart * apart + length[1] * length[1] - length[2] * length[2]) / (2 * apart * length[1]));
  const double end_y = length[1] * std::cos(coupler), end_z = 0.4 + length[1] * std::sin(coupler), rocker = std::atan2(-end_z, 1 - end_y);
  const std::array<double, 3> turn{crank, coupler - crank, rocker - coupler};
  for (int k = 1; k <= n; ++k) {
    const std::array<const char*, 3> names{"crank_", "coupler_", "rocker_"};
    std::string parent = "world";
    for (std::size_t bar = 0; bar < 3; ++bar) {
      const std::string link = names[bar] + std::to_string(k);
      const Vector3<S> at(S(0), number(bar == 0 ? 2.0 * (k - 1) : length[bar - 1]), S(0));
      const Vector3<S> size(number(0.1), number(length[bar]), number(0.1));
      builder.add_body(link, Inertia<S>::box(number(length[bar]), size)
                                 .seen_from_parent({Matrix3<S>::Identity(), Vector3<S>(S(0), number(length[bar] / 2), S(0))}));
      const Pose<S> placement = bar == 0 ? Pose<S>{attitude * turned(turn[bar]), attitude * at} : Pose<S>{turned(turn[bar]), at};
      builder.add_joint("joint_" + link, parent, link, placement, Revolute<S>(Vector3<S>::UnitX()));
      parent = link;
    }
    Loop<S> loop;
    loop.name = "loop_" + std::to_string(k);
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A = {attitude, attitude * Vector3<S>(S(0), number(2.0 * (k - 1) + 1.0), S(0))};
    loop.T_B.p = Vector3<S>(S(0), number(length[2]), S(0));
    builder.add_loop(loop, "world", parent);
  }
  return builder.build();
}

}  // namespace actio::models
