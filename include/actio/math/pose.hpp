// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A rigid transformation T_AB and its action on twists and wrenches. B is the child frame, A the parent frame.
#include "actio/core/types.hpp"
#include "actio/math/quaternion.hpp"
#include "actio/math/small.hpp"
#include "actio/math/so3.hpp"

namespace actio {

/// T_AB takes coordinates in B to coordinates in A: p_A = R p_B + p.                        [vi_math.md, section 1.2]
template <Scalar S>
struct Pose {
  Matrix3<S> R;  ///< axes of B in A
  Vector3<S> p;  ///< origin of B in A [m]

  static Pose identity() { return {Matrix3<S>::Identity(), Vector3<S>::Zero()}; }  ///< B coincides with A
  ///@{
  /// Returns the pose of a frame B with the axes of A and its origin at p or (x, y, z) in A [m].
  static Pose translation(const Vector3<S>& p) { return {Matrix3<S>::Identity(), p}; }
  static Pose translation(const S& x, const S& y, const S& z) { return translation(Vector3<S>(x, y, z)); }
  ///@}
  static Pose rotation(const Matrix3<S>& R) { return {R, Vector3<S>::Zero()}; }  ///< axes R of B in A, with a common origin
  /// Returns the pose with the rotation of the unit quaternion q, which takes B to A, and the origin p [m].
  static Pose from(const Quaternion<S>& q, const Vector3<S>& p) { return {quaternion::rotation_matrix(q), p}; }

  ACTIO_INLINE friend Pose operator*(const Pose& a, const Pose& b) { return {detail::times(a.R, b.R), a * b.p}; }  ///< T_AC = T_AB T_BC
  /// Returns the coordinates in A of the point that has coordinates x in B [m].
  ACTIO_INLINE friend Vector3<S> operator*(const Pose& T, const Vector3<S>& x) {
    using detail::row_times;
    return Vector3<S>(row_times(T.R, 0, x[0], x[1], x[2]) + T.p[0], row_times(T.R, 1, x[0], x[1], x[2]) + T.p[1],
                      row_times(T.R, 2, x[0], x[1], x[2]) + T.p[2]);
  }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }   ///< T_BA
  Quaternion<S> quaternion() const { return quaternion::from_matrix(R); }  ///< the one of R's two unit quaternions with w >= 0

  /// Returns Ad_T^-1 V: a twist given in A, expressed in B [rad/s, m/s].
  ACTIO_INLINE Vector6<S> twist_to_child(const Vector6<S>& V) const {
    using detail::column_times;
    const S x = V[3] - (p[1] * V[2] - p[2] * V[1]), y = V[4] - (p[2] * V[0] - p[0] * V[2]), z = V[5] - (p[0] * V[1] - p[1] * V[0]);
    return vector6<S>(column_times(R, 0, V[0], V[1], V[2]), column_times(R, 1, V[0], V[1], V[2]), column_times(R, 2, V[0], V[1], V[2]),
                      column_times(R, 0, x, y, z), column_times(R, 1, x, y, z), column_times(R, 2, x, y, z));
  }

  /// Returns Ad_T V: a twist given in B, expressed in A.
  ACTIO_INLINE Vector6<S> twist_to_parent(const Vector6<S>& V) const {
    using detail::row_times;
    const S x = row_times(R, 0, V[0], V[1], V[2]), y = row_times(R, 1, V[0], V[1], V[2]), z = row_times(R, 2, V[0], V[1], V[2]);
    return vector6<S>(x, y, z, row_times(R, 0, V[3], V[4], V[5]) + (p[1] * z - p[2] * y),
                      row_times(R, 1, V[3], V[4], V[5]) + (p[2] * x - p[0] * z), row_times(R, 2, V[3], V[4], V[5]) + (p[0] * y - p[1] * x));
  }

  /// Returns Ad_T^-T F: a wrench or momentum given in B about its origin, expressed in A about the origin of A [N m, N].
  ACTIO_INLINE Vector6<S> wrench_to_parent(const Vector6<S>& F) const {
    using detail::row_times;
    const S x = row_times(R, 0, F[3], F[4], F[5]), y = row_times(R, 1, F[3], F[4], F[5]), z = row_times(R, 2, F[3], F[4], F[5]);
    return vector6<S>(row_times(R, 0, F[0], F[1], F[2]) + (p[1] * z - p[2] * y), row_times(R, 1, F[0], F[1], F[2]) + (p[2] * x - p[0] * z),
                      row_times(R, 2, F[0], F[1], F[2]) + (p[0] * y - p[1] * x), x, y, z);
  }

  /// Returns Ad_T^T F: a wrench or momentum given in A, expressed in B.
  ACTIO_INLINE Vector6<S> wrench_to_child(const Vector6<S>& F) const {
    using detail::column_times;
    const S x = F[0] - (p[1] * F[5] - p[2] * F[4]), y = F[1] - (p[2] * F[3] - p[0] * F[5]), z = F[2] - (p[0] * F[4] - p[1] * F[3]);
    return vector6<S>(column_times(R, 0, x, y, z), column_times(R, 1, x, y, z), column_times(R, 2, x, y, z),
                      column_times(R, 0, F[3], F[4], F[5]), column_times(R, 1, F[3], F[4], F[5]), column_times(R, 2, F[3], F[4], F[5]));
  }

  /// Returns Ad_T = [[R, 0], [hat(p) R, R]].
  Matrix6<S> adjoint() const {
    Matrix6<S> X;
    X << R, Matrix3<S>::Zero(), so3::hat(p) * R, R;
    return X;
  }
};

namespace detail {

/// Assigns to = from, entry by entry.
template <Scalar S>
ACTIO_INLINE void store(Pose<S>& to, const Pose<S>& from) {
  store(to.R, from.R);
  store(to.p, from.p);
}

}  // namespace detail

/// Returns the larger of |R_a - R_b| and |p_a - p_b| (Frobenius and Euclidean norm): zero for equal poses, for checks to a tolerance.
template <Scalar S>
S distance(const Pose<S>& a, const Pose<S>& b) {
  const S rotation = (a.R - b.R).norm(), translation = (a.p - b.p).norm();
  return select(rotation < translation, translation, rotation);
}

}  // namespace actio
