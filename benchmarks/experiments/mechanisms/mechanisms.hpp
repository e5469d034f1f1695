// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mechanisms: models, starts, what is measured, and reference values.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/race.hpp"
#include "support/report.hpp"

namespace mechanisms {

using Model = actio::Model<double>;
using State = actio::State<double>;

/// What is measured at a time: coordinates [m, rad] and velocities [m/s, rad/s]. Reference values may lack velocities.
struct Sample {
  double t = 0;
  std::vector<double> q, v;
};

/// An integrator and its step.
struct Setting {
  std::string integrator = {};
  double h = 0;  ///< [s], or relative
};

struct Mechanism {
  std::string name, file;  ///< of the results
  Model model;
  State start;
  std::function<Sample(const State&)> measure = {};
  std::vector<Sample> references = {};  ///< in the order of their times
  double shared = 0;                    ///< all integrators run until then [s]; only the recommended one goes on
  Setting recommended = {};             ///< with which the reference values are reached
  double step = 0;                      ///< of a composed step of order 6 beside which all integrators run, with about as much work [s]
  Setting cheap = {};                   ///< that keeps the energy to the published limit
  double cheap_duration = 0;            ///< of the published run [s]
  double energy_limit = 1e-3;           ///< of the published run [J]
  double in_place_of_energy = 0;        ///< where it is not 0, the run is to reach the references to this part of their range instead
  std::string published = "none";       ///< time of the published run [s], and of what
  bool shown_in_short = true;
};

/// Returns all mechanisms.  @throws ParseError
std::vector<Mechanism> all();
/// Returns the start of the bicycle at a speed.  @param lean, steer and their rates, to first order [rad, rad/s].
State riding(const Model& bicycle, double speed, double lean_rate, double lean = 0, double steer = 0, double steer_rate = 0);
/// Returns lean and steer of a bicycle, and their rates, to first order.
actio::VectorX<double> lean_and_steer(const Model& bicycle, const State& x);
Model bicycle();
/// Returns the pose of a body in the world.
actio::Pose<double> pose_of(const Model& model, const State& x, const std::string& body);
/// Returns the accelerations (nv) and the multipliers (rows of loops) at a state, by a dense solve. The rows are in the axes of frame A of
/// each loop, and push its frame B.
std::pair<actio::VectorX<double>, actio::VectorX<double>> constrained_accelerations(const Model& model, const State& x);

/// Returns all integrators, with the lengths of their steps relative to that of a composed step of order 6, for about as much work.
const std::vector<Setting>& integrators();
/// Returns one of integrators() by its name.  @param model outlives it.
std::unique_ptr<experiments::Racer> make(const Model& model, const State& start, const Setting& setting);

}  // namespace mechanisms
