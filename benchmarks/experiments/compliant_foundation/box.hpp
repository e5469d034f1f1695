// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A box on its elastic foundation, run by the compliant step, by the published program, by CVODE and by an explicit adaptive integrator.
#include <Eigen/Core>

#include <functional>
#include <vector>

namespace compliant_foundation {

/// A cube of 1 m and 98 N on a layer 1 m deep, loaded on a corner of its top. There is no friction and no sideways force.
///                                                                                                      [compliant_math.md, section 4.6]
struct Box {
  static constexpr double side = 1, mass = 10, gravity = 9.8, thickness = 1;
  int edge = 10;         ///< elements along each edge
  double load = 5;       ///< [N]
  double young = 2e11;   ///< [Pa]
  double damping = 100;  ///< of each element [N s/m]

  int elements() const { return edge * edge; }
  double stiffness() const { return young * side * side / thickness / elements(); }  ///< of each element [N/m]
  double center(int k) const { return (k + 0.5) / edge * side - side / 2; }          ///< of elements along an edge [m]
  double weight() const { return mass * gravity + load; }
  double depth() const { return weight() / (stiffness() * elements()); }             ///< of the centre at rest, all elements in contact [m]
};

/// Position of the centre relative to full extension [m], and a quaternion (x, y, z, w).
using Coordinates = Eigen::Matrix<double, 7, 1>;
/// Coordinates, velocity of the centre [m/s] and angular velocity [rad/s], both in the world.
using BoxState = Eigen::Matrix<double, 13, 1>;

/// Returns the state at rest at full extension.
inline BoxState start() { return BoxState::Unit(6); }
inline double tilt(const Coordinates& q) { return 2 * q.segment<2>(3).norm(); }  ///< of the bottom, for small angles [rad]

/// The box on its springs and dampers as an ordinary differential equation.
class Equation {
 public:
  explicit Equation(const Box& box);
  /// @param y, rate BoxState::SizeAtCompileTime numbers each.
  void operator()(const double* y, double* rate) const;

 private:
  Box box_;
  std::vector<double> centers_;
};

/// The result of a run from rest at full extension.
struct Run {
  bool complete = false;
  double seconds = 0;  ///< of processor time
  double steps = 0, updates = 0, factorizations = 0;
  Coordinates q = start().head<7>();  ///< at the end
  double speed = 0;                   ///< at the end [m/s, rad/s]
  double highest = 0;                 ///< of the centre above full extension, at any node [m]
  std::vector<double> pressure;       ///< at the end, of each element, along x first [Pa]
};

struct Settings {
  double h = 1e-3;            ///< [s]
  double duration = 1;        ///< [s]
  int repetitions = 1;        ///< the shortest time counts
  bool three_joints = false;  ///< heave, pitch and roll instead of a free joint
};

Run compliant(const Box& box, const Settings& settings);
/// Runs the quadratic program as published: O(elements^3) an iteration.
Run published(const Box& box, const Settings& settings);

/// Tolerances of an integrator with error control. For each component the larger of the two applies.
struct Tolerances {
  double relative = 1e-3;
  BoxState absolute = BoxState::Constant(1e-6);
};
/// Returns tolerances that are this fraction of the box's depth at rest and of its speed of oscillation.
Tolerances tight(const Box& box, double part);

/// The explicit method of Dormand and Prince, which MATLAB's ode45 uses.  @param observe (time, state) at each accepted node; optional.
Run dormand_prince(const Box& box, const Tolerances& tolerances, double duration,
                   const std::function<void(double, const BoxState&)>& observe = {});

bool has_cvode();
/// BDF with dense Newton.  @param order at most.  @param longest step [s].
Run cvode(const Box& box, const Tolerances& tolerances, int order, double longest, int repetitions);

/// Returns the rest position, for small angles: Newton's method on the balance of forces.
Coordinates rest(const Box& box);
/// Returns the pressures at a configuration.
std::vector<double> pressure_at(const Box& box, const Coordinates& q);

}  // namespace compliant_foundation
