// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A bob of 1 kg and 0.025 kg m^2, 1 m from the pin that holds it, released at rest from horizontal; for a second.
#include <string>
#include <vector>

#include "actio/constraints/compliance.hpp"

namespace compliant_pendulum {

/// How the bob is free before it is pinned.
enum class Freedom {
  absolute,  ///< (x, y, theta), as published
  free,      ///< a free joint
};

struct Settings {
  Freedom freedom = Freedom::absolute;
  actio::Compliance<double> spring{1e14, 0};
  bool predictor = true;  ///< as the options have it, or never                             [compliant_math.md, section 3.3]
  double h = 1e-2;        ///< [s]
  double duration = 1;    ///< [s]
};

struct Run {
  double h = 0;                ///< [s]
  std::vector<double> gap;     ///< between bob and pin at the nodes [m]; shorter than asked for where a step failed
  std::vector<double> error;   ///< E - E_0 there, kinetic and of gravity [J]
  std::vector<double> speed;   ///< of turning there [rad/s]
  double angle_error = 0;      ///< of the bob at the end, against the rigid pendulum [rad]
  bool complete = false;
};

Run compliant(const Settings& settings);

}  // namespace compliant_pendulum
