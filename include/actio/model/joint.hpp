// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The members that a joint type must have and those that it may have. The algorithms call the free functions in namespace joints: these
// use the member of the joint if it has one, and otherwise a generic default, which is slower but correct.
#include <cmath>
#include <string>
#include <string_view>

#include "actio/core/elementary.hpp"
#include "actio/core/error.hpp"
#include "actio/core/text.hpp"
#include "actio/core/types.hpp"
#include "actio/math/displacement.hpp"
#include "actio/math/householder.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/se3.hpp"
#include "actio/math/so3.hpp"
#include "actio/model/mount.hpp"

namespace actio {

/// A joint type: the motion of a frame M (on the child, its body frame) in a frame F (on the parent).
///
/// Required:
///  * `Real`, the scalar; `nq` and `nv`, sizes; `Config` (nq) and `Tangent` (nv), columns for q and for v and increments x;
///  * `pose(q)`                 T_FM(q), below also J(q);
///  * `motion_subspace(q)`      S (6 x nv) with V_FM = S(q) v, in M, angular part first;
///  * `integrate(q, x)`         q (+) x;
///  * `difference(q0, q1)`      q1 (-) q0 with integrate(q0, difference(q0, q1)) = q1.
///
/// Optional members, each with a default in namespace joints:
///  * `flat`                    static constexpr bool: q (+) x is q + x; default nq == nv.
///  * `constant_subspace`       static constexpr bool: S does not depend on q; default false (its rate is then a difference).
///  * `type`                    static constexpr std::string_view: name of the type; default "custom".
///  * `q_names`, `v_names`      static arrays of std::string_view: names of the entries; default 0, 1, ...
///  * `neutral()`               configuration of the zero pose; default zero.
///  * `increment(q, x)`         E = J(q)^-1 J(q (+) x) as a Displacement, PureRotation or PureTranslation; default composes two poses.
///  * `mount(T_PF)`             a Mount: T_PF and what place() needs of it, computed once; default without a fixed axis.
///  * `place(mount, q, T, S)`   sets T = T_PF J(q) and, where it is not constant, S to motion_subspace(q), from that of another q;
///  default by these functions.
///  * `bias(q, v, S)`           (dS/dt) v, given S(q); default zero or a central difference.
///  * `dlog(x)`                 (nv x nv) negative derivative of x = difference(q0, q1) by the velocity of q0: see joints::dlog.
///  * `dlog_transpose_derivative(x, y)`  (nv x nv) derivative of dlog(x)^T y by x; default zero or a difference.
///  * `coordinate(rotation, translation, near)`    the q nearest to `near` with pose(q) = (rotation, translation); default by iteration
///  from `near`.
///  * `fixed_rate(v)`           dv/dt of a motion whose velocity is constant in F; default 0.
///  * `transported(v, x)`           v of such a motion after the increment x; default v.
///  * `straight(q, x)`          configuration after such a motion, x = v t; default integrate(q, x).
///  * `is_valid(q)`             false if q is not a configuration (a quaternion that is not unit); default true.
template <class J>
concept JointType = requires(const J joint, const typename J::Config& q, const typename J::Tangent& x) {
  requires Scalar<typename J::Real>;
  requires J::nq >= J::nv && J::nv >= 0 && J::nv <= 6;
  { joint.pose(q) } -> std::convertible_to<Pose<typename J::Real>>;
  { joint.motion_subspace(q) } -> std::convertible_to<Eigen::Matrix<typename J::Real, 6, J::nv>>;
  { joint.integrate(q, x) } -> std::convertible_to<typename J::Config>;
  { joint.difference(q, q) } -> std::convertible_to<typename J::Tangent>;
};

namespace detail {

/// A type whose number of degrees of freedom is known at compile time: a joint type, or Freedoms.
template <class J>
concept HasFreedoms = requires {
  requires Scalar<typename J::Real>;
  requires J::nv >= 0 && J::nv <= 6;
};

/// The number of degrees of freedom of a joint, which is all that many algorithms need to know about its type: see visit_freedoms().
template <Scalar S, int n>
struct Freedoms {
  using Real = S;                          ///< type of all numbers
  using Tangent = Eigen::Matrix<S, n, 1>;  ///< column for v
  static constexpr int nv = n;             ///< number of degrees of freedom
};

/// Returns f'(0) by a central difference of sixth order, with an error of some 1e-13 in double where f itself is exact.
template <Scalar S, class F>
auto wide_difference(const F& f) {
  const S e = S(elementary::pow(epsilon<S>, ValueOf<S>(1) / ValueOf<S>(7)));
  const auto odd = [&](int k) { return (f(S(ValueOf<S>(k)) * e) - f(S(ValueOf<S>(-k)) * e)).eval(); };
  return ((S(45) * odd(1) - S(9) * odd(2) + odd(3)) / (S(60) * e)).eval();
}

}  // namespace detail

/// Functions of a joint that the algorithms call: its member if it has one, otherwise a default. See JointType for their meaning.
namespace joints {

/// The motion subspace S: its columns are twists in M, angular part first.
template <detail::HasFreedoms J>
using Subspace = Eigen::Matrix<typename J::Real, 6, J::nv>;

/// Returns whether q (+) x is q + x.
template <JointType J>
consteval bool is_flat() {
  if constexpr (requires { J::flat; }) return J::flat;
  else return J::nq == J::nv;
}

/// Returns whether S is the same at every q.
template <JointType J>
consteval bool has_constant_subspace() {
  if constexpr (requires { J::constant_subspace; }) return J::constant_subspace;
  else return false;
}

/// Returns `J::type`, or "custom".
template <JointType J>
constexpr std::string_view type_name() {
  if constexpr (requires { J::type; }) return J::type;
  else return "custom";
}

///@{
/// Return the name of entry k of q or v within the joint, such as "x" or "wz"; by default the number k, or nothing for a single entry.
template <JointType J>
std::string q_name(int k) {
  if constexpr (requires { J::q_names; }) return std::string(J::q_names[static_cast<std::size_t>(k)]);
  else return J::nq == 1 ? std::string() : std::to_string(k);
}
template <JointType J>
std::string v_name(int k) {
  if constexpr (requires { J::v_names; }) return std::string(J::v_names[static_cast<std::size_t>(k)]);
  else return J::nv == 1 ? std::string() : std::to_string(k);
}
///@}

/// Returns the q of the zero pose; by default all zeros.
template <JointType J>
typename J::Config neutral(const J& joint) {
  if constexpr (requires { joint.neutral(); }) return joint.neutral();
  else return J::Config::Zero();
}

/// Returns whether q lies on the joint's manifold; by default every q does.
template <JointType J>
bool is_valid(const J& joint, const typename J::Config& q) {
  if constexpr (requires { joint.is_valid(q); }) return joint.is_valid(q);
  else return true;
}

/// Returns E(x) = J(q)^-1 J(q (+) x), the motion of the child over an increment, in M before the motion.   [vi_math.md, section 5]
/// The default composes two poses and has their rounding errors; a member computes E from x alone with relative precision.
template <JointType J>
auto increment(const J& joint, const typename J::Config& q, const typename J::Tangent& x) {
  if constexpr (requires { joint.increment(q, x); }) {
    return joint.increment(q, x);
  } else {
    const Pose<typename J::Real> T = joint.pose(q).inverse() * joint.pose(joint.integrate(q, x));
    return Displacement<typename J::Real>(quaternion::from_matrix(T.R), T.p);
  }
}

/// Returns what place() needs of the pose T_PF of a joint in its parent.
template <JointType J>
Mount<typename J::Real> mount(const J& joint, const Pose<typename J::Real>& T_PF) {
  if constexpr (requires { joint.mount(T_PF); }) return joint.mount(T_PF);
  else return Mount<typename J::Real>(T_PF);
}

/// Sets T to T_PF J(q) and S to the motion subspace at q.  @param mount of mount().
/// @param S (6 x nv) that of another q; it does not change where the joint has a constant one.
template <JointType J, class Columns>
ACTIO_INLINE void place(const J& joint, const Mount<typename J::Real>& mount, const typename J::Config& q, Pose<typename J::Real>& T,
                        Columns&& S) {
  if constexpr (requires { joint.place(mount, q, T, S); }) {
    joint.place(mount, q, T, S);
  } else {
    detail::store(T, mount.T * joint.pose(q));
    if constexpr (!has_constant_subspace<J>()) S = joint.motion_subspace(q);
  }
}

/// Returns (dS/dt) v, the velocity-product acceleration of the joint, in M.                [Featherstone 2008, (3.41) c_J]
/// @param subspace S(q).
template <JointType J>
Vector6<typename J::Real> bias(const J& joint, const typename J::Config& q, const typename J::Tangent& v,
                               [[maybe_unused]] const Subspace<J>& subspace) {
  using S = typename J::Real;
  static_assert(!requires { joint.bias(q, v); }, "bias() of a joint takes (q, v, S), with its motion subspace at q");
  if constexpr (requires { joint.bias(q, v, subspace); }) {
    return joint.bias(q, v, subspace);
  } else if constexpr (has_constant_subspace<J>()) {
    return Vector6<S>::Zero();
  } else {
    const S dt = S(elementary::cbrt(epsilon<S>));
    const Subspace<J> ahead = joint.motion_subspace(joint.integrate(q, v * dt));
    const Subspace<J> behind = joint.motion_subspace(joint.integrate(q, v * (-dt)));
    return (ahead - behind) * v / (S(2) * dt);
  }
}

/// Returns dv/dt of a motion whose velocity is constant in F. It is not zero where S translates along axes that rotate with the joint.
template <JointType J>
typename J::Tangent fixed_rate(const J& joint, const typename J::Tangent& v) {
  if constexpr (requires { joint.fixed_rate(v); }) return joint.fixed_rate(v);
  else return J::Tangent::Zero();
}
/// Returns the v of such a motion after an increment x.
template <JointType J>
typename J::Tangent transported(const J& joint, const typename J::Tangent& v, const typename J::Tangent& x) {
  if constexpr (requires { joint.transported(v, x); }) return joint.transported(v, x);
  else return v;
}

/// Returns the configuration after such a motion over a time t, x = v t. The origin of M moves on a straight line, whereas integrate()
/// moves M along a screw.
template <JointType J>
typename J::Config straight(const J& joint, const typename J::Config& q, const typename J::Tangent& x) {
  if constexpr (requires { joint.straight(q, x); }) return joint.straight(q, x);
  else return joint.integrate(q, x);
}

/// Returns dx/dz for x = difference(q0, q1) when q0 moves with the velocity -z: the right-trivialised dlog of the joint's group.
/// When q1 moves with the velocity z, the rate is dlog(-x). The identity for flat joints; the default for others is a central difference.
///                                                                                    [vi_math.md, section 1.2]
template <JointType J>
Eigen::Matrix<typename J::Real, J::nv, J::nv> dlog(const J& joint, const typename J::Tangent& x) {
  using S = typename J::Real;
  using Matrix = Eigen::Matrix<S, J::nv, J::nv>;
  if constexpr (requires { joint.dlog(x); }) {
    return joint.dlog(x);
  } else if constexpr (is_flat<J>()) {
    return Matrix::Identity();
  } else {
    const typename J::Config q0 = neutral(joint), q1 = joint.integrate(q0, x);
    const S dz = S(elementary::cbrt(epsilon<S>));
    Matrix rate;
    for (int k = 0; k < J::nv; ++k) {
      const typename J::Tangent z = dz * J::Tangent::Unit(k);
      rate.col(k) = (joint.difference(joint.integrate(q0, -z), q1) - joint.difference(joint.integrate(q0, z), q1)) / (S(2) * dz);
    }
    return rate;
  }
}

/// Returns d/dx (dlog(x)^T y) at fixed y: zero for flat joints; the default for others is a difference.
template <JointType J>
Eigen::Matrix<typename J::Real, J::nv, J::nv> dlog_transpose_derivative(const J& joint, const typename J::Tangent& x,
                                                                        const typename J::Tangent& y) {
  using Matrix = Eigen::Matrix<typename J::Real, J::nv, J::nv>;
  if constexpr (requires { joint.dlog_transpose_derivative(x, y); }) {
    return joint.dlog_transpose_derivative(x, y);
  } else if constexpr (is_flat<J>()) {
    return Matrix::Zero();
  } else {
    Matrix rate;
    for (int k = 0; k < J::nv; ++k) {
      rate.col(k) = detail::wide_difference<typename J::Real>([&](const auto& t) -> typename J::Tangent {
        return dlog(joint, typename J::Tangent(x + t * J::Tangent::Unit(k))).transpose() * y;
      });
    }
    return rate;
  }
}

/// Returns the derivative of S(q)^T F at a wrench F fixed in M, about its origin: column k is the rate along entry k of the velocity. Exact
/// where S is constant and for flat joints with a member bias(); the default for others is a difference.
template <JointType J>
Eigen::Matrix<typename J::Real, J::nv, J::nv> subspace_rate(const J& joint, const typename J::Config& q,
                                                            const Vector6<typename J::Real>& F) {
  using S = typename J::Real;
  using Tangent = typename J::Tangent;
  using Matrix = Eigen::Matrix<S, J::nv, J::nv>;
  Matrix rate = Matrix::Zero();
  if constexpr (has_constant_subspace<J>()) {
    return rate;
  } else if constexpr (is_flat<J>() && requires { joint.bias(q, Tangent()); }) {
    // Coordinates commute, so that dS_j/dq_k - dS_k/dq_j = [S_j, S_k]; the mixed terms of the bias are dS_j/dq_k + dS_k/dq_j.
    const Subspace<J> S_q = joint.motion_subspace(q);
    for (int k = 0; k < J::nv; ++k) {
      const Vector6<S> own = joint.bias(q, Tangent::Unit(k));
      rate(k, k) = F.dot(own);
      for (int j = 0; j < k; ++j) {
        const Vector6<S> other = joint.bias(q, Tangent::Unit(j)), both = joint.bias(q, Tangent(Tangent::Unit(j) + Tangent::Unit(k)));
        const Vector3<S> w_j = S_q.col(j).template head<3>(), v_j = S_q.col(j).template tail<3>();
        const Vector3<S> w_k = S_q.col(k).template head<3>(), v_k = S_q.col(k).template tail<3>();
        const S mixed = F.dot(both - own - other);
        const S bracket = F.template head<3>().dot(w_j.cross(w_k)) + F.template tail<3>().dot(w_j.cross(v_k) + v_j.cross(w_k));
        rate(j, k) = (mixed + bracket) / S(2);
        rate(k, j) = (mixed - bracket) / S(2);
      }
    }
    return rate;
  } else {
    for (int k = 0; k < J::nv; ++k) {
      rate.col(k) = detail::wide_difference<S>([&](const auto& t) -> Tangent {
        return joint.motion_subspace(joint.integrate(q, Tangent(t * Tangent::Unit(k)))).transpose() * F;
      });
    }
    return rate;
  }
}

/// Returns the configuration q with pose(q) = T_FM = (rotation, translation), the inverse of pose(); for a joint that counts revolutions,
/// the one nearest to `near`.  @param rotation unit quaternion of the rotation, of either sign.  @param translation translation [m]. If
/// T_FM deviates a little from the joint's manifold, as integrators in body coordinates leave it, q deviates as little. The default is a
/// Gauss-Newton iteration from `near`, which finds the q close to it; from radians away it may find another one or none. It allocates
/// nothing, and stops where S(q) loses rank.
template <JointType J>
typename J::Config coordinate(const J& joint, const Quaternion<typename J::Real>& rotation, const Vector3<typename J::Real>& translation,
                              const typename J::Config& near) {
  using S = typename J::Real;
  if constexpr (requires { joint.coordinate(rotation, translation, near); }) {
    return joint.coordinate(rotation, translation, near);
  } else {
    const Pose<S> T_FM = Pose<S>::from(rotation, translation);
    const S done = S(elementary::pow(epsilon<S>, ValueOf<S>(1.5)));  // for |x|^2: the next x is of this order
    typename J::Config q = near;
    for (int iteration = 0; iteration < 20; ++iteration) {
      const detail::Householder<S, J::nv> subspace(joint.motion_subspace(q));
      const typename J::Tangent x = subspace.solve(se3::log<S>(joint.pose(q).inverse() * T_FM));
      const S length2 = x.squaredNorm();
      if (!all(is_finite(length2))) break;
      q = joint.integrate(q, x);
      if (!has_derivatives<S> && all(length2 < done)) break;  // each further order of derivatives takes one more iteration
    }
    return q;
  }
}

}  // namespace joints

namespace detail {

/// Returns the axis at unit length.  @throws ModelError when the axis is not finite or shorter than 1e-10.
template <Scalar S>
Vector3<S> unit_axis(const Vector3<S>& axis, std::string_view joint) {
  using std::sqrt;
  const S length = sqrt(S(axis.squaredNorm()));
  if (!all(length > S(ValueOf<S>(1e-10))) || !all(is_finite(length))) {
    throw ModelError(std::string(joint) + ": axis has length " + to_text(length) + ", expected a direction");
  }
  return axis / length;
}

/// Returns q / |q| or its negative, which is the same rotation: the one that is nearer to `near`.
template <Scalar S>
Vector4<S> unit_towards(const Vector4<S>& q, const Vector4<S>& near) {
  using std::sqrt;
  const S length = sqrt(q.squaredNorm());
  return q / select(q.dot(near) < S(0), S(-length), length);
}

/// Returns whether a quaternion is unit to the precision of files and of float.
template <Scalar S>
bool is_unit(const Vector4<S>& q) {
  return std::abs(value_of(S(q.squaredNorm())) - 1) < ValueOf<S>(1e-6) + 16 * epsilon<S>;
}

}  // namespace detail
}  // namespace actio
