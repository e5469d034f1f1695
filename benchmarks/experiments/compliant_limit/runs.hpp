// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A point of 1 kg on a rod of 1 m, released at rest from horizontal, whose range ends where it hangs straight down.
#include <vector>

#include "actio/constraints/compliance.hpp"

namespace compliant_limit {

struct Run {
  double h = 0;               ///< [s]
  std::vector<double> theta;  ///< at the nodes, >= 0 within the range [rad]; shorter than requested if a step failed
  std::vector<double> omega;  ///< [rad/s]
};

/// Runs the compliant step.  @param spring of the stop [N m/rad, N m s/rad].
Run compliant(const actio::Compliance<double>& spring, double h, double duration);
/// Runs Runge-Kutta 4 with the same spring and damper as a force.
Run as_force(const actio::Compliance<double>& spring, double h, double duration);

}  // namespace compliant_limit
