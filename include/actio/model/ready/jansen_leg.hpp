// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "actio/model/ready/limb.hpp"

namespace actio::models {
namespace detail {

/// Where circles about a and b meet, to the left of the way from a to b.
inline Vector2<double> meeting(const Vector2<double>& a, double from_a, const Vector2<double>& b, double from_b) {
  const Vector2<double> way = b - a;
  const double square = way.squaredNorm(), along = (square + from_a * from_a - from_b * from_b) / (2 * square);
  return a + along * way + std::sqrt(from_a * from_a / square - along * along) * Vector2<double>(-way.y(), way.x());
}

}  // namespace detail

/// Theo Jansen's walking leg in the y-z plane, z up, his numbers in centimetres: a crank of 0.15 m about the origin, a fixed pivot 0.38 m
/// beside and 0.078 m below it, and rods of 1 kg a metre on hinges about x. At q = 0 the crank stands up, closed.
///   Tree: on the world `crank` (m), which carries `j` and `k`; and on the pivot `upper`, the triangle of b, d and e, which carries `f`, and
///   `c`, which carries `lower`, the triangle of g, h and i with the frame "foot".
///   Loops, each a point: j meets upper where b ends; k meets c; f meets lower where g ends.
/// 7 bodies, 3 loops, 6 rows, 1 freedom: the crank turns all the way round.     [Jansen, The Great Pretender, 2007: the "holy numbers"]
/// @param attitude of the whole in the world, a rotation.
/// @param closure `point_on_line` leaves two rows a loop; `revolute` has three more, redundant ones.
template <Scalar S = double>
Model<S> jansen_leg(const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity(), LoopType closure = LoopType::point_on_line) {
  using Point = Vector2<double>;  // y, z [m]
  constexpr double a = 0.38, b = 0.415, c = 0.393, d = 0.401, e = 0.558, f = 0.394, g = 0.367, h = 0.657, i = 0.49, j = 0.5, k = 0.619,
                   l = 0.078, m = 0.15;
  const Point axle(0, 0), pivot(-a, -l), pin(0, m);
  const Point top = detail::meeting(pivot, b, pin, j), side = detail::meeting(pivot, d, top, e), knee = detail::meeting(pin, k, pivot, c);
  const Point ankle = detail::meeting(knee, g, side, f), foot = detail::meeting(knee, i, ankle, h);
  const auto across = [](const Point& from, const Point& to) { return detail::point<S>(0, to.x() - from.x(), to.y() - from.y()); };
  const Matrix3<S> level = Matrix3<S>::Identity();  // all links' axes are those of the leg at q = 0

  ModelBuilder<S> builder("jansen_leg");
  const auto add = [&](const std::string& name, const std::string& parent, const Point& origin_of_parent, const Point& at,
                       const std::vector<std::pair<Point, Point>>& rods) {
    Inertia<S> inertia = Inertia<S>::zero();
    for (const auto& [from, to] : rods) {
      const Vector2<double> way = to - from;
      const Pose<S> middle{so3::rotation<S>(Vector3<S>::UnitX(), detail::number<S>(std::atan2(way.y(), way.x()))), across(at, (from + to) / 2)};
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

  const auto close = [&](const std::string& a_name, const Point& a_origin, const std::string& b_name, const Point& b_origin, const Point& at) {
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

}  // namespace actio::models
