// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint limits, dry friction of joints and servos, as bounds on the increment of a step.
#include <cmath>
#include <vector>

#include "actio/constraints/row.hpp"
#include "actio/integrators/shared/rebound.hpp"
#include "actio/integrators/shared/sliding.hpp"
#include "actio/integrators/shared/step_springs.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// One end of the range of a joint's entry, or the dry friction of the entry, or a servo on it.
template <Scalar S>
struct JointBound {
  BodyIndex body = 0;          ///< whose joint it is
  Eigen::Index q = 0, v = 0;   ///< indices into configuration and velocities
  int side = 0;                ///< 1: lower limit, -1: upper limit, 0: dry friction or servo
  S bound{};                   ///< position of the limit [rad, m]; or largest force, > 0 [N m, N]
  StepSpring<S> spring{};      ///< of a limit, where it acts
  int servo = -1;              ///< index of the servo that it is; -1: none
  Rebound<S> rebound{};        ///< of a limit
  Sliding<S> sliding{};        ///< of dry friction; its direction is 1 or -1 along the first tangent

  bool is_limit() const noexcept { return side != 0; }  ///< otherwise it is dry friction or a servo
  bool is_servo() const noexcept { return servo >= 0; }
  /// Returns the gap of a limit, >= 0 within the range [rad, m].  @param configuration (nq).
  S gap(const VectorX<S>& configuration) const noexcept { return S(side) * (configuration[q] - bound); }
  /// Returns whether a limit is closed, or crossed, after a motion from a configuration (nq) by `along`.
  bool is_closed(const VectorX<S>& configuration, const S& along = S(0)) const noexcept {
    return is_limit() && gap(configuration) + along <= S(sizeof(ValueOf<S>) >= 8 ? 1e-10F : 1e-5F) * (S(1) + std::abs(bound));
  }
  /// Returns the part of an increment x (nv) that opens the gap, or by which the friction slips [rad, m].
  S along(const VectorX<S>& x) const noexcept { return side < 0 ? S(-x[v]) : x[v]; }
  /// Returns the force of dry friction in P, and in V, against a direction of slip that is kept [N m, N].
  S kept_force() const noexcept { return -sliding.kept()[0] * bound / S(2); }
  /// Adds the force or impulse L of the bound to those of the joints.  @param sum (nv).
  void push(const S& L, VectorX<S>& sum) const noexcept { sum[v] += side < 0 ? S(-L) : L; }
  /// Returns the row: its covector, without a value.
  ConstraintRow<S> row() const noexcept {
    ConstraintRow<S> row;
    row.joints[0] = {v, S(side < 0 ? -1 : 1)};
    return row;
  }
};

/// Returns the finite limits and the dry friction that a model enforces, joint by joint, then its servos.
/// @param limit compliance of the limits.
template <Scalar S, class Joints>
std::vector<JointBound<S>> joint_bounds(const Model<S, Joints>& model, const Compliance<S>& limit = {}) {
  const Enforcement& enforced = model.enforced();
  const ModelProperties<S>& joints = model.properties();
  std::vector<JointBound<S>> bounds;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      const Eigen::Index q = model.q_index(i) + k, v = model.v_index(i) + k;  // only joints whose q is a vector have limits
      const auto add_limit = [&](int side, const S& bound) {
        if (!enforced.limits || !is_finite(bound)) return;
        bounds.push_back({i, q, v, side, bound, StepSpring<S>(limit), -1, {joints.restitution[v]}});
      };
      add_limit(1, joints.lower[v]);
      add_limit(-1, joints.upper[v]);
      if (enforced.friction && joints.friction[v] > S(0)) bounds.push_back({i, q, v, 0, joints.friction[v], {}, -1, {}});
    }
  }
  for (std::size_t k = 0; k < model.servos().size(); ++k) {
    const Servo<S>& servo = model.servos()[k];
    const Eigen::Index q = model.q_index(servo.body) + servo.entry, v = model.v_index(servo.body) + servo.entry;
    bounds.push_back({servo.body, q, v, 0, servo.limit, {}, static_cast<int>(k), {}});
  }
  return bounds;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE std::vector<JointBound<double>> joint_bounds(const Model<double>&, const Compliance<double>&);
#endif

}  // namespace actio::detail
