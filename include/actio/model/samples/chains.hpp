// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models for tests, benchmarks and examples: open and closed chains, chains of free bodies, and binary trees.
#include <numbers>
#include <string>

#include "actio/core/elementary.hpp"
#include "actio/model/builder.hpp"

namespace actio::models {
namespace detail {

/// Adds a rod of 0.1 x 0.1 x 1 m and 1 kg, from its origin along -z, with its collision shape.
template <Scalar S>
void add_rod(ModelBuilder<S>& builder, const std::string& name) {
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const Vector3<S> size(number(0.1), number(0.1), S(1));
  const Pose<S> middle = Pose<S>::translation(S(0), S(0), number(-0.5));
  builder.add_body(name, Inertia<S>::box(S(1), size).seen_from_parent(middle));
  builder.add_shape({.name = name, .T_BS = middle, .geometry = Box<S>{size}}, name);
}

/// Returns a chain of n rods from the world, each at the tip of the previous one.  @param joint_of (k) joint of link k = 0, 1, ...
template <Scalar S, class JointOf>
Model<S> chain(std::string name, int n, JointOf joint_of) {
  ModelBuilder<S> builder(std::move(name));
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Pose<S> at = Pose<S>::translation(S(0), S(0), S(k == 0 ? 0 : -1));
    add_rod(builder, link);
    builder.add_joint("joint_" + number, parent, link, at, joint_of(k));
    parent = link;
  }
  return builder.build();
}

}  // namespace detail

/// Returns n rods on revolute joints about x, y, x, y, ...; they hang along -z at q = 0.
template <Scalar S = double>
Model<S> revolute_chain(int n) {
  return detail::chain<S>("revolute_chain", n, [](int k) { return Revolute<S>(Vector3<S>::Unit(k % 2)); });
}

/// Returns n rods on revolute joints about x: a pendulum in the y-z plane, which hangs along -z at q = 0.
template <Scalar S = double>
Model<S> planar_chain(int n) {
  return detail::chain<S>("planar_chain", n, [](int) { return Revolute<S>(Vector3<S>::UnitX()); });
}

/// Returns n rods on ball joints; they hang along -z at neutral.
template <Scalar S = double>
Model<S> spherical_chain(int n) {
  return detail::chain<S>("spherical_chain", n, [](int) { return Spherical<S>(); });
}

/// Returns the configuration (nq) of a chain stretched out along +y: neutral except for the first joint, rotated by pi/2 about x.
template <Scalar S>
VectorX<S> horizontal(const Model<S>& chain) {
  VectorX<S> x = VectorX<S>::Zero(chain.nv());
  x[0] = S(std::numbers::pi_v<ValueOf<S>> / 2);
  return chain.integrate(chain.neutral(), x);
}

/// Returns a complete binary tree of n rods on revolute joints about x, y, x, ... by depth. Links are numbered as in a heap: the
/// children of link_k are link_2k and link_2k+1. They are connected to its tip, tilted by +-0.4 rad about the joint's axis.
template <Scalar S = double>
Model<S> binary_tree(int n) {
  ModelBuilder<S> builder("binary_tree");
  for (int k = 1; k <= n; ++k) {
    int depth = 0;
    for (int above = k; above > 1; above /= 2) ++depth;
    const Vector3<S> axis = Vector3<S>::Unit(depth % 2);
    const std::string number = std::to_string(k), link = "link_" + number;
    const S tilt = S(static_cast<ValueOf<S>>(k == 1 ? 0 : k % 2 == 0 ? 0.4 : -0.4));
    const Pose<S> at{so3::rotation<S>(axis, tilt), Vector3<S>(S(0), S(0), S(k == 1 ? 0 : -1))};
    detail::add_rod(builder, link);
    builder.add_joint("joint_" + number, k == 1 ? "world" : "link_" + std::to_string(k / 2), link, at, Revolute<S>(axis));
  }
  return builder.build();
}

namespace detail {

/// Returns a chain of n rods whose tip a loop connects to the world. At q = 0 the rods and the ground between both ends form a regular
/// polygon in the y-z plane.
template <Scalar S, class JointOf>
Model<S> closed_chain(std::string name, int n, LoopType closure, JointOf joint_of) {
  ModelBuilder<S> builder(std::move(name));
  using elementary::cos, elementary::sin;
  const double angle = 2 * std::numbers::pi / (n + 1);
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Pose<S> at{so3::rotation<S>(Vector3<S>::UnitX(), S(static_cast<ValueOf<S>>(k == 0 ? angle - std::numbers::pi / 2 : angle))),
                     Vector3<S>(S(0), S(0), S(k == 0 ? 0 : -1))};
    add_rod(builder, link);
    builder.add_joint("joint_" + number, parent, link, at, joint_of(k));
    parent = link;
  }
  Loop<S> loop;
  loop.name = "closure";
  loop.type = closure;
  loop.axis = Vector3<S>::UnitX();
  loop.T_A = Pose<S>::identity();
  loop.T_A.p = Vector3<S>(S(0), S(1), S(0));
  loop.T_B.p = Vector3<S>(S(0), S(0), S(-1));
  builder.add_loop(loop, "world", parent);
  return builder.build();
}

}  // namespace detail

/// Returns a chain of n rods on ball joints, connected to the world at both ends, which are 1 m apart.  @param n >= 2.
template <Scalar S = double>
Model<S> closed_chain(int n) {
  return detail::closed_chain<S>("closed_chain", n, LoopType::ball, [](int) { return Spherical<S>(); });
}

/// Returns the same chain on revolute joints about x, which moves in the y-z plane.  @param n >= 3.
template <Scalar S = double>
Model<S> closed_planar_chain(int n) {
  return detail::closed_chain<S>("closed_planar_chain", n, LoopType::point_on_line, [](int) { return Revolute<S>(Vector3<S>::UnitX()); });
}

/// Returns a chain whose joints are all constraints: n free rods, each connected by a loop to the previous one, the first to the world.
/// At neutral it is stretched out along +y.  @param type of the loops: ball, or revolute about x, y, x, ...
template <Scalar S = double>
Model<S> loose_chain(int n, LoopType type) {
  ModelBuilder<S> builder("loose_chain");
  std::string previous = "world";
  for (int k = 0; k < n; ++k) {
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    detail::add_rod(builder, link);
    const Pose<S> at{so3::rotation<S>(Vector3<S>::UnitX(), S(std::numbers::pi_v<ValueOf<S>> / 2)),
                     Vector3<S>(S(0), S(static_cast<ValueOf<S>>(k)), S(0))};
    builder.add_joint("free_" + number, "world", link, at, Free<S>());
    Loop<S> loop;
    loop.name = "joint_" + number;
    loop.type = type;
    loop.axis = Vector3<S>::Unit(k % 2);
    if (k == 0) loop.T_A.R = at.R;
    else loop.T_A.p = Vector3<S>(S(0), S(0), S(-1));
    builder.add_loop(loop, previous, link);
    previous = link;
  }
  return builder.build();
}

}  // namespace actio::models
