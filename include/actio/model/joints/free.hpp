// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free joint: all six degrees of freedom of a rigid body.
#include <array>

#include "actio/math/se3.hpp"
#include "actio/model/joint.hpp"

namespace actio {

/// All six degrees of freedom (floating base).
///   q = (p_FM in F [m], unit quaternion (x, y, z, w) of R_FM);  v = (w, v) of M in F, in M [rad/s, m/s];  S = 1;
///   q (+) x = T_FM exp(x) in SE(3)
template <Scalar S>
class Free {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 7, nv = 6;
  static constexpr bool constant_subspace = true;
  static constexpr std::string_view type = "free";
  static constexpr std::array<std::string_view, 7> q_names{"px", "py", "pz", "x", "y", "z", "w"};
  static constexpr std::array<std::string_view, 6> v_names{"wx", "wy", "wz", "vx", "vy", "vz"};
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (p [m], quaternion)
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s, m/s], x [rad, m]
  ///@}
  template <Scalar T> Free<T> cast() const { return {}; }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Config neutral() const { return Config::Unit(6); }
  bool is_valid(const Config& q) const {
    return detail::is_unit(Vector4<S>(q.template tail<4>()));
  }
  Pose<S> pose(const Config& q) const { return {quaternion::rotation_matrix<S>(rotation(q)), q.template head<3>()}; }
  Matrix6<S> motion_subspace(const Config&) const { return Matrix6<S>::Identity(); }
  Config integrate(const Config& q, const Tangent& x) const {
    const Displacement<S> E = Displacement<S>::exp(x);
    Config moved;
    moved << q.template head<3>() + quaternion::rotation_matrix<S>(rotation(q)) * E.d,
        quaternion::normalized<S>(quaternion::multiply<S>(rotation(q), E.dQ)).coeffs();
    return moved;
  }
  Tangent difference(const Config& q0, const Config& q1) const {
    return Displacement<S>{quaternion::multiply<S>(rotation(q0).conjugate(), rotation(q1)),
                           quaternion::rotation_matrix<S>(rotation(q0)).transpose() * (q1.template head<3>() - q0.template head<3>())}
        .log();
  }
  Displacement<S> increment(const Config&, const Tangent& x) const { return Displacement<S>::exp(x); }
  /// Returns (0, -w x v).
  Tangent fixed_rate(const Tangent& v) const {
    const Vector3<S> w = v.template head<3>();
    return spatial<S>(Vector3<S>::Zero(), Vector3<S>(-w.cross(v.template tail<3>())));
  }
  /// Returns v, both parts rotated by exp(x_w)^T.
  Tangent transported(const Tangent& v, const Tangent& x) const {
    const Matrix3<S> R = quaternion::rotation_matrix<S>(quaternion::exp<S>(x.template head<3>()));
    return spatial<S>(R.transpose() * v.template head<3>(), R.transpose() * v.template tail<3>());
  }
  /// Returns (p + R x_v, R exp(x_w)), x = (x_w, x_v).
  Config straight(const Config& q, const Tangent& x) const {
    Config moved;
    moved << q.template head<3>() + quaternion::rotation_matrix<S>(rotation(q)) * x.template tail<3>(),
        quaternion::normalized<S>(quaternion::multiply<S>(rotation(q), quaternion::exp<S>(x.template head<3>()))).coeffs();
    return moved;
  }
  /// Returns q with the one of the two quaternions that is nearer to that of `near`.
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>& translation, const Config& near) const {
    Config q;
    q << translation, detail::unit_towards<S>(rotation.coeffs(), near.template tail<4>());
    return q;
  }
  Matrix6<S> dlog(const Tangent& x) const { return se3::dlog<S>(x); }
  Matrix6<S> dlog_transpose_derivative(const Tangent& x, const Tangent& y) const { return se3::dlog_transpose_derivative<S>(x, y); }
  ///@}

 private:
  static Eigen::Quaternion<S> rotation(const Config& q) { return Eigen::Quaternion<S>(q[6], q[3], q[4], q[5]); }
};

}  // namespace actio
