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

/// The paper's run: spheres that hang in mid-air, evenly apart, and fall for 500 steps of 10 ms. Its modulus and its damping are lost in our text, its
/// gaps are not given: those of the stack at rest are taken but for the stiffness, and gaps of a tenth of a radius.
struct Drop {
  int spheres = 1;
  double stiffness = 1e9, damping = 1e3, gap = 0.05;  ///< [N/m], [N s/m], [m]
  int steps = 500;
  double h = 1e-2;  ///< [s]
};

struct Fallen {
  int steps = 0;               ///< that went well, all of them or until the first that failed
  int relaxed = 0;             ///< of them by the convex law
  double seconds = 0;          ///< of processor, the whole run
  double speed = 0;            ///< left at the end [m/s, rad/s]
  double force_error = 0;      ///< as of Run, at the end
  double sideways = 0;         ///< of a centre from the axis at the end [m]
  double highest = 0;          ///< centre at the end, over its height in a stack without weight
  double factorizations = 0;   ///< a step
  bool stands(int spheres) const { return sideways < 0.5 * radius && highest > 0.999 && highest < 1.001 && spheres > 0; }
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

/// The compliant step from mid-air.
Fallen drop_ours(const Drop& drop);

/// With its defaults but for the step, from touching, after a tenth of a second: stacks of twenty and more fall over within the first.
bool has_mujoco();
Fallen drop_mujoco(const Drop& drop);
Run mujoco(const Scene& scene, int slices);

}  // namespace compliant_stack
