// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Elastic balls without friction, simulated here and by MuJoCo: scenes of SimBenchmark.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/mujoco.hpp"

namespace variational_balls {

inline constexpr double radius = 0.1, mass = 10, g = 9.81;  // [m], [kg], [m/s^2]

/// Balls that fall on the ground.
struct Scene {
  std::string name;
  std::vector<std::array<double, 3>> centres;  ///< where they begin at rest [m]
  double h, duration;                          ///< [s]
};

/// Who makes the steps.
struct Contestant {
  enum Kind { located, in_place, mujoco } kind;
  const experiments::Mujoco* version = nullptr;  ///< of MuJoCo
};
inline std::string name(const Contestant& contestant) {
  if (contestant.kind == Contestant::mujoco) return contestant.version->name() + ", springs";
  return contestant.kind == Contestant::located ? "variational, located" : "variational, in place";
}

struct Run {
  double start = 0;            ///< energy [J]
  std::vector<double> energy;  ///< after each step [J]
  double seconds = 0;          ///< of processor time, the steps alone
  std::int64_t impacts = 0, relaxed = 0, guarded = 0;  ///< impacts; steps in which their law was relaxed, and of these reduced or plastic
};
/// @returns nothing if a step failed.
std::optional<Run> run(const Contestant& contestant, const Scene& scene);

std::optional<Run> run_mujoco(const experiments::Mujoco& mujoco, const Scene& scene);

}  // namespace variational_balls
