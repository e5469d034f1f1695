// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Spheres that stand one on the other, and a box on the ground, run by us and by MuJoCo; each compiles in a .cpp of its own.

namespace compliant_stack {

inline constexpr double gravity = 9.8, radius = 0.5, mass = 1;           // of each sphere
inline constexpr double stiffness = 1e7, damping = 1e3, friction = 0.5;  // of every contact
inline constexpr double h = 2e-3;                                        // [s]

/// What stands on the ground.
struct Scene {
  int spheres = 0;  ///< none: a cube of 1 kg and 0.2 m
  int bodies() const { return spheres > 0 ? spheres : 1; }
};

struct Run {
  bool complete = false;
  double seconds = 0;         ///< of processor, a step: the least mean of 20 steps
  double sink = 0;            ///< of the lowest body into the ground [m]
  double speed = 0;           ///< that is left at the end [m/s, rad/s]
  double force_error = 0;     ///< largest, relative to the weight above the contact
  double factorizations = 0;  ///< a step
  int contacts = 0;           ///< at the end
};

/// As deep as the contacts' stiffness in N/m says.
double predicted_sink(const Scene& scene);

/// The compliant step, from rest.  @param slices of 20 steps that are timed.
Run ours(const Scene& scene, int slices);

/// With its defaults but for the step, from touching, after a tenth of a second: stacks of twenty and more fall over within the first.
bool has_mujoco();
Run mujoco(const Scene& scene, int slices);

}  // namespace compliant_stack
