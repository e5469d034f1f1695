// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forces at points of bodies: springs and dampers between two points, and constant forces.
#include <string>

#include "actio/math/pose.hpp"
#include "actio/model/checks.hpp"

namespace actio {

/// A spring and damper along the line between two points of two bodies. With the distance l of the points they are pulled together by
///   f = k (l - length) + c dl/dt;    with `tension_only`  f = max(0, that) where l > length, otherwise 0
template <Scalar S>
struct PointSpring {
  std::string name{};                           ///< for messages
  BodyIndex body_a = 0,                         ///< the body of point a, 0 for the world
      body_b = 0;                               ///< the body of point b, 0 for the world
  Vector3<S> point_a = Vector3<S>::Zero(),      ///< in the frame of body a [m]
      point_b = Vector3<S>::Zero();             ///< in the frame of body b [m]
  S stiffness{},                                ///< k >= 0 [N/m]
      damping{},                                ///< c >= 0; one of both > 0 [N s/m]
      length{};                                 ///< where the spring is slack, >= 0 [m]
  bool tension_only = false;                    ///< whether it is a rope, which does not push
  friend bool operator==(const PointSpring&, const PointSpring&) = default;  ///< whether all entries are equal
};

/// A constant force at a point of a body.
template <Scalar S>
struct PointForce {
  std::string name{};                       ///< for messages
  BodyIndex body = 0;                       ///< the body that it acts on, not 0
  Vector3<S> point = Vector3<S>::Zero(),    ///< in the frame of the body [m]
      force = Vector3<S>::Zero();           ///< in the world [N]
  friend bool operator==(const PointForce&, const PointForce&) = default;  ///< whether all entries are equal
};

namespace detail {
/// Return a spring or force in words, for messages: "spring 'rope'", "force 'thrust'".
template <Scalar S>
std::string title(const PointSpring<S>& spring) {
  return "spring '" + spring.name + "'";
}
template <Scalar S>
std::string title(const PointForce<S>& force) {
  return "force '" + force.name + "'";
}
///@{
/// Return what is wrong with the numbers of a spring or force, such as "stiffness -1 N/m, expected a finite number >= 0", or nothing.
template <Scalar S>
std::string why_not_sound(const PointSpring<S>& spring) {
  const auto text = [](const char* what, const S& value, const char* unit) {
    return concat({what, " ", to_text(value_of(value)), " ", unit, ", expected a finite number >= 0"});
  };
  const auto is_sound = [](const S& value) { return is_in_range(value_of(value), false, false); };
  if (!all_finite(spring.point_a) || !all_finite(spring.point_b)) return "a point is not finite";
  if (!is_sound(spring.stiffness)) return text("stiffness", spring.stiffness, "N/m");
  if (!is_sound(spring.damping)) return text("damping", spring.damping, "N s/m");
  if (!is_sound(spring.length)) return text("length", spring.length, "m");
  if (!(value_of(spring.stiffness) > 0 || value_of(spring.damping) > 0)) return "stiffness and damping are zero, expected one that is > 0";
  return {};
}
template <Scalar S>
std::string why_not_sound(const PointForce<S>& force) {
  if (!all_finite(force.point)) return "the point is not finite";
  return all_finite(force.force) ? "" : "the force is not finite";
}
///@}
}  // namespace detail

}  // namespace actio
