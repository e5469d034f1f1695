// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Spherical (ball) joint: rotation about a point.
#include <array>

#include "actio/model/joint.hpp"

namespace actio {

/// Free rotation about a point (ball joint).
///   q = unit quaternion (x, y, z, w) of R_FM;  v = angular velocity of M in F, in M [rad/s];  S = [1; 0];  q (+) x = q exp(x)
template <Scalar S>
class Spherical {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 4, nv = 3;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "spherical";
  static constexpr std::array<std::string_view, 4> q_names{"x", "y", "z", "w"};
  static constexpr std::array<std::string_view, 3> v_names{"wx", "wy", "wz"};
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q, unit quaternion
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s], x [rad]
  ///@}
  template <Scalar T> Spherical<T> cast() const { return {}; }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Config neutral() const { return Config::UnitW(); }
  bool is_valid(const Config& q) const { return detail::is_unit(q); }
  Pose<S> pose(const Config& q) const { return Pose<S>::rotation(quaternion::rotation_matrix<S>(Eigen::Quaternion<S>(q))); }
  Eigen::Matrix<S, 6, 3> motion_subspace(const Config&) const { return Eigen::Matrix<S, 6, 3>::Identity(); }
  Config integrate(const Config& q, const Tangent& x) const {
    return quaternion::normalized<S>(quaternion::multiply<S>(Eigen::Quaternion<S>(q), quaternion::exp<S>(x))).coeffs();
  }
  Tangent difference(const Config& q0, const Config& q1) const {
    return quaternion::log<S>(quaternion::multiply<S>(Eigen::Quaternion<S>(q0).conjugate(), Eigen::Quaternion<S>(q1)));
  }
  PureRotation<S> increment(const Config&, const Tangent& x) const { return {quaternion::exp<S>(x)}; }
  /// Returns the one of q and -q that is nearer to `near`.
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>&, const Config& near) const {
    return detail::unit_towards<S>(rotation.coeffs(), near);
  }
  Matrix3<S> dlog(const Tangent& x) const { return so3::dlog<S>(x); }
  Matrix3<S> dlog_transpose_derivative(const Tangent& x, const Tangent& y) const { return so3::dlog_transpose_derivative<S>(x, y); }
  ///@}
};

}  // namespace actio
