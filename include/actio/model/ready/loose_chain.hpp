// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// n rods that are free but for loops between each and the one before, the first and the world: a chain whose joints are all constraints.
/// At rest it is stretched out along +y.  @param type of the loops: ball, or revolute about x, y, x, ...
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
