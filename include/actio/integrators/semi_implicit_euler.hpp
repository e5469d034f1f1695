// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The semi-implicit Euler integrator, the scheme of most simulators, for comparison.
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/explicit/acceleration.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// The scheme of most simulators: v_1 = v_0 + h a(q_0, v_0), q_1 = q_0 (+) h v_1, first order. Joint damping acts at v_1, so
/// that any damping is stable; springs and all else are explicit.
/// Symplectic only if the mass matrix is constant; on other trees it gains or loses energy.
/// @tparam Force a ForceField.
template <class ModelType, class Force = NoForce>
class SemiImplicitEuler {
 public:
  using Model = ModelType;                   ///< a Model of any joints
  using Scalar = typename Model::Scalar;     ///< scalar type of all numbers
  using Memory = State<Scalar>;              ///< all that the next step depends on
  static constexpr int order = 1;            ///< of the error at a given time, in h
  static constexpr bool reversible = false;  ///< h > 0 only

  /// @param model outlives the integrator.  @throws ModelError if it has something active that this scheme does not support, or
  /// a joint that moves no mass.
  explicit SemiImplicitEuler(const Model& model, Force force = {})
      : model_(&model), state_(rest_state(model)), next_(state_), step_(state_.v), acceleration_(model, std::move(force)) {
    require_support(model, {.dampers = true}, "euler");
    detail::require_inertia(model, "euler");
  }
  explicit SemiImplicitEuler(Model&&, Force = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }                     ///< as given to the constructor
  const VectorX<Scalar>& configuration() const noexcept { return state_.q; }  ///< q_k (nq)
  Scalar time() const noexcept { return state_.time; }                        ///< t_k [s]

  /// Begins anew at x.  @throws OptionsError if x is not a state of the model; nothing changes then.
  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    state_ = x;
  }
  /// Copies q_k, v_k and t_k; never fails.
  Status read(State<Scalar>& state) noexcept {
    state = state_;
    return Status::converged;
  }

  /// Advances by one step, with one forward dynamics.  @param input evaluated at the beginning, as the force field.  @param h > 0 [s].
  /// @returns the status; on failure, its reason; the culprit is a body whose joint moves no mass.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.evaluations = 1;
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
    else result.status = acceleration_.evaluate(*model_, input, Scalar(0), state_.time, state_.q, state_.v, h, result.culprit);
    if (!result) return result;
    next_.v = state_.v + h * acceleration_.value();
    step_ = h * next_.v;
    model_->integrate(state_.q, step_, next_.q);
    next_.time = state_.time + h;
    if (!detail::is_finite_vector(next_.q) || !detail::is_finite_vector(next_.v)) result.status = Status::not_finite;
    else std::swap(state_, next_);
    return result;
  }

  Memory make_memory() const { return state_; }                     ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = state_; }     ///< saves q_k, v_k, t_k
  void restore(const Memory& memory) noexcept { state_ = memory; }  ///< restores a saved memory; steps continue bitwise

 private:
  const Model* model_;
  State<Scalar> state_, next_;
  VectorX<Scalar> step_;
  detail::Acceleration<Model, Force> acceleration_;
};

}  // namespace actio
