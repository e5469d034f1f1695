// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Revolute joint: rotation about one axis.
#include "actio/model/joint.hpp"

namespace actio {

/// Rotation about a fixed axis a, the same in the joint frames F (on the parent) and M (on the child).
///   T_FM(q) = exp([a] q),  V_FM = S v,  S = (a, 0)             [Featherstone 2008, sec. 4.4];  q rad, v rad/s
/// Continuous joints are revolute joints without limits: one angle, never wrapped.
template <Scalar S>
class Revolute {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "revolute";
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (angle [rad])
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s], x [rad]
  ///@}

  /// @param axis in F, any length above 1e-10.  @throws ModelError when it is shorter or not finite.
  explicit Revolute(const Vector3<S>& axis) : axis_(detail::unit_axis(axis, type)) {}
  template <Scalar T> Revolute<T> cast() const { return Revolute<T>(axis_.template cast<T>()); }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return Pose<S>::rotation(so3::rotation<S>(axis_, q[0])); }
  Mount<S> mount(const Pose<S>& T_PF) const { return {T_PF, axis_}; }
  template <class Subspace>
  ACTIO_INLINE void place(const Mount<S>& mount, const Config& q, Pose<S>& T, const Subspace&) const {
    detail::store<S>(T, {mount.turned(q[0]), mount.T.p});
  }
  Vector6<S> motion_subspace(const Config&) const { return spatial<S>(axis_, Vector3<S>::Zero()); }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
  PureRotation<S> increment(const Config&, const Tangent& x) const { return {quaternion::about<S>(axis_, x[0])}; }
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>&, const Config& near) const {
    return Config(quaternion::angle_about<S>(axis_, rotation, near[0]));
  }
  ///@}

  const Vector3<S>& axis() const { return axis_; }  ///< a in F and M, unit

 private:
  Vector3<S> axis_;
};

}  // namespace actio
