// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <numbers>
#include <string>

#include "actio/model/ready/limb.hpp"

namespace actio::models {

/// A Stewart platform with six legs, each on a universal, a prismatic and a ball joint (6-UPS). The platform, a disc of 10 kg and 0.3 m
/// radius, stands 0.6 m above a base of 0.5 m radius; legs meet both in pairs, 20 degrees apart, and lean to and fro in turn.
///   Tree: on the world `platform`, free, and of each leg k = 1 ... 6 `cylinder_k` (1 kg) on a universal joint, which carries `piston_k`
///   (0.5 kg) on a prismatic one. Loops: `ball_k` ties the piston's origin to the platform.
/// 13 bodies, 6 loops, 18 rows, 24 - 18 = 6 freedoms: those of the platform, whose pose comes first in q. At q = 0 it stands upright, closed.
///                                                                                                              [Stewart 1965]
/// @param attitude of the whole in the world, a rotation.
/// @param stiffness of a spring along each leg, slack at q = 0 [N/m]: without, nothing holds the platform up.
template <Scalar S = double>
Model<S> stewart_platform(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(),
                          const std::type_identity_t<S>& stiffness = S(0)) {
  const auto number = [](double x) { return detail::number<S>(x); };
  const auto on_circle = [](double radius, double degrees, double z) {
    const double angle = degrees * std::numbers::pi / 180;
    return Vector3<double>(radius * std::cos(angle), radius * std::sin(angle), z);
  };
  constexpr double height = 0.6, rod = 0.5;
  ModelBuilder<S> builder("stewart_platform");
  builder.add_body("platform", Inertia<S>::cylinder(number(10), number(0.3), number(0.04)));
  builder.add_joint("platform", "world", "platform", {attitude, attitude * detail::point<S>(0, 0, height)}, Free<S>());
  for (int k = 0; k < 6; ++k) {
    const double side = k % 2 == 0 ? 1 : -1, pair = 120 * (k / 2);
    const Vector3<double> foot = on_circle(0.5, pair + 10 * side, 0), head = on_circle(0.3, pair + 50 * side, height);
    const Vector3<double> z = (head - foot).normalized(), y = z.cross(Vector3<double>::UnitX()).normalized();
    Matrix3<S> R;  // z along the leg
    for (int r = 0; r < 3; ++r) R.row(r) = detail::point<S>(y.cross(z)[r], y[r], z[r]).transpose();
    const auto along = [&](double length) { return detail::shifted<S>(0, 0, length); };
    const std::string leg = std::to_string(k + 1), cylinder = "cylinder_" + leg, piston = "piston_" + leg;
    builder.add_body(cylinder, Inertia<S>::cylinder(number(1), number(0.03), number(rod)).seen_from_parent(along(rod / 2)));
    builder.add_joint("universal_" + leg, "world", cylinder, {attitude * R, attitude * detail::point<S>(foot.x(), foot.y(), foot.z())},
                      Universal<S>(Vector3<S>::UnitX(), Vector3<S>::UnitY()));
    builder.add_body(piston, Inertia<S>::cylinder(number(0.5), number(0.015), number(rod)).seen_from_parent(along(-rod / 2)));
    builder.add_joint("prismatic_" + leg, cylinder, piston, along((head - foot).norm()), Prismatic<S>(Vector3<S>::UnitZ()),
                      {.stiffness = stiffness});
    Loop<S> loop;
    loop.name = "ball_" + leg;
    loop.type = LoopType::ball;
    loop.T_A = detail::shifted<S>(head.x(), head.y(), 0);
    builder.add_loop(loop, "platform", piston);
  }
  return builder.build();
}

}  // namespace actio::models
