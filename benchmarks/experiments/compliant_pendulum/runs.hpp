// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A bob of 1 kg and 0.025 kg m^2, 1 m from its pin, released at rest from horizontal; for a second.
#include <string>
#include <vector>

#include "actio/constraints/compliance.hpp"

namespace compliant_pendulum {

/// The freedom of the bob before it is pinned.
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
  std::vector<double> gap;     ///< between bob and pin at the nodes [m]; shorter than requested if a step failed
  std::vector<double> error;   ///< E - E_0 at the nodes, kinetic and gravitational [J]
  std::vector<double> speed;   ///< angular speed at the nodes [rad/s]
  double angle_error = 0;      ///< of the bob at the end, relative to the rigid pendulum [rad]
  bool complete = false;
};

Run compliant(const Settings& settings);

}  // namespace compliant_pendulum
