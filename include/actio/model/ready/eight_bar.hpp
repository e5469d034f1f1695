// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <numbers>
#include <string>

#include "actio/model/ready/limb.hpp"

namespace actio::models {

/// A ring of eight links on hinges in space, closed by a weld (8R): rods of 1 kg a metre along the sides of an octagon of 0.5 m radius in
/// the y-z plane, its corners 0.1 m out of it to either side in turn. Hinge axes turn, by 75 degrees from corner to corner, in planes that
/// hold x and a line 30 degrees off the way outwards: were it none, all axes would meet x and a third freedom would be left.
///   Tree: `link_1` on the world ... `link_8` on `link_7`. Loop: `weld` ties the end of link_8 to the world, so that link_8 is the ground.
/// 8 bodies, 1 loop, 6 rows, 8 - 6 = 2 freedoms. At q = 0 it is closed. Swinging free it passes close to singular poses at times, through
/// which light links whip: springs keep it from them.
/// @param attitude of the whole in the world, a rotation.
/// @param stiffness of a spring in each hinge, slack at q = 0 [N m/rad].
template <Scalar S = double>
Model<S> eight_bar(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(), const std::type_identity_t<S>& stiffness = S(0)) {
  using Point = Vector3<double>;
  constexpr double pi = std::numbers::pi;
  const auto in_plane = [](double angle) { return Point(0, std::cos(angle), std::sin(angle)); };
  const auto corner = [&](int k) { return Point(0.5 * in_plane(k * pi / 4) + (k % 2 == 0 ? 0.1 : -0.1) * Point::UnitX()); };
  const auto axis = [&](int k) {
    const double turn = k * 5 * pi / 12;
    return Point(std::cos(turn) * Point::UnitX() + std::sin(turn) * in_plane(k * pi / 4 + pi / 6));
  };
  const auto cast = [](const Point& p) { return detail::point<S>(p.x(), p.y(), p.z()); };
  ModelBuilder<S> builder("eight_bar");
  std::string parent = "world";
  for (int k = 0; k < 8; ++k) {  // all links' axes are those of the ring at q = 0
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Vector3<S> way = cast(corner(k + 1) - corner(k));
    const Pose<S> middle = detail::between<S>(Vector3<S>::Zero(), way);
    builder.add_body(link, Inertia<S>::cylinder(way.norm(), detail::number<S>(0.02), way.norm()).seen_from_parent(middle));
    const Pose<S> at = k == 0 ? Pose<S>{attitude, attitude * cast(corner(0))} : Pose<S>{Matrix3<S>::Identity(), cast(corner(k) - corner(k - 1))};
    builder.add_joint("hinge_" + number, parent, link, at, Revolute<S>(cast(axis(k))), {.stiffness = stiffness});
    parent = link;
  }
  Loop<S> loop;
  loop.name = "weld";
  loop.type = LoopType::fixed;
  loop.T_A = {attitude, attitude * cast(corner(0))};
  loop.T_B.p = cast(corner(8) - corner(7));
  builder.add_loop(loop, "world", parent);
  return builder.build();
}

}  // namespace actio::models
