// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The box on its elastic foundation, run by us and by CVODE; each compiles in a .cpp of its own.
#include <Eigen/Core>

#include <vector>

namespace compliant_foundation {

/// A cube of 1 m and 98 N on a layer 1 m deep, loaded on a corner of its top. It heaves, rolls and pitches; without friction nothing moves it
/// otherwise.                                                                                           [compliant_math.md, section 4.6]
struct Box {
  static constexpr double side = 1, mass = 10, gravity = 9.8, thickness = 1, damping = 100;  ///< the last of each element [N s/m]
  int edge = 10;        ///< elements along each edge
  double load = 5;      ///< [N]
  double young = 2e11;  ///< [Pa]

  int elements() const { return edge * edge; }
  double stiffness() const { return young * side * side / thickness / elements(); }  ///< of each element [N/m]
  double center(int k) const { return (k + 0.5) / edge * side - side / 2; }          ///< of elements along an edge [m]
  double weight() const { return mass * gravity + load; }
};

/// One run of a second from rest at full extension.
struct Run {
  bool complete = false;
  double seconds = 0;              ///< of processor
  double steps = 0, solves = 0, factorizations = 0;
  Eigen::Vector3d q;               ///< at the end: how high the centre is over full extension [m], roll and pitch [rad]
  double speed = 0;                ///< at the end [m/s, rad/s]
  std::vector<double> pressure;    ///< at the end, of each element, along x first [Pa]
};

/// The compliant step.  @param h [s]  @param repetitions the shortest time counts.
Run ours(const Box& box, double h, int repetitions);

/// BDF with dense Newton.  @param relative, absolute tolerances, the latter of [m, rad] and [m/s, rad/s].
bool has_cvode();
Run cvode(const Box& box, double relative, double absolute, int repetitions);

/// Where the box comes to rest, for small angles: Newton's iteration on the balance of forces.
Eigen::Vector3d rest(const Box& box);
/// The pressures there.
std::vector<double> pressure_at(const Box& box, const Eigen::Vector3d& q);

}  // namespace compliant_foundation
