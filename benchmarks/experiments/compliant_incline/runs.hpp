// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A box of 1 kg, 0.2 x 0.1 x 0.05 m, on a ramp of 30 degrees, released at rest; the axes are along the ramp, so gravity is oblique.
#include <vector>

#include "actio/solvers/cone/rows.hpp"

namespace compliant_incline {

constexpr double g = 9.8, slope = 0.52359877559829887, modulus = 2e11, radius = 0.01;  // of the ramp [Pa], of each foot [m]

/// Returns the depth to which a foot sinks under a quarter of the box, by Hertz' law [m].
double hertz_depth();

struct Settings {
  double friction = 0.3;
  double tangential_damping = 1e6;  ///< for sticking contacts [N s/m]
  double h = 1e-2;                  ///< [s]
  double duration = 1;              ///< [s]
  bool touching = false;            ///< released where the feet just touch; else where they carry the box
};

struct Path {
  double h = 0;
  std::vector<double> x;   ///< down the ramp at the nodes [m]; shorter than requested if a step failed or the box is thrown 1 m high
  std::vector<double> z;   ///< above the rest height [m]
};

Path compliant(actio::ConeLaw law, const Settings& settings);
/// The same with another solver: interior points and Newton's method on the dense matrix of the rows.
Path dense(actio::ConeLaw law, const Settings& settings);
/// @param weight of normal forces.
Path published(double weight, const Settings& settings);

}  // namespace compliant_incline
