// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {
namespace detail {

/// n rods in a row whose tip is held by the world: at q = 0 they and the ground between both ends are a regular polygon in the y-z plane.
template <Scalar S, class JointOf>
Model<S> closed_chain(std::string name, int n, LoopType closure, JointOf joint_of) {
  ModelBuilder<S> builder(std::move(name));
  using std::cos, std::sin;
  const double turn = 2 * std::numbers::pi / (n + 1);
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Pose<S> at{so3::rotation<S>(Vector3<S>::UnitX(), S(static_cast<ValueOf<S>>(k == 0 ? turn - std::numbers::pi / 2 : turn))),
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

/// n rods on ball joints, held at both ends, 1 m apart.  @param n >= 2.
template <Scalar S = double>
Model<S> closed_chain(int n) {
  return detail::closed_chain<S>("closed_chain", n, LoopType::ball, [](int) { return Spherical<S>(); });
}

/// The same on hinges about x: a motion in the y-z plane, with n >= 3.
template <Scalar S = double>
Model<S> closed_planar_chain(int n) {
  return detail::closed_chain<S>("closed_planar_chain", n, LoopType::point_on_line, [](int) { return Revolute<S>(Vector3<S>::UnitX()); });
}

}  // namespace actio::models
