// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prismatic joint: translation along one axis.
#include "actio/model/joint.hpp"

namespace actio {

/// Translation along a fixed axis a, the same in F and M.
///   T_FM(q) = (1, a q),  S = (0, a);  q m, v m/s
template <Scalar S>
class Prismatic {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "prismatic";
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (length [m])
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [m/s], x [m]
  ///@}

  /// @param axis in F, any length above 1e-10.  @throws ModelError when it is shorter or not finite.
  explicit Prismatic(const Vector3<S>& axis) : axis_(detail::unit_axis(axis, type)) {}
  template <Scalar T> Prismatic<T> cast() const { return Prismatic<T>(axis_.template cast<T>()); }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return Pose<S>::translation(axis_ * q[0]); }
  template <class Subspace>
  ACTIO_INLINE void place(const Mount<S>& mount, const Config& q, Pose<S>& T, const Subspace&) const {
    detail::store<S>(T, {mount.T.R, mount.T * Vector3<S>(axis_ * q[0])});
  }
  Vector6<S> motion_subspace(const Config&) const { return spatial<S>(Vector3<S>::Zero(), axis_); }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
  PureTranslation<S> increment(const Config&, const Tangent& x) const { return {axis_ * x[0]}; }
  Config coordinate(const Quaternion<S>&, const Vector3<S>& translation, const Config&) const { return Config(axis_.dot(translation)); }
  ///@}

  const Vector3<S>& axis() const { return axis_; }  ///< a in F and M, unit

 private:
  Vector3<S> axis_;
};

}  // namespace actio
