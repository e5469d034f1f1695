// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A box of 1 kg, 0.2 x 0.1 x 0.05 m, on a ramp of 30 degrees, released at rest; axes along the ramp, gravity aslant.
#include <vector>

#include "actio/solvers/cone_rows.hpp"

namespace compliant_incline {

constexpr double g = 9.8, slope = 0.52359877559829887, stiffness = 1e7, damping = 1;  // of each foot [N/m, N s/m]

struct Settings {
  double friction = 0.3;
  double tangential_damping = 1e6;  ///< of what sticks [N s/m]
  double h = 1e-2;                  ///< [s]
  double duration = 1;              ///< [s]
};

struct Path {
  double h = 0;
  std::vector<double> x;   ///< down the ramp at the nodes [m]; shorter than asked for where a step failed or the box is thrown 1 m high
  std::vector<double> z;   ///< above where it was released [m]
};

Path compliant(actio::ConeLaw law, const Settings& settings);
/// The same with another solver: interior points and Newton's iteration on the rows' dense matrix.
Path dense(actio::ConeLaw law, const Settings& settings);
/// @param weight of normal forces.
Path published(double weight, const Settings& settings);

}  // namespace compliant_incline
