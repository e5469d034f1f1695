// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random springs between points and constant forces on any model.
#include "actio/model/samples/random.hpp"

namespace actio::test {

/// What random springs are like.
struct PointForceOptions {
  int springs = 3, forces = 2;
  double least = 10, most = 300;  ///< stiffness [N/m]
  double damping = 0;             ///< largest [N s/m]
  bool ropes = true;              ///< whether some springs do not push
};

/// Returns a model with such springs, between its bodies or between one and the world, and forces.
inline Model<double> with_point_forces(const Model<double>& model, std::uint64_t seed, const PointForceOptions& options = {}) {
  models::Random random(seed);
  const auto body = [&](BodyIndex first) {
    const double count = static_cast<double>(model.num_bodies() - first);
    return first + std::min(static_cast<BodyIndex>(random.uniform(0, count)), model.num_bodies() - first - 1);
  };
  std::vector<PointSpring<double>> springs;
  for (int k = 0; k < options.springs; ++k) {
    PointSpring<double> spring{.name = "spring " + std::to_string(k), .body_b = body(1)};
    do spring.body_a = body(0);
    while (spring.body_a == spring.body_b);
    spring.point_a = random.in_box<double, 3>(0.5);
    spring.point_b = random.in_box<double, 3>(0.5);
    spring.stiffness = random.uniform(options.least, options.most);
    spring.damping = options.damping * random.uniform(0, 1);
    spring.length = random.uniform(0.1, 1);
    spring.tension_only = options.ropes && random.happens(0.3);
    springs.push_back(spring);
  }
  std::vector<PointForce<double>> forces;
  for (int k = 0; k < options.forces; ++k) {
    forces.push_back({"force " + std::to_string(k), body(1), random.in_box<double, 3>(0.3), random.in_box<double, 3>(10)});
  }
  ModelProperties<double> properties = model.properties();
  for (BodyIndex i = 1; options.forces > 0 && i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      for (Eigen::Index v = model.v_index(i); joints::is_flat<J>() && v < model.v_index(i) + J::nv; ++v) properties.force[v] = random.uniform(-1, 1);
    });
  }
  return model.with_springs(springs).with_forces(forces).with_properties(properties);
}

}  // namespace actio::test
