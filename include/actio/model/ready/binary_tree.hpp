// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// A complete binary tree of n rods on revolute joints, the axis x, y, x, ... by depth. Links are named as in a heap: the
/// children of link_k are link_2k and link_2k+1. They sit at its tip, tilted by +-0.4 rad about the joint's axis.
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

}  // namespace actio::models
