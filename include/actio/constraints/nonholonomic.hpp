// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rows of nonholonomic constraints at a node and over a step.
#include <cmath>

#include "actio/constraints/body_rows.hpp"
#include "actio/constraints/joint_lock.hpp"
#include "actio/dynamics/body_step.hpp"
#include "actio/model/nonholonomic.hpp"

namespace actio::detail {

///@{
/// Returns the number of rows of the constraint, and how many of them restrict configurations: these come first. The others restrict
/// velocities only.
template <Scalar S> constexpr int num_rows(const Rolling<S>&) { return 3; }
template <Scalar S> constexpr int num_rows(const KnifeEdge<S>&) { return 1; }
template <Scalar S> constexpr int num_gaps(const Rolling<S>&) { return 1; }
template <Scalar S> constexpr int num_gaps(const KnifeEdge<S>&) { return 0; }
///@}

/// The arm from the center of a wheel or ball to its contact point, in the axes in which the plane's normal n and the axle A are given.
template <Scalar S>
struct ContactArm {
  Vector3<S> n, A;
  S r, c, s;  // radius; cosine and sine of the angle between n and A, for a ball 0 and 1

  ContactArm(const Rolling<S>& rolling, const Vector3<S>& normal, const Vector3<S>& axle)
      : n(normal), A(axle), r(rolling.radius), c(n.dot(A)) {
    using std::sqrt;
    s = sqrt(S(1) - c * c);
  }
  Vector3<S> arm() const { return (n - c * A) * (-r / s); }
  /// Returns the center's height above the plane [m].
  S height() const { return r * s; }
  /// Returns the gradient of m . arm() with respect to A.
  Vector3<S> gradient(const Vector3<S>& m) const {
    return (r / s) * (m.dot(A) * n + c * m - (m.dot(Vector3<S>(n - c * A)) * c / (s * s)) * n);
  }
};
/// Returns the wrench, about the point `about`, of the force f at `point`.
template <Scalar S>
Vector6<S> force_at(const Vector3<S>& point, const Vector3<S>& about, const Vector3<S>& f) {
  return spatial<S>(Vector3<S>(point - about).cross(f), f);
}

/// Returns the gap between a ball or wheel and its plane, negative where they overlap [m].  @param T_WB pose of the body.
template <Scalar S>
S contact_gap(const Rolling<S>& rolling, const Pose<S>& T_WB) {
  const ContactArm<S> contact(rolling, Vector3<S>(T_WB.R.transpose() * rolling.normal), rolling.axle);
  return rolling.normal.dot(T_WB * rolling.center) - contact.height() - rolling.height;
}

///@{
/// Computes the rows at a node. Their values are zero except for the gap to the plane [m]; on_b is about the centre of mass. Body a is
/// the world, so that on_a is not set. T_WB is the pose of the body, com its centre of mass in its frame [m].
template <Scalar S>
void node_rows(const Rolling<S>& rolling, const Pose<S>& T_WB, const Vector3<S>& com, BodyRows<S>& out) {
  const Vector3<S>& n = rolling.normal;
  const ContactArm<S> contact(rolling, Vector3<S>(T_WB.R.transpose() * n), rolling.axle);
  const auto [e0, e1] = perpendiculars(n);
  out.count = 3;
  out.value = {contact_gap(rolling, T_WB), S(0), S(0)};
  const Vector3<S> touching = rolling.center + contact.arm();
  std::size_t k = 0;
  for (const Vector3<S>& direction : {n, e0, e1}) out.on_b[k++] = force_at<S>(touching, com, T_WB.R.transpose() * direction);
}
template <Scalar S>
void node_rows(const KnifeEdge<S>& knife, const Pose<S>&, const Vector3<S>& com, BodyRows<S>& out) {
  out.count = 1;
  out.value[0] = S(0);
  out.on_b[0] = force_at<S>(knife.point, com, knife.across);
}
///@}

///@{
/// Computes the rows over a step. Their values are displacements [m] that are to vanish, symmetric in the two nodes; on_b is their
/// derivative with respect to the body's interval velocities, divided by h. Body a is the world, so that on_a is not set. T_WB is the pose
/// of the body at node k, com its centre of mass in its frame [m], h the time step [s].
template <Scalar S>
void step_rows(const Rolling<S>& rolling, const Pose<S>& T_WB, const Vector3<S>& com, const BodyStep<S>& step, const S& h,
               BodyRows<S>& out) {
  const Vector3<S>& n_W = rolling.normal;
  const Vector3<S>& axle = rolling.axle;
  const Vector3<S> n = T_WB.R.transpose() * n_W;
  const ContactArm<S> begin(rolling, n, axle), end(rolling, n, step.dT.rotate(axle));  // in the axes at node k
  const Vector3<S> moved = step.dT.d + step.dT.minus_identity(rolling.center), arm = (begin.arm() + end.arm()) / S(2),
                   w = step.u.template head<3>();
  const auto at_end = [&](const Vector3<S>& x) { return step.dT.rotate_inverse(x); };
  const auto [e0, e1] = perpendiculars(n_W);
  out.count = 3;
  out.value[0] = n_W.dot(T_WB * rolling.center) + n.dot(moved) - end.height() - rolling.height;
  Vector6<S> on_gap = force_at<S>(rolling.center, com, at_end(n));
  on_gap.template head<3>() += (end.r * end.c / end.s) * axle.cross(at_end(n));
  out.on_b[0] = step.on_velocities(on_gap, h);
  std::size_t k = 1;
  for (const Vector3<S>& direction : {e0, e1}) {
    const Vector3<S> e = T_WB.R.transpose() * direction;
    out.value[k] = e.dot(moved) + h * w.dot(arm.cross(e));
    Vector6<S> F = force_at<S>(rolling.center, com, at_end(e));
    F.template head<3>() += axle.cross(at_end(end.gradient((h / S(2)) * e.cross(w))));
    out.on_b[k] = step.on_velocities(F, h);
    out.on_b[k++].template head<3>() += arm.cross(e);
  }
}
template <Scalar S>
void step_rows(const KnifeEdge<S>& knife, const Pose<S>&, const Vector3<S>& com, const BodyStep<S>& step, const S& h, BodyRows<S>& out) {
  const Vector3<S>& a = knife.across;
  const Vector3<S> middle = (a + step.dT.rotate(a)) / S(2);
  const Vector3<S> moved = step.dT.d + step.dT.minus_identity(knife.point);
  out.count = 1;
  out.value[0] = middle.dot(moved);
  Vector6<S> F = force_at<S>(knife.point, com, step.dT.rotate_inverse(middle));
  F.template head<3>() += a.cross(step.dT.rotate_inverse(moved)) / S(2);
  out.on_b[0] = step.on_velocities(F, h);
}
///@}

}  // namespace actio::detail
