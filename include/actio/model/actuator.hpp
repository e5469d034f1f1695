// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Actuator: what drives one entry of a joint, as MuJoCo's motors, position and velocity servos do; and Keyframe, a state with controls.
#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "actio/model/state.hpp"

namespace actio {

/// An actuator on one entry of a joint. With the control c, the length l = gear times the entry of  q (-) reference, and its rate l',
///   f = gain c + constant - stiffness l - damping l',  tau = gear f,              [mujoco.readthedocs.io, "Computation", "Actuator model"]
/// where c and f are limited to their ranges. A motor has a gain only; a position servo of gain kp also the stiffness kp; a velocity servo
/// of gain kv the damping kv.
template <Scalar S>
struct Actuator {
  std::string name,              ///< of the actuator, for messages and `--ctrl` of the program `simulate`
      kind;                      ///< a word for it, such as "motor"; has no effect
  BodyIndex body = 0;            ///< the child of its joint
  Eigen::Index entry = 0;        ///< of the joint's velocity, 0 ... nv(body) - 1
  S gear = S(1);                 ///< l / q; a length of any unit, and 1 for most
  S gain = S(1);                 ///< [N m or N, over the unit of the control]
  S constant{};                  ///< [N m, N]
  S stiffness{};                 ///< [N m/rad, N/m]
  S damping{};                   ///< [N m s/rad, N s/m]
  VectorX<S> reference{};        ///< (nq of the joint) where l = 0; empty: the neutral configuration [rad, m; quaternions 1]
  ///@{
  /// Range of the control and of f [N m, N]; unlimited by default.
  S ctrl_lower = -S(std::numeric_limits<ValueOf<S>>::infinity()), ctrl_upper = -ctrl_lower;
  S force_lower = -S(std::numeric_limits<ValueOf<S>>::infinity()), force_upper = -force_lower;
  ///@}

  /// Returns the nearest control in the range.
  S limited_ctrl(const S& ctrl) const noexcept { return std::max(ctrl_lower, std::min(ctrl, ctrl_upper)); }
  /// Returns f [N m, N].  @param length, rate l [rad, m] and l' [rad/s, m/s].
  S force(const S& ctrl, const S& length, const S& rate) const noexcept {
    const S f = gain * limited_ctrl(ctrl) + constant - stiffness * length - damping * rate;
    return std::max(force_lower, std::min(f, force_upper));
  }
  /// Returns l at q (nq) [rad, m].  Allocates and throws nothing.
  template <class Joints>
  S length(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q) const noexcept {
    return visit_joint(model, body, [&]<JointType J>(const J& joint) -> S {
      const typename J::Config zero = reference.size() == 0 ? joints::neutral(joint) : typename J::Config(reference);
      const typename J::Tangent x = joint.difference(zero, typename J::Config(model.template q_of<J>(body, q)));
      return gear * x[entry];
    });
  }
  /// Returns the entry of v that it drives.
  template <class Joints>
  Eigen::Index v_index(const Model<S, Joints>& model) const noexcept { return model.v_index(body) + entry; }
};

/// Adds the joint forces of actuators to tau.
/// @param ctrl one control for each actuator.  @param q (nq), v (nv) [rad, m, rad/s, m/s].  @param tau (nv) [N m, N].
/// O(actuators); allocates and throws nothing.
template <Scalar S, class Joints>
void add_actuator_forces(const Model<S, Joints>& model, std::span<const std::type_identity_t<Actuator<S>>> actuators,
                         const std::type_identity_t<ConstVectorRef<S>>& ctrl, const std::type_identity_t<ConstVectorRef<S>>& q,
                         const std::type_identity_t<ConstVectorRef<S>>& v, std::type_identity_t<VectorRef<S>> tau) noexcept {
  ACTIO_ASSERT(ctrl.size() == static_cast<Eigen::Index>(actuators.size()));
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    const Actuator<S>& a = actuators[k];
    const Eigen::Index at = a.v_index(model);
    tau[at] += a.gear * a.force(ctrl[static_cast<Eigen::Index>(k)], a.length(model, q), a.gear * v[at]);
  }
}

/// A state with controls that a file names.
template <Scalar S>
struct Keyframe {
  std::string name;  ///< may be empty
  State<S> state;    ///< q, v and time
  VectorX<S> ctrl;   ///< one control for each actuator
};

}  // namespace actio
