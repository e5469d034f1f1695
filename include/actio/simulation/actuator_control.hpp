// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A controller that runs actuators. Their stiffness and damping are springs and dampers of the model, which integrators treat implicitly.
#include <type_traits>
#include <utility>
#include <vector>

#include "actio/integrators/integrator.hpp"
#include "actio/model/actuator.hpp"

namespace actio {

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
/// Where a limit acts, the joint has additional inertia in the step, h times the damping. Use in_model = false for integrators that refuse
/// damping, such as Composition.
template <Scalar S, class Joints = DefaultJoints<S>>
class ActuatorControl {
 public:
  /// @param ctrl first controls; empty: 0.  @param in_model whether model() carries stiffness and damping.
  /// @throws ModelError if an actuator is not on a joint of the model; OptionsError for another number of controls than of actuators.
  explicit ActuatorControl(const Model<S, Joints>& model, std::type_identity_t<std::vector<Actuator<S>>> actuators,
                           std::type_identity_t<VectorX<S>> ctrl = {}, bool in_model = true)
      : actuators_(std::move(actuators)), ctrl_(std::move(ctrl)), model_(model), carried_(actuators_.size()), in_model_(in_model) {
    const Eigen::Index count = static_cast<Eigen::Index>(actuators_.size());
    if (ctrl_.size() == 0) ctrl_ = VectorX<S>::Zero(count);
    if (ctrl_.size() != count) {
      throw OptionsError("ActuatorControl has " + std::to_string(ctrl_.size()) + " controls, expected " + std::to_string(count));
    }
    ModelProperties<S> p = model.properties();
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      const Actuator<S>& a = actuators_[k];
      const bool is_there = a.body > 0 && a.body < model.num_bodies() && a.entry >= 0 && a.entry < model.nv(a.body) &&
                            (a.reference.size() == 0 || a.reference.size() == model.nq(a.body));
      if (!is_there) {
        throw ModelError("actuator '" + a.name + "' is on entry " + std::to_string(a.entry) + " of the joint of body " + std::to_string(a.body) +
                         ", which model '" + model.name() + "' does not have");
      }
      if (in_model) carry(k, p);
    }
    model_ = model_.with_properties(p);
  }

  const Model<S, Joints>& model() const { return model_; }                     ///< the model to integrate, must be that of the integrator
  const std::vector<Actuator<S>>& actuators() const { return actuators_; }     ///< as given
  bool in_model() const { return in_model_; }                                  ///< whether model() carries stiffness and damping
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
  }
  /// Adds the forces of the actuators to tau, without those that model() carries.  @param q (nq), v (nv).
  /// @param h time after which lengths count that change at their rates [s].  @param tau (nv) [N m, N].
  void add_missing_forces(const ConstVectorRef<S>& q, const ConstVectorRef<S>& v, const S& h, VectorRef<S> tau) const noexcept {
    for (std::size_t k = 0; k < actuators_.size(); ++k) {
      const Actuator<S>& a = actuators_[k];
      const Eigen::Index at = a.v_index(model_);
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
    S constant{};  // of the force of its spring [N m, N]
    S force(const Actuator<S>& a, const S& l, const S& rate) const noexcept {
      S f(0);
      if (stiffness) f += constant - a.stiffness * l;
      if (damping) f -= a.damping * rate;
      return f;
    }
  };

  void carry(std::size_t k, ModelProperties<S>& p) {
    const Actuator<S>& a = actuators_[k];
    Carried& carried = carried_[k];
    const S square = a.gear * a.gear;
    const Eigen::Index v = a.v_index(model_), q = model_.q_index(a.body) + a.entry;
    carried.damping = value_of(square * a.damping) > 0;
    if (carried.damping) p.damping[v] += square * a.damping;
    const bool is_flat = visit_joint(model_, a.body, []<JointType J>(const J&) { return joints::is_flat<J>(); });
    carried.stiffness = is_flat && value_of(square * a.stiffness) > 0;
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
  bool in_model_;
};

}  // namespace actio
