// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Nonholonomic constraints: rolling without slipping, and blades or casters that do not slide sideways.
#include <string>
#include <variant>

#include "actio/constraints/body_rows.hpp"
#include "actio/constraints/joint_lock.hpp"
#include "actio/dynamics/body_step.hpp"

namespace actio {

/// A ball or a thin wheel that rolls without slipping on a plane of the world and keeps touching it: three rows.
template <Scalar S>
struct Rolling {
  std::string name;                         ///< for messages
  BodyIndex body = 0;                       ///< the rolling body, not 0
  Vector3<S> center = Vector3<S>::Zero();   ///< centre of the ball or wheel, in the body's frame [m]
  S radius = S(1);                          ///< > 0 [m]
  Vector3<S> axle = Vector3<S>::Zero();     ///< axle of the wheel, in the body's frame, any length, never along the normal; zero: a ball
  Vector3<S> normal = Vector3<S>::UnitZ();  ///< normal of the plane, in the world, any length, towards the side of the center
  S height{};                               ///< height of the plane above the world's origin, along the normal [m]
  friend bool operator==(const Rolling&, const Rolling&) = default;  ///< the same in every entry
};

/// A blade or a caster that does not slide sideways: one row.
template <Scalar S>
struct KnifeEdge {
  std::string name;                         ///< for messages
  BodyIndex body = 0;                       ///< the body of the blade, not 0
  Vector3<S> point = Vector3<S>::Zero();    ///< point that does not slide, in the body's frame [m]
  Vector3<S> across = Vector3<S>::UnitY();  ///< the direction in which the point does not move, in the body's frame, any length
  friend bool operator==(const KnifeEdge&, const KnifeEdge&) = default;  ///< the same in every entry
};

/// A nonholonomic constraint, in addition to a model's joints, loops and couplings: see HeldBodies.
template <Scalar S>
using Nonholonomic = std::variant<Rolling<S>, KnifeEdge<S>>;

///@{
/// Returns the number of rows of the constraint.
template <Scalar S> constexpr int num_rows(const Rolling<S>&) { return 3; }
template <Scalar S> constexpr int num_rows(const KnifeEdge<S>&) { return 1; }
///@}

namespace detail {

/// The arm from the center of a wheel or ball to its contact point, in the axes in which the plane's normal n and the axle A are given.
template <Scalar S>
struct ContactArm {
  Vector3<S> n, A;
  S r, c, s;  // radius; cosine and sine of the angle between n and A, for a ball 0 and 1

  ContactArm(const Rolling<S>& rolling, const Vector3<S>& normal, const Vector3<S>& axle) : n(normal), A(axle), r(rolling.radius), c(n.dot(A)) {
    using std::sqrt;
    s = sqrt(S(1) - c * c);
  }
  Vector3<S> arm() const { return (n - c * A) * (-r / s); }
  /// Returns the center's height above the plane [m].
  S height() const { return r * s; }
  /// Returns the gradient of m . arm() with respect to A.
  Vector3<S> gradient(const Vector3<S>& m) const { return (r / s) * (m.dot(A) * n + c * m - (m.dot(Vector3<S>(n - c * A)) * c / (s * s)) * n); }
};
template <Scalar S>
Vector3<S> unit_or_zero(const Vector3<S>& a) {
  using std::sqrt;
  const S square = a.squaredNorm();
  return square == S(0) ? a : Vector3<S>(a / sqrt(square));
}
/// Returns the wrench, about the point `about`, of the force f at `point`.
template <Scalar S>
Vector6<S> force_at(const Vector3<S>& point, const Vector3<S>& about, const Vector3<S>& f) {
  return spatial<S>(Vector3<S>(point - about).cross(f), f);
}

}  // namespace detail

///@{
/// Computes the rows at a node. Their values are zero except for the gap to the plane [m]; on_b is about the centre of mass. Body a is
/// the world, so that on_a is not set. T_WB is the pose of the body, com its centre of mass in its frame [m].
template <Scalar S>
void node_rows(const Rolling<S>& rolling, const Pose<S>& T_WB, const Vector3<S>& com, detail::BodyRows<S>& out) {
  const Vector3<S> n = detail::unit_or_zero<S>(rolling.normal);
  const detail::ContactArm<S> contact(rolling, Vector3<S>(T_WB.R.transpose() * n), detail::unit_or_zero<S>(rolling.axle));
  const auto [e0, e1] = detail::perpendiculars(n);
  out.count = 3;
  out.value = {S(0), S(0), n.dot(T_WB * rolling.center) - contact.height() - rolling.height};
  const Vector3<S> touching = rolling.center + contact.arm();
  std::size_t k = 0;
  for (const Vector3<S>& direction : {e0, e1, n}) out.on_b[k++] = detail::force_at<S>(touching, com, T_WB.R.transpose() * direction);
}
template <Scalar S>
void node_rows(const KnifeEdge<S>& knife, const Pose<S>&, const Vector3<S>& com, detail::BodyRows<S>& out) {
  out.count = 1;
  out.value[0] = S(0);
  out.on_b[0] = detail::force_at<S>(knife.point, com, detail::unit_or_zero<S>(knife.across));
}
///@}

///@{
/// Computes the rows over a step. Their values are displacements [m] that are to vanish, symmetric in the two nodes; on_b is their
/// derivative with respect to the body's interval velocities, divided by h. Body a is the world, so that on_a is not set. T_WB is the pose
/// of the body at node k, com its centre of mass in its frame [m], h the time step [s].
template <Scalar S>
void step_rows(const Rolling<S>& rolling, const Pose<S>& T_WB, const Vector3<S>& com, const detail::BodyStep<S>& step, const S& h, detail::BodyRows<S>& out) {
  const Vector3<S> n_W = detail::unit_or_zero<S>(rolling.normal), n = T_WB.R.transpose() * n_W, axle = detail::unit_or_zero<S>(rolling.axle);
  const detail::ContactArm<S> begin(rolling, n, axle), end(rolling, n, step.dT.rotate(axle));  // in the axes at node k
  const Vector3<S> moved = step.dT.d + step.dT.minus_identity(rolling.center), arm = (begin.arm() + end.arm()) / S(2), w = step.u.template head<3>();
  const auto at_end = [&](const Vector3<S>& x) { return step.dT.rotate_inverse(x); };
  const auto [e0, e1] = detail::perpendiculars(n_W);
  out.count = 3;
  std::size_t k = 0;
  for (const Vector3<S>& direction : {e0, e1}) {
    const Vector3<S> e = T_WB.R.transpose() * direction;
    out.value[k] = e.dot(moved) + h * w.dot(arm.cross(e));
    Vector6<S> F = detail::force_at<S>(rolling.center, com, at_end(e));
    F.template head<3>() += axle.cross(at_end(end.gradient((h / S(2)) * e.cross(w))));
    out.on_b[k] = step.on_velocities(F, h);
    out.on_b[k++].template head<3>() += arm.cross(e);
  }
  out.value[2] = n_W.dot(T_WB * rolling.center) + n.dot(moved) - end.height() - rolling.height;
  Vector6<S> F = detail::force_at<S>(rolling.center, com, at_end(n));
  F.template head<3>() += (end.r * end.c / end.s) * axle.cross(at_end(n));
  out.on_b[2] = step.on_velocities(F, h);
}
template <Scalar S>
void step_rows(const KnifeEdge<S>& knife, const Pose<S>&, const Vector3<S>& com, const detail::BodyStep<S>& step, const S& h, detail::BodyRows<S>& out) {
  const Vector3<S> a = detail::unit_or_zero<S>(knife.across), middle = (a + step.dT.rotate(a)) / S(2);
  const Vector3<S> moved = step.dT.d + step.dT.minus_identity(knife.point);
  out.count = 1;
  out.value[0] = middle.dot(moved);
  Vector6<S> F = detail::force_at<S>(knife.point, com, step.dT.rotate_inverse(middle));
  F.template head<3>() += a.cross(step.dT.rotate_inverse(moved)) / S(2);
  out.on_b[0] = step.on_velocities(F, h);
}
///@}

}  // namespace actio
