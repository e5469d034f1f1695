// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include <cmath>

#include "actio/dynamics/energy.hpp"
#include "support/loop_gap.hpp"
#include "support/race.hpp"

namespace maximal_segments {

using Model = actio::Model<double>;
using State = actio::State<double>;
using Made = std::unique_ptr<experiments::Racer>;
constexpr double h = 0.01;  ///< [s]

/// The errors of a motion, and its scale.
struct Quality {
  int steps = 0;
  double gap = 0;      ///< largest of the loops [m]
  double error = 0;    ///< largest |E - E_0| [J]
  double kinetic = 0;  ///< largest kinetic energy [J]
  double opened = 0;   ///< largest difference between the angles of opposite rods of the first segment [rad]
};

/// The run ends if a step fails, or if the energy error exceeds a megajoule, before numbers overflow.
template <actio::Integrator I>
Quality quality(I integrator, const State& start, int steps) {
  const Model& model = integrator.model();
  actio::KinematicsData<double> kinematics(model);
  State state = start;
  integrator.reset(start);
  const double initial = actio::energy(model, kinematics, state.q, state.v).total();
  const Eigen::Index a = model.q_index(model.find_body("a1")), c = model.q_index(model.find_body("c1"));
  Quality q;
  for (; q.steps < steps; ++q.steps) {
    if (!integrator.step({}, h) || integrator.read(state) != actio::Status::converged) break;
    const actio::Energy<double> energy = actio::energy(model, kinematics, state.q, state.v);
    const double error = std::abs(energy.total() - initial);
    if (!(error < 1e6)) break;
    q.error = std::max(q.error, error);
    q.kinetic = std::max(q.kinetic, energy.kinetic);
    q.gap = std::max(q.gap, experiments::loop_gap(model, kinematics));
    q.opened = std::max(q.opened, std::abs(state.q[a] - state.q[c]));
  }
  return q;
}

Made maximal(const Model& model, const State& start);
Made rk4(const Model& model, const State& start);
Quality maximal_quality(const Model& model, const State& start, int steps);
Quality rk4_quality(const Model& model, const State& start, int steps);

}  // namespace maximal_segments
