// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The run of one integrator, and what all reports say about it.
#include <string>
#include <vector>

#include "options.hpp"
#include "watch.hpp"

namespace simulate {

struct Run {
  std::string integrator;
  actio::SimulationSummary<double> summary;
  Watch watch;
  int signal = 0;  ///< that ended the run early, 0 if none
};

/// Returns whether the model dissipates energy: by dampers, or by enforced limits, friction or contact.
bool loses_energy(const Model& model);
/// Returns whether the energy of the run changes by more than the error of the integrator: dissipation, or work of actuators.
bool exchanges_energy(const Model& model, const Watch& watch);
/// Returns the energy that the run dissipated, but for what the dampers of servos took, which is part of the work of the actuators [J].
/// @pre watch.books
double dissipated(const Watch& watch);
/// Returns the largest error of the energy beside dissipation and work [J], and the same relative to the largest kinetic energy; 0 if both
/// are rounding.  @pre watch.books
double largest_error(const Watch& watch);
double relative_error(const Watch& watch);

/// Something that is recorded in a model but not part of its dynamics: the word for it in --enforce and --release, and a text with the
/// number of such things.
struct NotEnforced {
  std::string word, count;
};
std::vector<NotEnforced> not_enforced(const Model& model);

/// Returns the wall time of a step, divided by the number of bodies [ns]; 0 if there is nothing to divide by.
double ns_per_body_step(const Model& model, const Run& run);

}  // namespace simulate
