// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Falls on rigid ground by the variational step.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

namespace variational_falls {

/// What falls: eight links on hinges, 13 bodies, 16 bodies.
enum class Faller { chain, quadruped, humanoid };
inline const char* name(Faller faller) {
  constexpr const char* names[]{"chain", "quadruped", "humanoid"};
  return names[static_cast<int>(faller)];
}

struct Fall {
  Faller faller;
  double h;            ///< [s]
  double restitution;  ///< of all contacts
  double time;         ///< [s]
};

/// What happened in all falls of a kind.
struct Tally {
  int falls = 0, steps = 0;
  int failed = 0;             ///< steps; a fall ends there
  int halved = 0;             ///< steps in shorter parts
  int convex = 0;             ///< steps with contact forces of the convex law
  int guarded = 0;            ///< steps with an impact that would have gained energy, or that are plastic
  int impacts = 0;            ///< with restitution
  double certificate = 0;     ///< largest error of the law of Coulomb in steps that do not relax it: ConeCertificate::worst()
  double least = std::numeric_limits<double>::infinity(), most = 0;  ///< the same in those that do
  double iterations = 0;      ///< mean over all steps
  double deepest = 0;         ///< lowest gap at the end of a step, at most 0 [m]
  double rise = 0;            ///< largest rise of the energy in a step, relative to that at the start above the ground
  std::string failure;        ///< of the first fall that failed: its seed, the time and the reason
};
/// Lets bodies fall from random states.  @param first seed; the others follow.
Tally fall(const Fall& kind, int falls, std::uint64_t first);

/// What became of a robot.
struct Rest {
  std::string refused;       ///< why the robot cannot fall; empty if it can
  int bodies = 0, shapes = 0;
  int steps = 0, halved = 0, convex = 0;
  std::string failure;       ///< of the first step that failed; empty if there is none
  double speed = 0;          ///< largest speed of a centre of mass at the end [m/s]
  double rotation = 0;       ///< angular speed of that body [rad/s]
  std::string fastest;       ///< its name
  double base = 0;           ///< speed of the first body's centre of mass [m/s]
};
/// Drops a robot of a file from 0.1 m, freed from the world, with dampers of 0.5 N m s/rad in its joints.  @param h, time [s].
Rest rest(const std::filesystem::path& file, double h, double time);

}  // namespace variational_falls
