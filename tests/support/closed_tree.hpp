// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random trees over all joint types that loops of all types close, and a configuration in which they are closed.
#include <string>
#include <utility>

#include "actio/dynamics/kinematics.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/ready/random_tree.hpp"

namespace actio::test {

struct ClosedTree {
  Model<double> model;
  State<double> start;  ///< closed, at velocities that need not be allowed
};

inline constexpr int num_loop_types = static_cast<int>(LoopType::distance) + 1;

/// @param loops of the types from `first` on.  @param coupled whether two joints are coupled, too.
inline ClosedTree closed_tree(std::uint64_t seed, int bodies, int loops, int first, bool coupled = false) {
  models::Random random(seed);
  ModelBuilder<double> builder("closed_tree_" + std::to_string(seed));
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  const models::RandomTreeOptions options{.damping = true, .springs = true, .armature = true};
  for (int k = 1; k <= bodies; ++k) {
    const int parent = random.happens(0.5) ? k - 1 : random.below(k);
    const DefaultJoints<double> joint = models::detail::random_joint<double>(random);
    const JointProperties<double> properties =
        std::visit([&]<JointType J>(const J&) { return models::detail::random_properties<double, J>(random, options); }, joint);
    builder.add_body(link(k), models::detail::random_inertia<double>(random));
    builder.add_joint("joint_" + std::to_string(k), link(parent), link(k), random.pose<double>(0.5), joint, properties);
  }
  if (coupled) {
    builder.add_body("leader", models::detail::random_inertia<double>(random)).add_body("follower", models::detail::random_inertia<double>(random));
    builder.add_joint("leads", link(1), "leader", random.pose<double>(0.5), Revolute<double>(random.direction<double>()));
    builder.add_joint("follows", "leader", "follower", random.pose<double>(0.5), Prismatic<double>(random.direction<double>()));
  }
  const Model<double> open = builder.build();
  ClosedTree closed{open, rest_state(open)};
  closed.start.q = models::random_configuration(open, seed);
  closed.start.v = models::random_velocity(open, seed);
  if (coupled) {
    const Eigen::Index leads = open.q_index(open.find_joint("leads")), follows = open.q_index(open.find_joint("follows"));
    builder.add_coupling("follows", "leads", 0.4, closed.start.q[follows] - 0.4 * closed.start.q[leads]);
  }
  KinematicsData<double> data(open);
  forward_kinematics(open, data, closed.start.q);
  for (int k = 0; k < loops; ++k) {
    Loop<double> loop;
    loop.name = "loop_" + std::to_string(k);
    loop.type = static_cast<LoopType>((first + k) % num_loop_types);
    loop.axis = random.direction<double>();
    do loop.axis2 = random.direction<double>();
    while (loop.axis.cross(loop.axis2).norm() < 0.5);
    const int a = random.below(bodies + 1), b = (a + 1 + random.below(bodies)) % (bodies + 1);
    loop.T_A = random.pose<double>(0.3);
    const auto pose = [&](int body) { return body == 0 ? Pose<double>::identity() : data.T_WB[open.find_body(link(body))]; };
    Pose<double> T_FM = Pose<double>::identity();
    if (loop.type == LoopType::distance) {
      T_FM = random.pose<double>(1);
      loop.length = T_FM.p.norm();
    }
    loop.T_B = pose(b).inverse() * pose(a) * loop.T_A * T_FM;
    builder.add_loop(loop, link(a), link(b));
  }
  closed.model = builder.build();
  return closed;
}

}  // namespace actio::test
