// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A node of a run, as observers and controllers see it.
#include <cstdint>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"

namespace actio {

/// A running simulation at a node, as observers and controllers see it. State, kinematics and energy are computed on the first call
/// at a node.
template <detail::HasState I>
class Node {
 public:
  using Model = typename I::Model;    ///< the integrator's
  using Scalar = typename I::Scalar;  ///< scalar type of all numbers

  /// Node 0, at the present node of the integrator; made by simulate().  @param integrator outlives this.  @param h first time step [s].
  Node(I& integrator, const Scalar& h)
      : integrator_(&integrator),
        h_(h),
        full_h_(h),
        begin_(integrator.time()),
        state_(rest_state(integrator.model())),
        kinematics_(integrator.model()) {}

  const Model& model() const noexcept { return integrator_->model(); }  ///< the model of the integrator
  I& integrator() noexcept { return *integrator_; }                     ///< for scheme-specific reports
  std::int64_t step() const noexcept { return step_; }                  ///< steps taken so far; 0 at the start
  /// Returns the time [s]: for steps of equal length t_0 + step h, without the accumulated rounding of state().time. A last step may be
  /// shorter.
  Scalar time() const noexcept {
    if constexpr (Integrator<I>) return begin_ + (Scalar(static_cast<ValueOf<Scalar>>(step_)) * full_h_ - shortened_);
    else return integrator_->time();
  }
  const VectorX<Scalar>& configuration() const noexcept { return integrator_->configuration(); }  ///< q (nq), at no cost
  const Scalar& h() const noexcept { return h_; }  ///< length of the step that led here; at the start, of the first step [s]
  const StepResult<Scalar>& result() const noexcept { return result_; }  ///< of the step that led here; a default one at the start
  /// Returns the input of the step that led here, an empty one at the start; valid until the controller is called again.
  const Input<Scalar>& input() const noexcept { return input_ ? *input_ : nothing_; }

  /// Reads q, v and time, which may take one solve. If that fails, v is NaN, status() has the reason, and the run ends here.
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
  /// Returns poses and twists of the bodies, which takes one more outward sweep.
  const KinematicsData<Scalar>& kinematics() noexcept {
    if (!has_kinematics_) forward_kinematics(model(), kinematics_, state().q, state().v);
    has_kinematics_ = true;
    return kinematics_;
  }
  /// Returns the energies [J]. The elastic energy is that of the springs of joints and between points and, for integrators with row_energy(),
  /// of limits, loops and contacts.
  const Energy<Scalar>& energy() noexcept {
    if (has_energy_) return energy_;
    has_energy_ = true;
    energy_ = {kinetic_energy(model(), kinematics(), state().v), potential_energy(model(), kinematics()),
               elastic_energy(model(), kinematics())};
    if constexpr (requires { integrator_->row_energy(); }) energy_.elastic += integrator_->row_energy();
    return energy_;
  }
  Status status() const noexcept { return status_; }  ///< of reading the state

  /// Advances to the next node, by h; called by simulate().
  void advance(const StepResult<Scalar>& result, const Input<Scalar>& input, const Scalar& h) noexcept {
    ++step_;
    h_ = h;
    shortened_ += full_h_ - h;
    result_ = result;
    input_ = &input;
    state_is_read_ = has_kinematics_ = has_energy_ = false;
  }

 private:
  I* integrator_;
  Scalar h_, full_h_, begin_;
  Scalar shortened_{};  // the time by which steps were shorter than the first [s]
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
