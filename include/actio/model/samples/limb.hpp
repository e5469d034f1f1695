// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parts of the legged models: capsules between two points, motors and joint ranges.
#include <string>

#include "actio/model/builder.hpp"

namespace actio::models::detail {

template <Scalar S>
S number(double x) {
  return S(static_cast<ValueOf<S>>(x));
}

template <Scalar S>
Vector3<S> point(double x, double y, double z) {
  return {number<S>(x), number<S>(y), number<S>(z)};
}

template <Scalar S>
Pose<S> shifted(double x, double y, double z) {
  return Pose<S>::translation(point<S>(x, y, z));
}

/// Returns the pose midway between two points, with z towards the second.
template <Scalar S>
Pose<S> between(const Vector3<S>& from, const Vector3<S>& to) {
  const Vector3<S> z = (to - from).normalized();
  Eigen::Index least = 0;
  z.cwiseAbs().minCoeff(&least);
  const Vector3<S> x = Vector3<S>::Unit(least).cross(z).normalized();
  Matrix3<S> R;
  R << x, z.cross(x), z;
  return {R, (from + to) / S(2)};
}

/// Adds a link that is one uniform capsule between two points of its frame, with a collision shape of the same name.
template <Scalar S>
void add_capsule(ModelBuilder<S>& builder, const std::string& link, double mass, double radius, const Vector3<S>& from,
                 const Vector3<S>& to) {
  const S r = number<S>(radius), length = (to - from).norm();
  const Pose<S> at = between<S>(from, to);
  builder.add_body(link, Inertia<S>::capsule(number<S>(mass), r, length).seen_from_parent(at));
  builder.add_shape({.name = link, .T_BS = at, .geometry = Capsule<S>{r, length}}, link);
}

/// Return the properties of a motor: the inertia of its rotor, which only flat joints can have, and limits, recorded but not enforced.
template <Scalar S>
JointProperties<S> motor(double armature, double effort) {
  return {.armature = number<S>(armature), .velocity_limit = number<S>(20), .effort_limit = number<S>(effort)};
}
template <Scalar S>
JointProperties<S> motor(double armature, double effort, std::initializer_list<S> lower, std::initializer_list<S> upper) {
  JointProperties<S> properties = motor<S>(armature, effort);
  properties.lower = lower;
  properties.upper = upper;
  return properties;
}

}  // namespace actio::models::detail
