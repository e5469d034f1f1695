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

Centres centres_of_mass(const actio::Model<double>& model, const actio::VectorX<double>& q) {
  actio::KinematicsData<double> data(model);
  forward_kinematics(model, data, q);
  Centres all(model.num_bodies(), actio::Vector3<double>::Zero());
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) all[i] = data.T_WB[i] * model.inertia(i).com;
  return all;
}

double farthest_apart(const Centres& a, const Centres& b) {
  double largest = 0;
  for (actio::BodyIndex i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

}  // namespace experiments
