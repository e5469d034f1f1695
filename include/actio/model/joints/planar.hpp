// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Planar joint: translation in a plane and rotation about its normal.
#include <array>

#include "actio/core/elementary.hpp"
#include "actio/math/se3.hpp"
#include "actio/math/series.hpp"
#include "actio/model/joint.hpp"

namespace actio {

/// Motion in the x-y plane of F: a rigid motion of SE(2).
///   q = (x, y, theta): position of M in F and angle about z [m, rad];  v = (vx, vy, wz) of M in F, in M (as in Pinocchio);
///   q (+) x = q exp(x) in SE(2);  S = [e4 e5 e3]
template <Scalar S>
class Planar {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 3, nv = 3;
  static constexpr bool flat = false, constant_subspace = true;
  static constexpr std::string_view type = "planar";
  static constexpr std::array<std::string_view, 3> q_names{"x", "y", "theta"}, v_names{"vx", "vy", "wz"};
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (x, y [m], theta [rad])
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v = (vx, vy [m/s], wz [rad/s]), x [m, m, rad]
  ///@}
  template <Scalar T> Planar<T> cast() const { return {}; }  ///< the same joint, in the scalar T

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return {so3::rotation<S>(Vector3<S>::UnitZ(), q[2]), Vector3<S>(q[0], q[1], S(0))}; }
  Eigen::Matrix<S, 6, 3> motion_subspace(const Config&) const {
    Eigen::Matrix<S, 6, 3> subspace = Eigen::Matrix<S, 6, 3>::Zero();
    subspace(3, 0) = subspace(4, 1) = subspace(2, 2) = S(1);
    return subspace;
  }
  Config integrate(const Config& q, const Tangent& x) const {
    using elementary::sin_cos;
    const Vector2<S> d = displacement(x);
    const auto [s, c] = sin_cos(q[2]);
    return Config(q[0] + c * d[0] - s * d[1], q[1] + s * d[0] + c * d[1], q[2] + x[2]);
  }
  /// The angle of the difference is q1[2] - q0[2], not wrapped: revolutions are counted. At one or more whole revolutions the translation
  /// must be zero, because a steady motion then ends where it began; otherwise the result is not finite, and close by it is large.
  Tangent difference(const Config& q0, const Config& q1) const {
    using elementary::sin_cos;
    const auto [s, c] = sin_cos(q0[2]);
    const S t = q1[2] - q0[2], dx = q1[0] - q0[0], dy = q1[1] - q0[1];
    const auto [alpha, beta] = translation(t);
    const S u = c * dx + s * dy, w = c * dy - s * dx, determinant = alpha * alpha + beta * beta;
    return Tangent((alpha * u + beta * w) / determinant, (alpha * w - beta * u) / determinant, t);
  }
  Displacement<S> increment(const Config&, const Tangent& x) const {
    const Vector2<S> d = displacement(x);
    return {quaternion::about<S>(Vector3<S>::UnitZ(), x[2]), Vector3<S>(d[0], d[1], S(0))};
  }
  Tangent fixed_rate(const Tangent& v) const { return Tangent(v[2] * v[1], -v[2] * v[0], S(0)); }  ///< (wz vy, -wz vx, 0)
  /// Returns v with (vx, vy) rotated by -x2.
  Tangent transported(const Tangent& v, const Tangent& x) const {
    using elementary::sin_cos;
    const auto [s, c] = sin_cos(x[2]);
    return Tangent(c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]);
  }
  /// Returns ((x, y) + R(theta) (x0, x1), theta + x2).
  Config straight(const Config& q, const Tangent& x) const {
    using elementary::sin_cos;
    const auto [s, c] = sin_cos(q[2]);
    return Config(q[0] + c * x[0] - s * x[1], q[1] + s * x[0] + c * x[1], q[2] + x[2]);
  }
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>& translation, const Config& near) const {
    return Config(translation[0], translation[1], quaternion::angle_about<S>(Vector3<S>::UnitZ(), rotation, near[2]));
  }
  /// Returns dlog of SE(2), rows and columns (x, y, theta): the restriction of dlog on SE(3) to the plane.
  Matrix3<S> dlog(const Tangent& x) const { return restricted(se3::dlog<S>(in_space(x))); }
  Matrix3<S> dlog_transpose_derivative(const Tangent& x, const Tangent& y) const {
    return restricted(se3::dlog_transpose_derivative<S>(in_space(x), in_space(y)));
  }
  ///@}

 private:
  static Vector6<S> in_space(const Tangent& x) { return vector6<S>(S(0), S(0), x[2], x[0], x[1], S(0)); }
  static Matrix3<S> restricted(const Matrix6<S>& full) {
    constexpr std::array<int, 3> pick{3, 4, 2};
    Matrix3<S> in_plane;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) in_plane(r, c) = full(pick[static_cast<std::size_t>(r)], pick[static_cast<std::size_t>(c)]);
    }
    return in_plane;
  }
  struct Translation { S alpha, beta; };
  /// Returns sin t / t and (1 - cos t) / t, both regular at 0.
  static Translation translation(const S& t) {
    const auto coefficients = series::exp_coefficients<S>(t * t);
    return {coefficients.A, coefficients.B * t};
  }
  static Vector2<S> displacement(const Tangent& x) {
    const auto [alpha, beta] = translation(x[2]);
    return {alpha * x[0] - beta * x[1], beta * x[0] + alpha * x[1]};
  }
};

}  // namespace actio
