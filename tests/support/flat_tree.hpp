// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random trees of joints whose configuration is a vector.
#include "actio/model/samples/random.hpp"

namespace actio::test {

/// A random tree over the joint types whose q is a vector: revolute, prismatic, helical, cylindrical, universal.
template <Scalar S = double>
Model<S> flat_tree(std::uint64_t seed, int bodies) {
  models::Random random(seed);
  ModelBuilder<S> builder("flat_tree_" + std::to_string(seed));
  builder.gravity(random.in_box<S, 3>(10));
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  const auto is_flat = [](const DefaultJoints<S>& joint) {
    return std::visit([]<JointType J>(const J&) { return joints::is_flat<J>(); }, joint);
  };
  for (int k = 1; k <= bodies; ++k) {
    const int parent = random.happens(0.5) ? k - 1 : random.below(k);
    DefaultJoints<S> joint = models::detail::random_joint<S>(random);
    while (!is_flat(joint)) joint = models::detail::random_joint<S>(random);
    builder.add_body(link(k), models::detail::random_inertia<S>(random));
    builder.add_joint("joint_" + std::to_string(k), link(parent), link(k), random.pose<S>(0.5), joint);
  }
  return builder.build();
}

}  // namespace actio::test
