// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Conversions of the rotations in robot files.
#include <cmath>
#include <string_view>

#include "actio/core/elementary.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/so3.hpp"

namespace actio::detail {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double one_degree = pi / 180;

/// Returns the multiple of pi / 4 that an angle equals to all of its digits, at least four decimals; else the angle itself.
/// @param text from which the angle was read, such as "1.5708".
inline double eighth_of_a_turn(std::string_view text, double angle) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.find_first_of("eE") != std::string_view::npos) return angle;
  const std::size_t decimals = text.size() - point - 1;
  const double nearest = std::round(angle / (pi / 4)) * (pi / 4);
  return decimals >= 4 && std::abs(angle - nearest) <= 0.5000001 * elementary::pow(10.0, -static_cast<double>(decimals)) ? nearest : angle;
}

/// Returns the rotation of roll, pitch and yaw about fixed x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll).
inline Matrix3<double> rotation_from_rpy(const Vector3<double>& rpy) {
  const auto about = [](const Vector3<double>& axis, double angle) { return so3::rotation<double>(axis, angle); };
  return about(Vector3<double>::UnitZ(), rpy[2]) * about(Vector3<double>::UnitY(), rpy[1]) * about(Vector3<double>::UnitX(), rpy[0]);
}

/// Returns the rotation of a quaternion of any nonzero length.
inline Matrix3<double> rotation_from_quaternion(double x, double y, double z, double w) {
  const Vector4<double> q(x, y, z, w);
  const Vector4<double> unit = q / q.norm();
  return quaternion::rotation_matrix(Quaternion<double>(unit[3], unit[0], unit[1], unit[2]));
}

/// Returns the shortest rotation that takes z to the unit vector n; for -z half a revolution about x.
inline Matrix3<double> shortest_turn_from_z(const Vector3<double>& n) {
  const Vector3<double> across(-n[1], n[0], 0);  // z x n
  const double sine = across.norm();
  if (sine < 1e-12) return Vector3<double>(1, n[2] < 0 ? -1 : 1, n[2] < 0 ? -1 : 1).asDiagonal();
  return so3::rotation<double>(across / sine, elementary::atan2(sine, n[2]));
}

}  // namespace actio::detail
