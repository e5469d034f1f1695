// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mechanisms: models, starts, what is measured, and reference values.
#include <functional>
#include <memory>
#include <string>
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
  double h = 0;  ///< [s]
};

struct Mechanism {
  std::string name, file;  ///< of the results
  Model model;
  State start;
  std::function<Sample(const State&)> measure = {};
  std::vector<Sample> references = {};  ///< in the order of their times
  double shared = 0;                    ///< all integrators run until then [s]; only the recommended one goes on
  Setting recommended = {};             ///< with which the reference values are reached
  std::vector<Setting> others = {};
  Setting cheap = {};                   ///< that keeps the energy to the published limit
  double cheap_duration = 0;            ///< of the published run [s]
  double energy_limit = 1e-3;           ///< of the published run [J]
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

/// Returns an integrator by its name: "variational", "variational, order 4", "variational, order 6", "maximal", "maximal, order 6", "compliant",
/// "srm", "rk4 in accelerations".  @param model outlives it.
std::unique_ptr<experiments::Racer> make(const Model& model, const State& start, const Setting& setting);

}  // namespace mechanisms
