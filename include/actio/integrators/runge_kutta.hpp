// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Explicit Runge-Kutta integrators on the manifold of configurations: Euler, Heun, order 4, and tableaus of your own.
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/explicit/acceleration.hpp"
#include "actio/integrators/explicit/chart_stages.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Explicit Runge-Kutta methods on the manifold of configurations.                                              [Munthe-Kaas 1999]
/// The force field and the input are evaluated at the stages' times.
/// @tparam Tableau one of explicit/tableaus.hpp, or one of the user with the members of ForwardEuler.  @tparam Force a ForceField.
template <class ModelType, class Tableau = RungeKutta4, class Force = NoForce>
class RungeKutta {
 public:
  using Model = ModelType;                      ///< a Model of any joints
  using Scalar = typename Model::Scalar;        ///< scalar type of all numbers
  using Memory = State<Scalar>;                 ///< all that the next step depends on
  static constexpr int order = Tableau::order;  ///< of the error at a given time, in h
  static constexpr bool reversible = false;     ///< h > 0 only

  /// @param model outlives the integrator.  @throws ModelError if it has something active that this scheme does not support, or
  /// a joint that moves no mass.
  explicit RungeKutta(const Model& model, Force force = {})
      : model_(&model), state_(rest_state(model)), stage_(state_), stages_(model.nv()), acceleration_(model, std::move(force)) {
    require_support(model, {.dampers = true}, Tableau::name);
    detail::require_inertia(model, Tableau::name);
  }
  explicit RungeKutta(Model&&, Force = {}) = delete;  // would dangle

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

  /// Advances by one step, with one forward dynamics a stage.  @param input evaluated at the stages' times.  @param h > 0 [s].
  /// @returns the status; on failure, its reason; the culprit is a body whose joint moves no mass.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
    for (std::size_t s = 0; s < Tableau::stages && result; ++s) {
      stages_.begin(*model_, s, state_, h, stage_);
      const Scalar c(static_cast<ValueOf<Scalar>>(Tableau::c[s]));
      result.status = acceleration_.evaluate(*model_, input, c, state_.time + c * h, stage_.q, stage_.v, Scalar(0), result.culprit);
      ++result.evaluations;
      stages_.end(*model_, s, stage_, acceleration_.value());
    }
    if (!result) return result;
    stages_.finish(*model_, state_, h, stage_);
    if (!detail::is_finite_vector(stage_.q) || !detail::is_finite_vector(stage_.v)) {
      result.status = Status::not_finite;
      return result;
    }
    stage_.time = state_.time + h;
    std::swap(state_, stage_);
    return result;
  }

  Memory make_memory() const { return state_; }                     ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = state_; }     ///< saves q_k, v_k, t_k
  void restore(const Memory& memory) noexcept { state_ = memory; }  ///< restores a saved memory; steps continue bitwise

 private:
  const Model* model_;
  State<Scalar> state_, stage_;
  detail::ChartStages<Model, Tableau> stages_;
  detail::Acceleration<Model, Force> acceleration_;
};

}  // namespace actio
