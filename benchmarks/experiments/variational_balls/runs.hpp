// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Elastic balls without friction, simulated here and by MuJoCo: scenes of SimBenchmark.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace variational_balls {

inline constexpr double radius = 0.1, mass = 10, g = 9.81;  // [m], [kg], [m/s^2]

/// Balls that fall on the ground.
struct Scene {
  std::string name;
  std::vector<std::array<double, 3>> centres;  ///< where they begin at rest [m]
  double h, duration;                          ///< [s]
};

/// Who makes the steps.
enum class Contestant { located, in_place, mujoco };
inline const char* name(Contestant contestant) {
  constexpr const char* names[]{"variational, located", "variational, in place", "MuJoCo, springs"};
  return names[static_cast<int>(contestant)];
}

struct Run {
  double start = 0;            ///< energy [J]
  std::vector<double> energy;  ///< after each step [J]
  double seconds = 0;          ///< of processor time, the steps alone
  std::int64_t impacts = 0, relaxed = 0, guarded = 0;  ///< impacts; steps in which their law was relaxed, and of these reduced or plastic
};
/// @returns nothing if a step failed.
std::optional<Run> run(Contestant contestant, const Scene& scene);

/// In mujoco.cpp; returns nothing without it.
std::optional<Run> run_mujoco(const Scene& scene);
bool has_mujoco();
std::string mujoco_version();

}  // namespace variational_balls
