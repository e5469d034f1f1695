// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A rigid motion T_AB and how it carries twists and wrenches. Child is B, parent is A.
#include "actio/core/types.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/so3.hpp"

namespace actio {

namespace detail {

/// A copy, because products with Eigen's transposed view compile to slower code.
template <class S>
Matrix3<S> transposed(const Matrix3<S>& R) {
  Matrix3<S> m;
  m << R(0, 0), R(1, 0), R(2, 0), R(0, 1), R(1, 1), R(2, 1), R(0, 2), R(1, 2), R(2, 2);
  return m;
}

}  // namespace detail

/// T_AB takes coordinates in B to coordinates in A: p_A = R p_B + p.                        [vi_math.md, section 1.2]
template <Scalar S>
struct Pose {
  Matrix3<S> R;  ///< axes of B in A
  Vector3<S> p;  ///< origin of B in A [m]

  static Pose identity() { return {Matrix3<S>::Identity(), Vector3<S>::Zero()}; }
  static Pose from(const Quaternion<S>& q, const Vector3<S>& p) { return {quaternion::rotation_matrix(q), p}; }

  friend Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.R * b.p + a.p}; }
  friend Vector3<S> operator*(const Pose& T, const Vector3<S>& point) { return T.R * point + T.p; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  Quaternion<S> quaternion() const { return quaternion::from_matrix(R); }

  /// Ad_T^-1 V: a twist in A, the same in B [rad/s, m/s].
  Vector6<S> twist_to_child(const Vector6<S>& V) const {
    const Vector3<S> w = V.template head<3>(), v = V.template tail<3>();
    const Matrix3<S> R_BA = detail::transposed(R);
    const Vector3<S> moved = v - p.cross(w);
    const Vector3<S> w_B = R_BA * w, v_B = R_BA * moved;
    return spatial<S>(w_B, v_B);
  }

  /// Ad_T V: a twist in B, the same in A.
  Vector6<S> twist_to_parent(const Vector6<S>& V) const {
    const Vector3<S> w_B = V.template head<3>(), v_B = V.template tail<3>(), w = R * w_B, v = R * v_B;
    const Vector3<S> moved = v + p.cross(w);
    return spatial<S>(w, moved);
  }

  /// Ad_T^-T F: a wrench or momentum in B about its origin, the same in A about the origin of A [N m, N].
  Vector6<S> wrench_to_parent(const Vector6<S>& F) const {
    const Vector3<S> n_B = F.template head<3>(), f_B = F.template tail<3>(), n = R * n_B, f = R * f_B;
    const Vector3<S> moved = n + p.cross(f);
    return spatial<S>(moved, f);
  }

  /// Ad_T^T F: a wrench or momentum in A, the same in B.
  Vector6<S> wrench_to_child(const Vector6<S>& F) const {
    const Vector3<S> n = F.template head<3>(), f = F.template tail<3>();
    const Matrix3<S> R_BA = detail::transposed(R);
    const Vector3<S> moved = n - p.cross(f);
    const Vector3<S> n_B = R_BA * moved, f_B = R_BA * f;
    return spatial<S>(n_B, f_B);
  }

  /// Ad_T = [[R, 0], [hat(p) R, R]].
  Matrix6<S> adjoint() const {
    Matrix6<S> X;
    X << R, Matrix3<S>::Zero(), so3::hat(p) * R, R;
    return X;
  }
};

/// max of |R_a - R_b| and |p_a - p_b| (Frobenius and Euclidean): zero for equal poses, for checks to a tolerance.
template <Scalar S>
S distance(const Pose<S>& a, const Pose<S>& b) {
  const S turn = (a.R - b.R).norm(), shift = (a.p - b.p).norm();
  return select(turn < shift, shift, turn);
}

}  // namespace actio
