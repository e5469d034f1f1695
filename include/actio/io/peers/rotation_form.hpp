// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The numbers that represent a rotation in different libraries.
#include <cmath>
#include <string_view>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/math/quaternion.hpp"

namespace actio {

/// A quaternion, a rotation vector, or the angles of Rz(yaw) Ry(pitch) Rx(roll), in the order roll, pitch, yaw [rad].
enum class RotationForm { quaternion_xyzw, quaternion_wxyz, rotation_vector, roll_pitch_yaw };

namespace detail {

/// Returns the names of the entries.
inline std::vector<std::string_view> entry_names(RotationForm form) {
  switch (form) {
    case RotationForm::quaternion_xyzw: return {"x", "y", "z", "w"};
    case RotationForm::quaternion_wxyz: return {"w", "x", "y", "z"};
    case RotationForm::rotation_vector: return {"rx", "ry", "rz"};
    case RotationForm::roll_pitch_yaw: break;
  }
  return {"roll", "pitch", "yaw"};
}

/// Returns (roll, pitch, yaw) of R. If roll and yaw rotate about the same axis, yaw is arbitrary and roll is chosen so that they give R.
template <Scalar S>
Vector3<S> roll_pitch_yaw(const Matrix3<S>& R) {
  using elementary::atan2;
  using elementary::cos;
  using elementary::sin;
  const S yaw = atan2(R(1, 0), R(0, 0)), c = cos(yaw), s = sin(yaw);
  return {atan2(S(s * R(0, 2) - c * R(1, 2)), S(c * R(1, 1) - s * R(0, 1))), atan2(S(-R(2, 0)), S(c * R(0, 0) + s * R(1, 0))), yaw};
}

template <Scalar S>
using RotationEntries = Eigen::Matrix<S, Eigen::Dynamic, 1, Eigen::ColMajor, 4, 1>;

/// Returns the entries of a rotation.  @param rotation unit.
template <Scalar S>
RotationEntries<S> to_entries(RotationForm form, const Quaternion<S>& rotation) {
  switch (form) {
    case RotationForm::quaternion_xyzw: return rotation.coeffs();
    case RotationForm::quaternion_wxyz: return quaternion::to_wxyz<S>(rotation);
    case RotationForm::rotation_vector: return quaternion::log<S>(rotation);
    case RotationForm::roll_pitch_yaw: break;
  }
  return roll_pitch_yaw<S>(quaternion::rotation_matrix<S>(rotation));
}

/// @returns a quaternion that is not normalised, if the entries are one.
template <Scalar S>
Quaternion<S> from_entries(RotationForm form, const RotationEntries<S>& x) {
  switch (form) {
    case RotationForm::quaternion_xyzw: return Quaternion<S>(x[3], x[0], x[1], x[2]);
    case RotationForm::quaternion_wxyz: return quaternion::from_wxyz<S>(x);
    case RotationForm::rotation_vector: return quaternion::exp<S>(x);
    case RotationForm::roll_pitch_yaw: break;
  }
  const auto about = [&](int axis) { return quaternion::about<S>(Vector3<S>::Unit(axis), x[axis]); };
  return quaternion::multiply<S>(about(2), quaternion::multiply<S>(about(1), about(0)));
}

}  // namespace detail
}  // namespace actio
