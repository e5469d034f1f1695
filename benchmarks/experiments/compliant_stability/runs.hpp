// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment, on a mass of 1 kg that slides on a line.
#include <Eigen/Core>

#include <vector>

namespace compliant_stability {

enum class Scheme {
  explicit_euler,         ///< as published
  semi_implicit,          ///< as published: spring and damper explicit in v, then q with the new v
  semi_implicit_damping,  ///< SemiImplicitEuler, with an implicit damper
  implicit,               ///< CompliantIntegrator, spring and damper of the joint
  compliant,              ///< CompliantIntegrator, spring and damper as constraint rows
};

/// The spring and damper between the mass and x = 0.
struct Spring {
  double k;  ///< [N/m]
  double c;  ///< [N s/m]
};

/// Positions and velocities at the nodes 0, h, ... [m, m/s]; ends if a step fails or the mass is farther than `far` [m].
std::vector<Eigen::Vector2d> motion(Scheme scheme, const Spring& spring, const Eigen::Vector2d& start, double h, int steps,
                                    double far = 1e300);

/// Returns the matrix that one step applies to (x, v).
Eigen::Matrix2d step_matrix(Scheme scheme, const Spring& spring, double h);

}  // namespace compliant_stability
