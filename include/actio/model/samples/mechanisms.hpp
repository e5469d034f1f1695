// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models for tests, benchmarks and examples: single mechanisms from the literature.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/limb.hpp"
#include "actio/model/state.hpp"

namespace actio::models {

/// Returns a ring of eight links on revolute joints in space, closed by a weld (8R): rods of 1 kg per metre along the sides of an octagon
/// of 0.5 m radius in the y-z plane, whose corners are displaced by 0.1 m to alternate sides of it. The joint axis rotates by 75 degrees
/// from corner to corner, in the plane of x and a line 30 degrees off the radial direction. If that line were radial, all axes would
/// intersect x and a third freedom would remain.
///   Tree: `link_1` on the world ... `link_8` on `link_7`. Loop: `weld` connects its end to the world, so that link_8 is the ground.
/// 8 bodies, 1 loop, 6 rows, 8 - 6 = 2 degrees of freedom. At q = 0 the loop is closed. When the ring swings freely it sometimes passes close to
/// singular poses, where light links move very fast; springs prevent this.
/// @param attitude rotation of the whole mechanism in the world.
/// @param stiffness of a spring in each joint, slack at q = 0 [N m/rad].
template <Scalar S = double>
Model<S> eight_bar(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(),
                   const std::type_identity_t<S>& stiffness = S(0)) {
  using Point = Vector3<double>;
  constexpr double pi = std::numbers::pi;
  const auto corner = [](int k) {
    return Point(k % 2 == 0 ? 0.1 : -0.1, 0.5 * elementary::cos(k * pi / 4), 0.5 * elementary::sin(k * pi / 4));
  };
  const auto axis = [](int k) {
    const double angle = k * 5 * pi / 12, in_plane = k * pi / 4 + pi / 6;
    return Point(elementary::cos(angle), elementary::sin(angle) * elementary::cos(in_plane),
                 elementary::sin(angle) * elementary::sin(in_plane));
  };
  const auto cast = [](const Point& p) { return detail::point<S>(p.x(), p.y(), p.z()); };
  ModelBuilder<S> builder("eight_bar");
  std::string parent = "world";
  for (int k = 0; k < 8; ++k) {  // all links' axes are those of the ring at q = 0
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Vector3<S> way = cast(corner(k + 1) - corner(k));
    const Pose<S> middle = detail::between<S>(Vector3<S>::Zero(), way);
    builder.add_body(link, Inertia<S>::cylinder(way.norm(), detail::number<S>(0.02), way.norm()).seen_from_parent(middle));
    const Pose<S> at = k == 0 ? Pose<S>{attitude, attitude * cast(corner(0))} : Pose<S>::translation(cast(corner(k) - corner(k - 1)));
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

/// Returns a double pendulum for which steps of equal size are unsuitable: links of 1 m, the upper one light (0.1 kg), the lower one with
/// its 1 kg at the end. When it folds, the end passes close to the pivot: there the links rotate fast, with hardly any inertia.
/// Gravity is 1 m/s^2, so that small swings are slow. The joints are revolute about x; the pendulum hangs along -z at q = 0.
template <Scalar S = double>
Model<S> folding_pendulum() {
  ModelBuilder<S> builder("folding_pendulum");
  const auto link = [](double mass) {
    return Inertia<S>{S(mass), Vector3<S>(S(0), S(0), S(-1)), S(0.002 * mass) * Matrix3<S>::Identity()};
  };
  const Revolute<S> hinge(Vector3<S>::UnitX());
  builder.gravity(Vector3<S>(S(0), S(0), S(-1))).add_body("upper", link(0.1)).add_body("lower", link(1));
  builder.add_joint("shoulder", "world", "upper", Pose<S>::identity(), hinge);
  builder.add_joint("elbow", "upper", "lower", Pose<S>::translation(S(0), S(0), S(-1)), hinge);
  return builder.build();
}

/// Returns a state at rest with a bent elbow, from which the end passes within 3 cm of the pivot now and then.
template <Scalar S>
State<S> folded(const Model<S>& folding_pendulum) {
  State<S> state = rest_state(folding_pendulum);
  state.q << S(0.5), S(2.2);
  return state;
}

namespace detail {

/// Returns the intersection of circles about a and b that is on the left of the direction from a to b. A template, so that those who only
/// include this do not compile it.
template <class Point>
Point meeting(const Point& a, double from_a, const Point& b, double from_b) {
  const Point way = b - a;
  const double square = way.squaredNorm(), along = (square + from_a * from_a - from_b * from_b) / (2 * square);
  return a + along * way + std::sqrt(from_a * from_a / square - along * along) * Point(-way.y(), way.x());
}

}  // namespace detail

/// Returns Theo Jansen's walking leg in the y-z plane, z up, with his numbers in centimetres: a crank of 0.15 m about the origin, a fixed
/// pivot 0.38 m beside and 0.078 m below it, and rods of 1 kg per metre on revolute joints about x. At q = 0 the crank points up and the
/// loops are closed.
///   Tree: on the world `crank` (m), which carries `j` and `k`; and on the pivot `upper`, the triangle of b, d and e, which carries `f`,
///   and `c`, which carries `lower`, the triangle of g, h and i with the frame "foot". Loops, each at a point: j meets upper where b ends;
///   k meets c; f meets lower where g ends.
/// 7 bodies, 3 loops, 6 rows, 1 freedom: the crank makes full revolutions.     [Jansen 2007: the "holy numbers"]
/// @param attitude rotation of the whole mechanism in the world.
/// @param closure `point_on_line` has two rows per loop; `revolute` has three more, which are redundant.
template <Scalar S = double>
Model<S> jansen_leg(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(), LoopType closure = LoopType::point_on_line) {
  using Point = Vector2<double>;  // y, z [m]
  constexpr double a = 0.38, b = 0.415, c = 0.393, d = 0.401, e = 0.558, f = 0.394, g = 0.367, h = 0.657, i = 0.49, j = 0.5, k = 0.619,
                   l = 0.078, m = 0.15;
  const Point axle(0, 0), pivot(-a, -l), pin(0, m);
  const Point top = detail::meeting(pivot, b, pin, j), side = detail::meeting(pivot, d, top, e), knee = detail::meeting(pin, k, pivot, c);
  const Point ankle = detail::meeting(knee, g, side, f), foot = detail::meeting(knee, i, ankle, h);
  const auto across = [](const Point& from, const Point& to) { return detail::point<S>(0, to.x() - from.x(), to.y() - from.y()); };
  const auto middle_of = [](const auto& from, const auto& to) { return Point((from + to) / 2); };  // generic, for the same reason
  const Matrix3<S> level = Matrix3<S>::Identity();  // all links' axes are those of the leg at q = 0

  ModelBuilder<S> builder("jansen_leg");
  const auto add = [&](const std::string& name, const std::string& parent, const Point& origin_of_parent, const Point& at,
                       const std::vector<std::pair<Point, Point>>& rods) {
    Inertia<S> inertia = Inertia<S>::zero();
    for (const auto& [from, to] : rods) {
      const Vector2<double> way = to - from;
      const Pose<S> middle{so3::rotation<S>(Vector3<S>::UnitX(), detail::number<S>(elementary::atan2(way.y(), way.x()))),
                           across(at, middle_of(from, to))};
      inertia += Inertia<S>::box(detail::number<S>(way.norm()), detail::point<S>(0.02, way.norm(), 0.02)).seen_from_parent(middle);
    }
    builder.add_body(name, inertia);
    const Vector3<S> p = across(origin_of_parent, at);
    const Pose<S> placement = parent == "world" ? Pose<S>{attitude, attitude * p} : Pose<S>{level, p};
    builder.add_joint("joint_" + name, parent, name, placement, Revolute<S>(Vector3<S>::UnitX()));
  };
  add("crank", "world", axle, axle, {{axle, pin}});
  add("j", "crank", axle, pin, {{pin, top}});
  add("k", "crank", axle, pin, {{pin, knee}});
  add("upper", "world", axle, pivot, {{pivot, top}, {pivot, side}, {top, side}});
  add("f", "upper", pivot, side, {{side, ankle}});
  add("c", "world", axle, pivot, {{pivot, knee}});
  add("lower", "c", pivot, knee, {{knee, ankle}, {knee, foot}, {ankle, foot}});
  builder.add_frame("foot", "lower", {level, across(knee, foot)});

  const auto close = [&](const std::string& a_name, const Point& a_origin, const std::string& b_name, const Point& b_origin,
                         const Point& at) {
    Loop<S> loop;
    loop.name = a_name + "_" + b_name;
    loop.type = closure;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A.p = across(a_origin, at);
    loop.T_B.p = across(b_origin, at);
    builder.add_loop(loop, a_name, b_name);
  };
  close("j", pin, "upper", pivot, top);
  close("k", pin, "c", pivot, knee);
  close("f", side, "lower", knee, ankle);
  return builder.build();
}

/// Returns a Stewart platform with six legs, each with a universal, a prismatic and a ball joint (6-UPS). The platform, a disc of 10 kg
/// and 0.3 m radius, is 0.6 m above a base of 0.5 m radius. The legs meet both in pairs, 20 degrees apart, and lean to
/// alternate sides.
///   Tree: on the world `platform`, free, and for each leg k = 1 ... 6 `cylinder_k` (1 kg) on a universal joint, which carries `piston_k`
///   (0.5 kg) on a prismatic one. Loops: `ball_k` connects the piston's origin to the platform.
/// 13 bodies, 6 loops, 18 rows, 24 - 18 = 6 degrees of freedom: those of the platform, whose pose comes first in q. At q = 0 it is upright, closed.
///                                                                                                              [Stewart 1965]
/// @param attitude rotation of the whole mechanism in the world.
/// @param stiffness of a spring along each leg, slack at q = 0 [N/m]; without it nothing supports the platform.
template <Scalar S = double>
Model<S> stewart_platform(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(),
                          const std::type_identity_t<S>& stiffness = S(0)) {
  const auto number = [](double x) { return detail::number<S>(x); };
  const auto on_circle = [](double radius, double degrees, double z) {
    const double angle = degrees * std::numbers::pi / 180;
    return Vector3<double>(radius * elementary::cos(angle), radius * elementary::sin(angle), z);
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
