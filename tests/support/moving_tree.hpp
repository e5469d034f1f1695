// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A random tree in motion, for derivatives by differences.
#include <cstdint>

#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/random.hpp"

namespace actio::test {

/// A tree at a random configuration, and at the configurations before and after it along its velocity.
struct MovingTree {
  Model<double> model;
  Eigen::VectorXd q, v;
  KinematicsData<double> now;
  explicit MovingTree(std::uint64_t seed)
      : model(models::random_tree(seed, 6)),
        q(models::random_configuration(model, seed)),
        v(models::random_velocity(model, seed + 1)),
        now(model) {
    forward_kinematics(model, now, q, v);
  }
  KinematicsData<double> at(double t) const {
    KinematicsData<double> then(model);
    forward_kinematics(model, then, model.integrate(q, t * v));
    return then;
  }
  /// Returns d/dt of a function of the poses.
  template <class F>
  double rate(const F& f) const {
    const double e = 1e-3;
    return (8 * (f(at(e)) - f(at(-e))) - (f(at(2 * e)) - f(at(-2 * e)))) / (12 * e);
  }
};

}  // namespace actio::test
