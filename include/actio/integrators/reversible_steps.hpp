// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reversible step control: steps that adapt to the motion and remain reversible.
#include <cmath>
#include <string>
#include <utility>

#include "actio/core/elementary.hpp"
#include "actio/core/options.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/composed/step_density.hpp"
#include "actio/integrators/explicit/acceleration.hpp"
#include "actio/integrators/integrator.hpp"

namespace actio {

/// Runs a reversible integrator in steps h = epsilon / rho. rho follows the density of the motion by an integral, with half
/// a kick at either end of a step:                                        [Hairer and Söderlind 2005; vi_math.md, section 9]
///   rho_{k+1/2} = rho_k + epsilon/2 G(q_k, v_k),  rho_{k+1} = rho_{k+1/2} + epsilon/2 G(q_{k+1}, v_{k+1}),  G = d(ln density)/dt
/// The scheme is symmetric: after reverse() it returns along its nodes. The energy error therefore has no trend where the motion is
/// regular, as with equal steps, whereas it drifts with steps chosen by an error estimate. For smooth conservative motion.
/// Costs a read of v, a forward dynamics and three outward sweeps a step. A StepControl: simulate() runs it.
template <Integrator Inner, class Density = RotationRate<typename Inner::Scalar>>
  requires StepDensity<Density, typename Inner::Model>
class ReversibleSteps {
  static_assert(Inner::reversible, "ReversibleSteps: the inner integrator must be reversible (I::reversible)");

 public:
  using Model = typename Inner::Model;    ///< the inner integrator's
  using Scalar = typename Inner::Scalar;  ///< scalar type of all numbers
  static constexpr int order = Inner::order;  ///< of the error at a given time, in epsilon
  static constexpr bool reversible = true;    ///< after reverse() it returns along its nodes

  /// The memory of the inner integrator and of the step control.
  struct Memory {
    typename Inner::Memory inner;  ///< at the node
    State<Scalar> state;           ///< the same, as read there
    Scalar rho{},                  ///< rho_k [1/s]
        growth{},                  ///< G(q_k, v_k) [1/s]
        epsilon{},                 ///< negative after reverse()
        next{},                    ///< that of the next step, smaller after shorten()
        last{};                    ///< that of the last step
  };

  /// @param inner whose model outlives this; steps continue from its node.  @param epsilon step times density, > 0; with
  /// RotationRate about the angle of rotation in a step [rad], 0.005 to 0.05.
  /// @throws ModelError if the model dissipates; OptionsError if epsilon is out of range.
  ReversibleSteps(Inner inner, const Scalar& epsilon, Density density)
      : inner_(std::move(inner)),
        density_(std::move(density)),
        acceleration_(model(), NoForce{}),
        kinematics_(model()),
        before_(inner_.make_memory()),
        state_(rest_state(model())),
        ahead_(state_),
        probe_(state_),
        shift_(state_.v),
        epsilon_(epsilon),
        next_(epsilon),
        last_(epsilon) {
    detail::require_conservation(model(), "reversible step control",
                                 "a motion that dissipates energy cannot be reversed: remove it, or use equal steps");
    detail::require_option(is_finite(epsilon) && epsilon > Scalar(0), "ReversibleSteps", "epsilon", epsilon, "a finite number > 0");
    if (inner_.read(state_) == Status::converged) begin();
  }
  /// Uses the density's default scale for the model.
  ReversibleSteps(Inner inner, const Scalar& epsilon) requires std::constructible_from<Density, const Model&>
      : ReversibleSteps(inner, epsilon, Density(inner.model())) {}

  const Model& model() const noexcept { return inner_.model(); }  ///< as given to the inner integrator
  const Inner& inner() const noexcept { return inner_; }          ///< at the node
  const State<Scalar>& state() const noexcept { return state_; }  ///< at the node, at no cost
  const VectorX<Scalar>& configuration() const noexcept { return state_.q; }  ///< q_k (nq)
  /// Copies state(); never fails.
  Status read(State<Scalar>& state) noexcept {
    state = state_;
    return Status::converged;
  }
  /// Returns the gap of the inner integrator [m].
  Scalar gap() const noexcept requires requires(const Inner& i) { i.gap(); } { return inner_.gap(); }
  Scalar time() const noexcept { return inner_.time(); }          ///< t_k [s]
  Scalar density() const noexcept { return rho_; }                ///< rho_k [1/s]: the density of the state, to order epsilon^2
  Scalar h() const noexcept { return next_ / middle(); }          ///< length of the next step [s], negative after reverse()

  /// Begins anew at x.  @throws OptionsError as the inner integrator does; nothing changes then.
  void reset(const State<Scalar>& x) {
    inner_.reset(x);
    state_ = x;
    if (inner_.read(ahead_) == Status::converged) std::swap(state_, ahead_);  // with closed loops v is projected
    begin();
  }
  /// Reverses the direction of time: steps then return along the earlier nodes, to rounding and tolerance.
  void reverse() noexcept {
    epsilon_ = -epsilon_;
    next_ = -std::exchange(last_, -next_);
  }
  /// Shortens the next step: it is a step of the same scheme with a smaller epsilon. After reverse() the steps return along it too.
  /// @param h [s] between 0 and h().
  void shorten(const Scalar& h) noexcept { next_ = h * rho_ / (Scalar(1) - h / Scalar(2) * growth_); }

  /// Advances by h(), under `input`. Fails as a whole; with invalid_step if epsilon is so large that rho is not positive.
  /// The rate of the density does not include inputs, force fields, closed loops and nonholonomic constraints; where they dominate the
  /// motion, rho deviates from it.
  StepResult<Scalar> step(const Input<Scalar>& input = {}) noexcept {
    StepResult<Scalar> result;
    const Scalar rho = middle();
    if (!(rho > Scalar(0))) {
      result.status = Status::invalid_step;
      return result;
    }
    inner_.save(before_);
    result = inner_.step(input, next_ / rho);
    if (!result) return result;
    Scalar growth(0);
    result.status = inner_.read(ahead_);
    if (result) result.status = grow(ahead_, growth, result.culprit);
    if (!result) {
      inner_.restore(before_);
      return result;
    }
    std::swap(state_, ahead_);
    growth_ = growth;
    rho_ = rho + next_ / Scalar(2) * growth_;
    last_ = std::exchange(next_, epsilon_);
    return result;
  }

  Memory make_memory() const {
    return {inner_.make_memory(), state_, rho_, growth_, epsilon_, next_, last_};
  }  ///< sized for save(); allocates
  /// Saves all that the next step depends on.
  void save(Memory& memory) const noexcept {
    inner_.save(memory.inner);
    memory.state = state_;
    memory.rho = rho_, memory.growth = growth_, memory.epsilon = epsilon_;
    memory.next = next_, memory.last = last_;
  }
  /// Restores a saved memory; steps continue bitwise, in the direction of time that they had.
  void restore(const Memory& memory) noexcept {
    inner_.restore(memory.inner);
    state_ = memory.state;
    rho_ = memory.rho, growth_ = memory.growth, epsilon_ = memory.epsilon;
    next_ = memory.next, last_ = memory.last;
  }

 private:
  Scalar middle() const noexcept { return rho_ + next_ / Scalar(2) * growth_; }

  void begin() noexcept {
    next_ = last_ = epsilon_;
    Culprit culprit;
    rho_ = density_at(state_);
    if (grow(state_, growth_, culprit) != Status::converged) growth_ = Scalar(0);
  }

  Scalar density_at(const State<Scalar>& x) noexcept {
    forward_kinematics(model(), kinematics_, x.q, x.v);
    return density_(model(), kinematics_, x);
  }

  /// Computes growth = d(ln density)/dt by a central difference along the motion. It is odd in v to rounding, which is sufficient for
  /// reversibility, and accurate to about 1e-6.
  Status grow(const State<Scalar>& x, Scalar& growth, Culprit& culprit) noexcept {
    using elementary::log;
    const ValueOf<Scalar> share = sizeof(ValueOf<Scalar>) >= 8 ? ValueOf<Scalar>(1e-3) : ValueOf<Scalar>(1e-2);  // of the time scale
    const Scalar delta = Scalar(share) / density_at(x);
    const Status status = acceleration_.evaluate(model(), nothing_, Scalar(0), x.time, x.q, x.v, Scalar(0), culprit);
    if (status != Status::converged) return status;
    growth = log(density_beside(x, delta) / density_beside(x, -delta)) / (Scalar(2) * delta);
    return is_finite(growth) ? Status::converged : Status::not_finite;
  }
  Scalar density_beside(const State<Scalar>& x, const Scalar& delta) noexcept {
    shift_ = delta * x.v;
    model().integrate(x.q, shift_, probe_.q);
    probe_.v = x.v + delta * acceleration_.value();
    probe_.time = x.time;
    return density_at(probe_);
  }

  Inner inner_;
  Density density_;
  detail::Acceleration<Model, NoForce> acceleration_;
  KinematicsData<Scalar> kinematics_;
  typename Inner::Memory before_;
  State<Scalar> state_, ahead_, probe_;
  VectorX<Scalar> shift_;
  Input<Scalar> nothing_;
  Scalar epsilon_, next_, last_, rho_{}, growth_{};
};

}  // namespace actio
