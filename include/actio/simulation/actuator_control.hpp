// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A controller that runs actuators. Their stiffness and damping are springs and dampers of the model, which integrators treat implicitly.
#include <type_traits>
#include <utility>
#include <vector>

#include "actio/integrators/integrator.hpp"
#include "actio/model/actuator.hpp"

namespace actio {

/// How an ActuatorControl applies the stiffness and damping of actuators.
enum class ActuatorUse {
  springs,  ///< as springs and dampers of the model, which every integrator takes that takes dampers
  servos,   ///< the same, but those with limits of the force as servos of the model, for integrators that take servos
  inputs,   ///< as inputs, for integrators that refuse damping
};

/// A controller for simulate() that applies the forces of actuators:
///
///   ActuatorControl control(loaded.model, loaded.actuators);
///   CompliantIntegrator integrator(control.model());
///   control.ctrl()[0] = 0.5;
///   simulate(integrator, control, 1e-3, Seconds{3});
///
/// A servo that is computed once a step is unstable where the step times its damping exceeds twice the inertia that it moves, and a foot on
/// the ground needs the stiffness that carries the robot. Therefore model() carries the stiffness and damping of the actuators as springs
/// and dampers of its joints, which most integrators treat implicitly. The controller adds what they lack, from the state at the beginning
/// of a step, for the lengths there and those that the rates lead to: the effect of changed controls, the stiffness on joints whose q is
/// not a vector, and what limits of the force take away. It is zero while the controls stay as they were at first and nothing is limited.
/// Where a limit acts, the joint has additional inertia in the step, h times the damping; VariationalIntegrator, which divides dampers
/// between the ends of a step, is unstable where that exceeds the joint's own. With ActuatorUse::servos it has the limited force at any
/// damping and any step. Use ActuatorUse::inputs for integrators that refuse damping, such as Composition.
template <Scalar S, class Joints = DefaultJoints<S>>
class ActuatorControl {
 public:
  /// @param ctrl first controls; empty: 0.  @param use how stiffness and damping are applied.
  /// @throws ModelError if an actuator is not on a joint of the model; OptionsError for another number of controls than of actuators.
  explicit ActuatorControl(const Model<S, Joints>& model, std::type_identity_t<std::vector<Actuator<S>>> actuators,
                           std::type_identity_t<VectorX<S>> ctrl = {}, ActuatorUse use = ActuatorUse::springs)
      : actuators_(std::move(actuators)), ctrl_(std::move(ctrl)), model_(model), carried_(actuators_.size()), use_(use) {
    const Eigen::Index count = static_cast<Eigen::Index>(actuators_.size());
    if (ctrl_.size() == 0) ctrl_ = VectorX<S>::Zero(count);
    if (ctrl_.size() != count) {
      throw OptionsError("ActuatorControl has " + std::to_string(ctrl_.size()) + " controls, expected " + std::to_string(count));
    }
    ModelProperties<S> p = model.properties();
    std::vector<Servo<S>> servos = model.servos();
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      const Actuator<S>& a = actuators_[k];
      const bool is_there = a.body > 0 && a.body < model.num_bodies() && a.entry >= 0 && a.entry < model.nv(a.body) &&
                            (a.reference.size() == 0 || a.reference.size() == model.nq(a.body));
      if (!is_there) {
        throw ModelError("actuator '" + a.name + "' is on entry " + std::to_string(a.entry) + " of the joint of body " + std::to_string(a.body) +
                         ", which model '" + model.name() + "' does not have");
      }
      if (use_ == ActuatorUse::servos && is_limited(a)) carry(k, servos);
      else if (use_ != ActuatorUse::inputs) carry(k, p);
    }
    model_ = model_.with_properties(p).with_servos(std::move(servos));
  }

  const Model<S, Joints>& model() const { return model_; }                     ///< the model to integrate, must be that of the integrator
  const std::vector<Actuator<S>>& actuators() const { return actuators_; }     ///< as given
  ActuatorUse use() const { return use_; }                                     ///< as given
  VectorX<S>& ctrl() { return ctrl_; }                                         ///< (actuators) the controls from the next step on
  const VectorX<S>& ctrl() const { return ctrl_; }                             ///< the same

  /// Sets the input of the next step; called by simulate(). Keeps wrenches. Allocates at the first call only.
  template <class N>
  void operator()(N& node, Input<S>& input) {
    using I = std::remove_cvref_t<decltype(node.integrator())>;
    const State<S>& x = node.state();
    S h = node.h();
    if constexpr (StepControl<I>) h = node.integrator().h();
    input.tau_begin.setZero(model_.nv());
    input.tau_end.setZero(model_.nv());
    add_missing_forces(x.q, x.v, h, input.tau_end);
    if constexpr (requires { requires I::springs_at_end; }) input.tau_begin = input.tau_end;
    else add_missing_forces(x.q, x.v, S(0), input.tau_begin);
    if (model_.servos().empty()) return;
    input.servo.setZero(static_cast<Eigen::Index>(model_.servos().size()));
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      if (carried_[k].servo >= 0) input.servo[carried_[k].servo] = force_of_servo(k, x.q, x.v, h);
    }
  }
  /// Adds the forces of the actuators to tau, without those that model() carries; of servos the mean of their limits.
  /// @param q (nq), v (nv).
  /// @param h time after which lengths count that change at their rates [s].  @param tau (nv) [N m, N].
  void add_missing_forces(const ConstVectorRef<S>& q, const ConstVectorRef<S>& v, const S& h, VectorRef<S> tau) const noexcept {
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      const Actuator<S>& a = actuators_[k];
      const Eigen::Index at = a.v_index(model_);
      if (carried_[k].servo >= 0) {
        tau[at] += carried_[k].constant;
        continue;
      }
      const S rate = a.gear * v[at], l = a.length(model_, q) + h * rate;
      tau[at] += a.gear * (a.force(ctrl_[static_cast<Eigen::Index>(k)], l, rate) - carried_[k].force(a, l, rate));
    }
  }
  ///@{
  /// Return the energy that the actuators store in springs of model() at q (nq) [J], and the work of their dampers in it over an increment
  /// x (nv) of the joints at a mean velocity (nv) [J].
  S elastic_energy(const ConstVectorRef<S>& q) const noexcept {
    S sum(0);
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      if (!carried_[k].stiffness) continue;
      const S stretch = actuators_[k].length(model_, q) - carried_[k].constant / actuators_[k].stiffness;
      sum += actuators_[k].stiffness * stretch * stretch / S(2);
    }
    return sum;
  }
  S damping_work(const ConstVectorRef<S>& x, const ConstVectorRef<S>& v) const noexcept {
    S sum(0);
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      const Actuator<S>& a = actuators_[k];
      const Eigen::Index at = a.v_index(model_);
      if (carried_[k].damping) sum += a.gear * a.gear * a.damping * x[at] * v[at];
    }
    return sum;
  }
  ///@}

 private:
  /// What the model carries of an actuator.
  struct Carried {
    bool stiffness = false, damping = false;
    Eigen::Index servo = -1;  // of the model, -1: none
    S constant{};             // of the force of its spring, or the mean of the limits of a servo along the joint [N m, N]
    S force(const Actuator<S>& a, const S& l, const S& rate) const noexcept {
      S f(0);
      if (stiffness) f += constant - a.stiffness * l;
      if (damping) f -= a.damping * rate;
      return f;
    }
  };

  bool is_flat(const Actuator<S>& a) const {
    return visit_joint(model_, a.body, []<JointType J>(const J&) { return joints::is_flat<J>(); });
  }
  static bool is_limited(const Actuator<S>& a) {
    return is_finite(a.force_lower) && is_finite(a.force_upper) && value_of(a.force_lower) < value_of(a.force_upper) &&
           value_of(a.gear) != 0 && value_of(S(a.stiffness + a.damping)) > 0;
  }
  void carry(std::size_t k, std::vector<Servo<S>>& servos) {
    const Actuator<S>& a = actuators_[k];
    const S square = a.gear * a.gear, zero = a.reference.size() == 0 ? S(0) : a.reference[a.entry];
    const bool flat = is_flat(a);
    if (!flat && !(value_of(a.damping) > 0)) return;  // all of it is an input
    carried_[k].servo = static_cast<Eigen::Index>(servos.size());
    carried_[k].constant = a.gear * (a.force_lower + a.force_upper) / S(2);
    const S half = (a.force_upper - a.force_lower) / S(2);
    servos.push_back({a.body, a.entry, flat ? S(square * a.stiffness) : S(0), square * a.damping, flat ? zero : S(0),
                      value_of(a.gear) < 0 ? S(-a.gear * half) : S(a.gear * half)});
  }
  /// Returns what the servo of an actuator lacks to its force, within the limits.
  S force_of_servo(std::size_t k, const VectorX<S>& q, const VectorX<S>& v, const S& h) const noexcept {
    const Actuator<S>& a = actuators_[k];
    S force = a.gain * a.limited_ctrl(ctrl_[static_cast<Eigen::Index>(k)]) + a.constant;
    if (!is_flat(a)) force -= a.stiffness * (a.length(model_, q) + h / S(2) * a.gear * v[a.v_index(model_)]);
    return a.gear * force - carried_[k].constant;
  }
  void carry(std::size_t k, ModelProperties<S>& p) {
    const Actuator<S>& a = actuators_[k];
    Carried& carried = carried_[k];
    const S square = a.gear * a.gear;
    const Eigen::Index v = a.v_index(model_), q = model_.q_index(a.body) + a.entry;
    carried.damping = value_of(square * a.damping) > 0;
    if (carried.damping) p.damping[v] += square * a.damping;
    carried.stiffness = is_flat(a) && value_of(square * a.stiffness) > 0;
    if (!carried.stiffness) return;
    carried.constant = a.gain * a.limited_ctrl(ctrl_[static_cast<Eigen::Index>(k)]) + a.constant;
    const S added = square * a.stiffness, zero = a.reference.size() == 0 ? S(0) : a.reference[a.entry];
    const S rest = zero + carried.constant / (a.stiffness * a.gear);
    p.rest[q] = (p.stiffness[v] * p.rest[q] + added * rest) / (p.stiffness[v] + added);  // two springs act as one
    p.stiffness[v] += added;
  }

  std::vector<Actuator<S>> actuators_;
  VectorX<S> ctrl_;
  Model<S, Joints> model_;
  std::vector<Carried> carried_;
  ActuatorUse use_;
};

}  // namespace actio
