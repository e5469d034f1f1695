// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A stack of spheres, and a box on the ground, simulated here and by MuJoCo; each is compiled in a separate .cpp file.
#include "support/mujoco.hpp"

namespace compliant_stack {

inline constexpr double gravity = 9.8, radius = 0.5, mass = 1;           // of each sphere
inline constexpr double stiffness = 1e7, damping = 1e3, friction = 0.5;  // of every contact
inline constexpr double h = 2e-3;                                        // [s]

/// The bodies on the ground.
struct Scene {
  int spheres = 0;  ///< none: a cube of 1 kg and 0.2 m
  int bodies() const { return spheres > 0 ? spheres : 1; }
};

/// The paper's run: spheres in mid-air, evenly spaced, that fall for 500 steps of 10 ms. Its modulus and damping are missing in our
/// copy of the text, its gaps are not given: those of the stack at rest are used except for the stiffness, and gaps of a tenth of a radius.
struct Drop {
  int spheres = 1;
  double stiffness = 1e9, damping = 1e3, gap = 0.05;  ///< [N/m], [N s/m], [m]
  int steps = 500;
  double h = 1e-2;  ///< [s]
};

struct Fallen {
  int steps = 0;               ///< that succeeded: all of them, or those before the first failure
  int relaxed = 0;             ///< of them with the convex law
  double seconds = 0;          ///< of processor time, the whole run
  double speed = 0;            ///< at the end [m/s, rad/s]
  double force_error = 0;      ///< as in Run, at the end
  double sideways = 0;         ///< largest distance of a centre from the axis at the end [m]
  double highest = 0;          ///< height of the highest centre at the end, relative to a stack without weight
  double factorizations = 0;   ///< a step
  bool stands(int spheres) const { return sideways < 0.5 * radius && highest > 0.999 && highest < 1.001 && spheres > 0; }
};

struct Run {
  bool complete = false;
  double seconds = 0;         ///< of processor time, a step: the least mean of 20 steps
  double sink = 0;            ///< of the lowest body into the ground [m]
  double speed = 0;           ///< at the end [m/s, rad/s]
  double force_error = 0;     ///< largest, relative to the weight above the contact
  double factorizations = 0;  ///< a step
  int contacts = 0;           ///< at the end
};

/// Returns the depth that follows from the contacts' stiffness in N/m.
double predicted_sink(const Scene& scene);

/// Runs the compliant step, from rest.  @param slices number of timed slices of 20 steps.
Run ours(const Scene& scene, int slices);

/// Runs the compliant step from mid-air.
Fallen drop_ours(const Drop& drop);

/// MuJoCo with its defaults except for the step, from touching, after a tenth of a second: stacks of twenty and more fall within a second.
Fallen drop_mujoco(const experiments::Mujoco& mujoco, const Drop& drop);
Run run_mujoco(const experiments::Mujoco& mujoco, const Scene& scene, int slices);

}  // namespace compliant_stack
