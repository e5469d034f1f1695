// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Universal joint: rotations about two axes.
#include <array>

#include "actio/core/elementary.hpp"
#include "actio/model/joint.hpp"

namespace actio {

/// Two successive rotations: about a1, fixed in F, then about a2, fixed in M. The only joint here whose S depends on q.
///   T_FM(q) = exp([a1] q0) exp([a2] q1),  S = [(u, 0), (a2, 0)],  u = exp(-[a2] q1) a1       [vi_math.md, section 5]
/// q rad, v rad/s. The axes are usually orthogonal, but it is enough that their directions differ.
template <Scalar S>
class Universal {
 public:
  ///@{
  /// Required by JointType: scalar, sizes, traits and names.
  using Real = S;
  static constexpr int nq = 2, nv = 2;
  static constexpr std::string_view type = "universal";
  static constexpr std::array<std::string_view, 2> q_names{"1", "2"}, v_names{"1", "2"};
  using Config = Eigen::Matrix<S, nq, 1>;   ///< q = (q0, q1) [rad]
  using Tangent = Eigen::Matrix<S, nv, 1>;  ///< v [rad/s], x [rad]
  ///@}

  /// @param axis in F.  @param axis2 in M; both of any length above 1e-10.
  /// @throws ModelError when one is shorter or not finite, or the two are parallel.
  Universal(const Vector3<S>& axis, const Vector3<S>& axis2)
      : axis_(detail::unit_axis(axis, type)), axis2_(detail::unit_axis(axis2, type)) {
    if (any(S(axis_.cross(axis2_).squaredNorm()) < S(ValueOf<S>(1e-12)))) {
      throw ModelError("universal: the axes " + detail::to_text(axis) + " and " + detail::to_text(axis2) + " are parallel, expected different directions");
    }
  }
  /// The same joint, in the scalar T.
  template <Scalar T> Universal<T> cast() const { return {axis_.template cast<T>(), axis2_.template cast<T>()}; }

  ///@{
  /// Functions of JointType, by the formulas of the class: frames F and M as there, units as of Config and Tangent.
  Pose<S> pose(const Config& q) const { return Pose<S>::rotation(so3::rotation<S>(axis_, q[0]) * so3::rotation<S>(axis2_, q[1])); }
  Eigen::Matrix<S, 6, 2> motion_subspace(const Config& q) const {
    Eigen::Matrix<S, 6, 2> subspace;
    subspace << first_axis_in_child(so3::rotation<S>(axis2_, q[1])), axis2_, Vector3<S>::Zero(), Vector3<S>::Zero();
    return subspace;
  }
  Mount<S> mount(const Pose<S>& T_PF) const { return {T_PF, axis_}; }
  template <class Subspace>
  ACTIO_INLINE void place(const Mount<S>& mount, const Config& q, Pose<S>& T, Subspace& subspace) const {
    const Matrix3<S> second = so3::rotation<S>(axis2_, q[1]);
    const Vector3<S> u = first_axis_in_child(second);
    for (int k = 0; k < 3; ++k) subspace(k, 0) = u[k];
    detail::store<S>(T, {detail::times(mount.turned(q[0]), second), mount.T.p});
  }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }
  /// Returns J(q)^-1 J(q + x) = exp([u] x0) exp([a2] x1)
  PureRotation<S> increment(const Config& q, const Tangent& x) const {
    const Quaternion<S> first = quaternion::about<S>(first_axis_in_child(so3::rotation<S>(axis2_, q[1])), x[0]);
    return {quaternion::multiply<S>(first, quaternion::about<S>(axis2_, x[1]))};
  }
  /// With ci, si the cosine and sine of qi / 2, k = a1.a2 and n = a1 x a2, the quaternion (w, e) of T_FM is
  ///   w = c0 c1 - k s0 s1,  e = s0 c1 a1 + c0 s1 a2 + s0 s1 n
  /// It gives the four products, and these give half the sum and half the difference of the angles, regular at all angles.
  Config coordinate(const Quaternion<S>& rotation, const Vector3<S>&, const Config& near) const {
    using elementary::atan2;
    const Vector3<S> n = axis_.cross(axis2_), e = rotation.vec() / n.squaredNorm();
    const S ss = n.dot(e), sc = axis2_.cross(n).dot(e), cs = n.cross(axis_).dot(e), cc = rotation.w() + axis_.dot(axis2_) * ss;
    const S half_sum = atan2(S(sc + cs), S(cc - ss)), half_difference = atan2(S(sc - cs), S(cc + ss));
    return Config(quaternion::nearest_angle<S>(half_sum + half_difference, near[0]),
                  quaternion::nearest_angle<S>(half_sum - half_difference, near[1]));
  }
  /// Returns du/dt q0' = -q1' q0' a2 x u
  Vector6<S> bias(const Config&, const Tangent& v, const Eigen::Matrix<S, 6, 2>& subspace) const {
    return spatial<S>(axis2_.cross(subspace.col(0).template head<3>()) * (-v[0] * v[1]), Vector3<S>::Zero());
  }
  ///@}

  const Vector3<S>& axis() const { return axis_; }    ///< a1 in F, unit
  const Vector3<S>& axis2() const { return axis2_; }  ///< a2 in M, unit

 private:
  /// Returns u.  @param second exp([a2] q1).
  ACTIO_INLINE Vector3<S> first_axis_in_child(const Matrix3<S>& second) const {
    using detail::column_times;
    return {column_times(second, 0, axis_[0], axis_[1], axis_[2]), column_times(second, 1, axis_[0], axis_[1], axis_[2]),
            column_times(second, 2, axis_[0], axis_[1], axis_[2])};
  }

  Vector3<S> axis_, axis2_;
};

}  // namespace actio
