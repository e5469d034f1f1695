// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <utility>

#include "actio/integrators/acceleration.hpp"
#include "actio/integrators/require_inertia.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Heun's method of order 2: the explicit trapezoid.
struct Heun {
  static constexpr int stages = 2, order = 2;
  static constexpr std::array<double, 2> c{0, 1}, b{0.5, 0.5};
  static constexpr std::array<std::array<double, 2>, 2> a{{{}, {1}}};
  static constexpr const char* name = "heun";
};

/// The classical method of order 4.
struct RungeKutta4 {
  static constexpr int stages = 4, order = 4;
  static constexpr std::array<double, 4> c{0, 0.5, 0.5, 1}, b{1. / 6, 1. / 3, 1. / 3, 1. / 6};
  static constexpr std::array<std::array<double, 4>, 4> a{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}};
  static constexpr const char* name = "rk4";
};

/// Explicit Runge-Kutta methods on the manifold of configurations: q runs in the chart x at q_0, q = q_0 (+) x, where
/// x' = dlog(-x) v joint by joint, so that the order of the tableau holds for rotations too.     [Munthe-Kaas 1999]
/// The force field and the input are taken at the stages' own times.
template <class ModelType, class Tableau = RungeKutta4, class Force = NoForce>
class RungeKutta {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  using Memory = State<Scalar>;
  static constexpr int order = Tableau::order;
  static constexpr bool reversible = false;

  /// @param model outlives the integrator.  @throws ModelError when it has something active that this scheme cannot take, or
  /// a joint that moves no mass.
  explicit RungeKutta(const Model& model, Tableau = {}, Force force = {})
      : model_(&model), state_(rest_state(model)), stage_(state_), acceleration_(model, std::move(force)) {
    require_support(model, {}, Tableau::name);
    require_inertia(model, Tableau::name);
    x_ = state_.v;
    x_rate_.fill(state_.v);
    v_rate_.fill(state_.v);
  }
  explicit RungeKutta(Model&&, Tableau = {}, Force = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }
  const VectorX<Scalar>& configuration() const noexcept { return state_.q; }
  Scalar time() const noexcept { return state_.time; }

  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    state_ = x;
  }
  Status read(State<Scalar>& state) noexcept {
    state = state_;
    return Status::converged;
  }

  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
    for (std::size_t s = 0; s < Tableau::stages && result; ++s) {
      combine(Tableau::a[s], s, h);
      const Scalar c(static_cast<ValueOf<Scalar>>(Tableau::c[s]));
      result.status = acceleration_.evaluate(*model_, input, c, state_.time + c * h, stage_.q, stage_.v, Scalar(0), result.culprit);
      ++result.iterations;
      v_rate_[s] = acceleration_.value();
      chart_rate(x_rate_[s]);
    }
    if (!result) return result;
    combine(Tableau::b, Tableau::stages, h);
    if (!detail::is_finite_vector(stage_.q) || !detail::is_finite_vector(stage_.v)) {
      result.status = Status::not_finite;
      return result;
    }
    stage_.time = state_.time + h;
    std::swap(state_, stage_);
    return result;
  }

  Memory make_memory() const { return state_; }
  void save(Memory& memory) const noexcept { memory = state_; }
  void restore(const Memory& memory) noexcept { state_ = memory; }

 private:
  /// stage_ = the state moved by h times a weighted sum of the first `count` rates; x_ its chart.
  template <std::size_t n>
  void combine(const std::array<double, n>& weights, std::size_t count, const Scalar& h) noexcept {
    x_.setZero();
    stage_.v = state_.v;
    for (std::size_t s = 0; s < count; ++s) {
      if (weights[s] == 0) continue;
      const Scalar weight = h * Scalar(static_cast<ValueOf<Scalar>>(weights[s]));
      x_ += weight * x_rate_[s];
      stage_.v += weight * v_rate_[s];
    }
    model_->integrate(state_.q, x_, stage_.q);
  }

  /// rate = dlog(-x) v of the stage.
  void chart_rate(VectorX<Scalar>& rate) noexcept {
    rate = stage_.v;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        if constexpr (!joints::is_flat<J>()) {
          const typename J::Tangent x = model_->template v_of<J>(i, x_), v = model_->template v_of<J>(i, stage_.v);
          model_->template v_of<J>(i, rate) = joints::dlog(joint, typename J::Tangent(-x)) * v;
        }
      });
    }
  }

  const Model* model_;
  State<Scalar> state_, stage_;
  VectorX<Scalar> x_;
  std::array<VectorX<Scalar>, Tableau::stages> x_rate_, v_rate_;
  Acceleration<Model, Force> acceleration_;
};

}  // namespace actio
