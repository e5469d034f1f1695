// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Helical joint: screw motion about and along one axis.
#include "actio/model/joint.hpp"

namespace actio {

/// Screw motion about and along a fixed axis a with pitch r, the same axis in F and M.
///   T_FM(q) = (exp([a] q), a r q),  S = (a, r a)              [Featherstone 2008, table 4.1];  q rad, v rad/s, r m/rad
template <Scalar S>
class Helical {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "helical";
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (angle [rad])
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s], x [rad]
  ///@}

  /// @param axis in F, any length above 1e-10.  @param pitch [m/rad].  @throws ModelError when the axis is shorter or a number not finite.
  Helical(const Vector3<S>& axis, S pitch) : axis_(detail::unit_axis(axis, type)), pitch_(pitch) {
    if (!all(is_finite(pitch))) throw ModelError("helical: pitch is " + detail::to_text(pitch) + " m/rad, expected a finite number");
  }
  template <Scalar T> Helical<T> cast() const { return {axis_.template cast<T>(), T(pitch_)}; }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return {so3::rotation<S>(axis_, q[0]), axis_ * (pitch_ * q[0])}; }
  Mount<S> mount(const Pose<S>& T_PF) const { return {T_PF, axis_}; }
  template <class Subspace>
  ACTIO_INLINE void place(const Mount<S>& mount, const Config& q, Pose<S>& T, const Subspace&) const {
    detail::store<S>(T, {mount.turned(q[0]), mount.T * Vector3<S>(axis_ * (pitch_ * q[0]))});
  }
  Vector6<S> motion_subspace(const Config&) const { return spatial<S>(axis_, pitch_ * axis_); }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
  Displacement<S> increment(const Config&, const Tangent& x) const { return {quaternion::about<S>(axis_, x[0]), axis_ * (pitch_ * x[0])}; }
  /// Uses the rotation only, because the pitch may be zero.
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>&, const Config& near) const {
    return Config(quaternion::angle_about<S>(axis_, rotation, near[0]));
  }
  ///@}

  const Vector3<S>& axis() const { return axis_; }  ///< a in F and M, unit
  S pitch() const { return pitch_; }                ///< r [m/rad]

 private:
  Vector3<S> axis_;
  S pitch_;
};

}  // namespace actio
