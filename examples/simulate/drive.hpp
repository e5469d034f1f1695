// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What drives the joints in a run: actuators of the file, and those that hold the start pose.
#include <string>
#include <vector>

#include "actio/io/xml/read_options.hpp"
#include "options.hpp"

namespace simulate {

/// Returns the keyframe that --keyframe names; null if it is not given.  @throws BadInput if there is none of that name.
const actio::Keyframe<double>* find_keyframe(const actio::Loaded<double>& loaded, const Options& options);
/// Returns lines on the actuators, the keyframes and the time step of a file, for --describe.
std::string describe_drive(const actio::Loaded<double>& loaded);

/// The actuators that act in a run, with their controls.
struct Drive {
  std::vector<actio::Actuator<double>> actuators;
  actio::VectorX<double> ctrl;
  std::vector<std::string> remarks;   ///< for the summary: what acts, what is not held, which controls are limited
  std::vector<std::string> not_held;  ///< joints, with the reason

  /// @param start the configuration that --hold holds.  @throws BadInput for --ctrl, or for --hold if there is nothing to hold.
  Drive(const actio::Loaded<double>& loaded, const Options& options, const actio::VectorX<double>& start);

  /// Returns whether any actuator can exert a force.
  bool acts() const;
  /// Returns a model in which every driven joint is damped, so that no momentum counts as conserved that an actuator changes.
  actio::Model<double> damped(const actio::Model<double>& model) const;
};

}  // namespace simulate
