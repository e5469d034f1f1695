// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"

namespace actio {

/// A running simulation at a node, as observers and controllers see it. What costs something is computed when it is first
/// asked for, and once a node.
template <Integrator I>
class Node {
 public:
  using Model = typename I::Model;    ///< the integrator's
  using Scalar = typename I::Scalar;  ///< of all numbers

  /// Node 0, where the integrator stands; simulate() makes it.  @param integrator outlives this.  @param h time step [s].
  Node(I& integrator, const Scalar& h)
      : integrator_(&integrator), h_(h), begin_(integrator.time()), state_(rest_state(integrator.model())), kinematics_(integrator.model()) {}

  const Model& model() const noexcept { return integrator_->model(); }  ///< as it is simulated
  I& integrator() noexcept { return *integrator_; }                     ///< for scheme-specific reports
  std::int64_t step() const noexcept { return step_; }                  ///< steps taken so far; 0 at the start
  /// t_0 + step h [s], without the rounding that the integrator's own clock, state().time, gathers.
  Scalar time() const noexcept { return begin_ + Scalar(static_cast<ValueOf<Scalar>>(step_)) * h_; }
  const VectorX<Scalar>& configuration() const noexcept { return integrator_->configuration(); }  ///< q (nq), free of charge
  const Scalar& h() const noexcept { return h_; }  ///< length of every step [s]
  const StepResult<Scalar>& result() const noexcept { return result_; }  ///< of the step that led here; at the start nothing
  /// Of the step that led here, nothing at the start; valid until the controller is asked again.
  const Input<Scalar>& input() const noexcept { return input_ ? *input_ : nothing_; }

  /// q, v and time: may cost one solve. Where that fails, v is NaN and status() says why; the run ends here.
  const State<Scalar>& state() noexcept {
    if (state_is_read_) return state_;
    state_is_read_ = true;
    status_ = integrator_->read(state_);
    if (status_ != Status::converged) {
      state_.q = integrator_->configuration();
      state_.v.setConstant(Scalar(std::numeric_limits<ValueOf<Scalar>>::quiet_NaN()));
      state_.time = integrator_->time();
    }
    return state_;
  }
  /// Poses and twists of the bodies: one outward sweep more.
  const KinematicsData<Scalar>& kinematics() noexcept {
    if (!has_kinematics_) forward_kinematics(model(), kinematics_, state().q, state().v);
    has_kinematics_ = true;
    return kinematics_;
  }
  /// Energies [J]; elastic is what the springs of joints hold and, of integrators that tell it by row_energy(), those of limits, loops and
  /// contacts.
  const Energy<Scalar>& energy() noexcept {
    if (has_energy_) return energy_;
    has_energy_ = true;
    energy_ = {kinetic_energy(model(), kinematics(), state().v), potential_energy(model(), kinematics()), elastic_energy(model(), state().q)};
    if constexpr (requires { integrator_->row_energy(); }) energy_.elastic += integrator_->row_energy();
    return energy_;
  }
  Status status() const noexcept { return status_; }  ///< of reading the state

  /// To the next node, by simulate().
  void advance(const StepResult<Scalar>& result, const Input<Scalar>& input) noexcept {
    ++step_;
    result_ = result;
    input_ = &input;
    state_is_read_ = has_kinematics_ = has_energy_ = false;
  }

 private:
  I* integrator_;
  Scalar h_, begin_;
  State<Scalar> state_;
  KinematicsData<Scalar> kinematics_;
  Energy<Scalar> energy_;
  StepResult<Scalar> result_{};
  Input<Scalar> nothing_;
  const Input<Scalar>* input_ = nullptr;
  std::int64_t step_ = 0;
  bool state_is_read_ = false, has_kinematics_ = false, has_energy_ = false;
  Status status_ = Status::converged;
};

}  // namespace actio
