// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a model, and the input of a step: joint forces, body wrenches and force fields.
#include <concepts>
#include <type_traits>
#include <utility>

#include "actio/core/dual.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// Configuration and velocity of a model at a time, in the layout of Model.
template <Scalar S>
struct State {
  VectorX<S> q;  ///< (nq) [rad, m; quaternions 1]
  VectorX<S> v;  ///< (nv) [rad/s, m/s]
  S time{};      ///< [s]
};

/// Returns the state of a model at rest at its neutral configuration.
template <Scalar S, class Joints>
State<S> rest_state(const Model<S, Joints>& model) {
  return {model.neutral(), VectorX<S>::Zero(model.nv()), S(0)};
}

/// Joint forces and body wrenches at the beginning and the end of a step. Empty values are zero; an empty value at
/// the end equals that at the beginning, which is a zero-order hold as in a digital controller.
template <Scalar S>
struct Input {
  VectorX<S> tau_begin,  ///< (nv) joint forces when the step begins [N m, N]
      tau_end;           ///< (nv) joint forces when it ends [N m, N]
  VectorX<S> servo;      ///< (servos) forces that add to those of the model's servos, within their limits [N m, N]; empty: 0
  ///@{
  /// One wrench for each body, the world included, in the body frame and about its origin [N m, N].
  BodyArray<Vector6<S>> wrench_begin, wrench_end;
  ///@}

  Input() = default;  ///< no forces act
  explicit Input(VectorX<S> tau) : tau_begin(std::move(tau)) {}                          ///< (nv) constant joint forces, no wrenches
  const VectorX<S>& tau_at_end() const { return tau_end.size() ? tau_end : tau_begin; }  ///< at the end: tau_begin if tau_end is empty
  /// Returns the wrenches at the end: wrench_begin if wrench_end is empty.
  const BodyArray<Vector6<S>>& wrench_at_end() const { return wrench_end.size() ? wrench_end : wrench_begin; }

  bool has_wrenches() const noexcept { return wrench_at_end().size() > 0; }  ///< whether a wrench acts on a body
  /// Adds the joint forces at a fraction of the step, 0 at its beginning and 1 at its end; others extrapolate.  @param tau (nv) [N m, N].
  void add_tau_at(const S& share, VectorX<S>& tau) const noexcept {
    if (tau_begin.size() > 0) tau += (S(1) - share) * tau_begin;
    if (tau_at_end().size() > 0) tau += share * tau_at_end();
  }
  /// Returns the wrench on body i at a fraction of the step [N m, N].  @pre has_wrenches()
  Vector6<S> wrench_at(const S& share, BodyIndex i) const noexcept {
    Vector6<S> wrench = share * wrench_at_end()[i];
    if (wrench_begin.size() > 0) wrench += (S(1) - share) * wrench_begin[i];
    return wrench;
  }
};

/// Returns whether the sizes fit the model and all numbers are finite; a step with any other input returns invalid_input.
template <Scalar S, class Joints>
bool is_valid(const Model<S, Joints>& model, const Input<S>& input) noexcept {
  for (const VectorX<S>* tau : {&input.tau_begin, &input.tau_end}) {
    if (tau->size() != 0 && (tau->size() != model.nv() || !detail::all_finite(*tau))) return false;
  }
  if (input.servo.size() != 0) {
    const bool fits = input.servo.size() == static_cast<Eigen::Index>(model.servos().size());
    if (!fits || !detail::all_finite(input.servo)) return false;
  }
  for (const BodyArray<Vector6<S>>* wrenches : {&input.wrench_begin, &input.wrench_end}) {
    if (wrenches->size() == 0) continue;
    if (wrenches->size() != model.num_bodies()) return false;
    for (const Vector6<S>& wrench : *wrenches) {
      if (!detail::all_finite(wrench)) return false;
    }
  }
  return true;
}

namespace detail {
/// A value of type T for use in concepts: unlike std::declval<T>() it is not a reference, so that nothing is copied or moved.
template <class T>
T prvalue() noexcept;
}  // namespace detail

/// Joint forces as a function of time [s] and state, q (nq) and v (nv), evaluated by each scheme as its order requires. It writes tau
/// (nv) [N m, N], which is zero on entry, and returns false if it failed (Status::callback_failed). Wrap functions that may throw in
/// catching().
template <class F, class S>
concept ForceField = requires(F& force, S time, const ConstVectorRef<S>& q, const ConstVectorRef<S>& v) {
  // tau is passed by value as a prvalue, because the copy of an Eigen::Ref is not declared noexcept
  { force(time, q, v, detail::prvalue<VectorRef<S>>()) } noexcept -> std::same_as<bool>;
};

/// No force field, at no cost.
struct NoForce {
  /// Leaves tau at zero.
  template <class S>
  bool operator()(S, const std::type_identity_t<ConstVectorRef<S>>&, const std::type_identity_t<ConstVectorRef<S>>&,
                  std::type_identity_t<VectorRef<S>>) noexcept {
    return true;
  }
};

namespace detail {

/// A force field from a function that may throw. An exception makes the step fail, and so does false if the function returns a bool.
template <class F>
class Catching {
 public:
  explicit Catching(F force) : force_(std::move(force)) {}  ///< force(time, q, v, tau) writes tau (nv); returns nothing or a bool
  /// Calls the function, as ForceField requires.
  template <class S>
  bool operator()(S time, const std::type_identity_t<ConstVectorRef<S>>& q, const std::type_identity_t<ConstVectorRef<S>>& v,
                  std::type_identity_t<VectorRef<S>> tau) noexcept {
    try {
      if constexpr (std::same_as<decltype(force_(time, q, v, tau)), bool>) {
        return force_(time, q, v, tau);
      } else {
        force_(time, q, v, tau);
        return true;
      }
    } catch (...) {
      return false;
    }
  }

 private:
  F force_;
};

}  // namespace detail
/// Returns a force field for an integrator from a function that may throw.
template <class F>
detail::Catching<F> catching(F force) {
  return detail::Catching<F>(std::move(force));
}

/// Computes q and v after a motion without acceleration over a time h: free bodies keep their velocities in the world, other joints their
/// rates.  @param q (nq), v (nv).  @param h [s], of either sign.  @param end result, of the right sizes; its time is not
/// changed.  Allocates and throws nothing.
template <Scalar S, class Joints>
void go_straight(const Model<S, Joints>& model, const VectorX<S>& q, const VectorX<S>& v, const S& h, State<S>& end) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Tangent rate = model.template v_of<J>(i, v), x = h * rate;
      model.template q_of<J>(i, end.q) = joints::straight(joint, typename J::Config(model.template q_of<J>(i, q)), x);
      model.template v_of<J>(i, end.v) = joints::transported(joint, rate, x);
    });
  }
}

/// Returns a state with its derivative along one direction: q (+) eps dq, v + eps dv; quaternions stay unit.
/// @param dq (nv) [rad, m].  @param dv (nv) [rad/s, m/s].
template <std::floating_point T, class Joints>
State<Dual<T>> dual_state(const Model<Dual<T>, Joints>& model, const State<T>& x, const std::type_identity_t<ConstVectorRef<T>>& dq,
                          const std::type_identity_t<ConstVectorRef<T>>& dv) {
  const VectorX<T> zero = VectorX<T>::Zero(dq.size());
  State<Dual<T>> varied{model.integrate(x.q.template cast<Dual<T>>(), dual_vector(zero, dq)), dual_vector(x.v, dv), Dual<T>(x.time)};
  for (Eigen::Index k = 0; k < x.q.size(); ++k) varied.q[k].value = x.q[k];  // to the last bit
  return varied;
}

/// Returns the dq (nv) along which a configuration (nq) changes [rad, m]: for a result of dual_state(), its argument dq.
template <std::floating_point T, class Joints>
VectorX<T> direction(const Model<Dual<T>, Joints>& model, const std::type_identity_t<ConstVectorRef<Dual<T>>>& q) {
  return derivatives(model.difference(values(q).template cast<Dual<T>>(), q));
}

}  // namespace actio
