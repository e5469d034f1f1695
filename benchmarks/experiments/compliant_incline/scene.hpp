// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>

#include "actio/contacts/plane.hpp"
#include "runs.hpp"

namespace compliant_incline {

inline const Eigen::Vector3d gravity(g* std::sin(slope), 0, -g* std::cos(slope)), size(0.2, 0.1, 0.05);
inline actio::Inertia<double> box() { return actio::Inertia<double>::box(1, size); }
/// A rigid sphere on an elastic half-space. The damping is 1 N s/m under a quarter of the box, and proportional to the force.
inline actio::PowerLaw<double> hertz() { return actio::PowerLaw<double>::hertz(modulus, radius, 4 / (g * std::cos(slope))); }
/// Returns the height at which the feet carry the weight [m].
inline double rest_height() { return size[2] / 2 - hertz_depth(); }

/// Returns the contacts of four spheres, each lowest at a lower corner, with the ramp.
inline actio::PlaneContacts<double> feet(const Settings& settings) {
  actio::PlaneContacts<double> ramp({hertz(), settings.friction, settings.tangential_damping});
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Eigen::Vector3d corner = size.cwiseProduct(Eigen::Vector3d(x, y, -0.5));
      ramp.add(1, actio::Pose<double>::translation(corner + Eigen::Vector3d(0, 0, radius)), actio::Sphere<double>{radius});
    }
  }
  return ramp;
}

inline std::size_t num_steps(const Settings& settings) { return static_cast<std::size_t>(std::lround(settings.duration / settings.h)); }

}  // namespace compliant_incline
