// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>

#include "actio/contacts/plane.hpp"
#include "runs.hpp"

namespace compliant_incline {

inline const Eigen::Vector3d gravity(g* std::sin(slope), 0, -g* std::cos(slope)), size(0.2, 0.1, 0.05);
inline actio::Inertia<double> box() { return actio::Inertia<double>::box(1, size); }
/// Height at which its feet bear its weight [m].
inline double rest_height() { return size[2] / 2 - g * std::cos(slope) / (4 * stiffness); }

/// Its four lower corners on the ramp.
inline actio::PlaneContacts<double> feet(const Settings& settings) {
  actio::PlaneContacts<double> ramp({actio::Compliance<double>{stiffness, damping}, settings.friction, settings.tangential_damping});
  actio::ConvexPoints<double> corners;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) corners.points.emplace_back(size.cwiseProduct(Eigen::Vector3d(x, y, -0.5)));
  }
  ramp.add(1, actio::Pose<double>::identity(), corners);
  return ramp;
}

inline std::size_t num_steps(const Settings& settings) { return static_cast<std::size_t>(std::lround(settings.duration / settings.h)); }

}  // namespace compliant_incline
