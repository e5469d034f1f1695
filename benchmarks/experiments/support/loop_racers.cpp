// SPDX-License-Identifier: BSD-3-Clause
#include "support/loop_racers.hpp"

#include "support/loop_gap.hpp"

namespace experiments {

LoopMotion follow(Racer& racer, const actio::Model<double>& model, int steps) {
  actio::KinematicsData<double> kinematics(model);
  LoopMotion motion;
  racer.restart();
  for (int k = 0; k < steps && motion.lap.end == actio::Status::converged; ++k) {
    racer.run(1, motion.lap);
    forward_kinematics(model, kinematics, racer.configuration());
    motion.gap = std::max(motion.gap, loop_gap(model, kinematics));
  }
  motion.q = racer.configuration();
  motion.complete = motion.lap.steps == steps;
  return motion;
}

double farthest_apart(const actio::Model<double>& model, const actio::VectorX<double>& q_a, const actio::VectorX<double>& q_b) {
  actio::KinematicsData<double> a(model), b(model);
  forward_kinematics(model, a, q_a);
  forward_kinematics(model, b, q_b);
  double largest = 0;
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const actio::Vector3<double>& com = model.inertia(i).com;
    largest = std::max(largest, (a.T_WB[i] * com - b.T_WB[i] * com).norm());
  }
  return largest;
}

}  // namespace experiments
