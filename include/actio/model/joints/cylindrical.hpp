// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cylindrical joint: rotation about and translation along one axis.
#include <array>

#include "actio/model/joint.hpp"

namespace actio {

/// Rotation about and, independently, translation along one fixed axis a, the same in F and M.
///   T_FM(q) = (exp([a] q0), a q1),  S = [(a, 0), (0, a)];  q (rad, m), v their rates
template <Scalar S>
class Cylindrical {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 2, nv = 2;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "cylindrical";
  static constexpr std::array<std::string_view, 2> q_names{"angle", "length"}, v_names{"angle", "length"};
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (angle [rad], length [m])
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s, m/s], x [rad, m]
  ///@}

  /// @param axis in F, any length above 1e-10.  @throws ModelError when it is shorter or not finite.
  explicit Cylindrical(const Vector3<S>& axis) : axis_(detail::unit_axis(axis, type)) {}
  template <Scalar T> Cylindrical<T> cast() const { return Cylindrical<T>(axis_.template cast<T>()); }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return {so3::rotation<S>(axis_, q[0]), axis_ * q[1]}; }
  Mount<S> mount(const Pose<S>& T_PF) const { return {T_PF, axis_}; }
  template <class Subspace>
  ACTIO_INLINE void place(const Mount<S>& mount, const Config& q, Pose<S>& T, const Subspace&) const {
    detail::store<S>(T, {mount.turned(q[0]), mount.T * Vector3<S>(axis_ * q[1])});
  }
  Eigen::Matrix<S, 6, 2> motion_subspace(const Config&) const {
    Eigen::Matrix<S, 6, 2> subspace;
    subspace << axis_, Vector3<S>::Zero(), Vector3<S>::Zero(), axis_;
    return subspace;
  }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
  Displacement<S> increment(const Config&, const Tangent& x) const { return {quaternion::about<S>(axis_, x[0]), axis_ * x[1]}; }
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>& translation, const Config& near) const {
    return Config(quaternion::angle_about<S>(axis_, rotation, near[0]), axis_.dot(translation));
  }
  ///@}

  const Vector3<S>& axis() const { return axis_; }  ///< a in F and M, unit

 private:
  Vector3<S> axis_;
};

}  // namespace actio
