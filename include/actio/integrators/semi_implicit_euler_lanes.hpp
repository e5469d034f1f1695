// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The semi-implicit Euler integrator for several instances of a model at once, one in each lane of SIMD registers.
#include "actio/integrators/lanes/state_lanes.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"

namespace actio {
namespace detail {

/// The step of SemiImplicitEuler in all lanes.  @tparam WideModel a Model of batches.
template <class WideModel>
class EulerOfLanes {
 public:
  using B = typename WideModel::Scalar;  ///< a Batch

  /// @param model outlives this.
  explicit EulerOfLanes(const WideModel& model)
      : model_(&model), acceleration_(model, {}), step_(VectorX<B>::Constant(model.nv(), B(ValueOf<B>(0)))) {}

  /// See StateLanes, as the next ones.  @throws ModelError for what SemiImplicitEuler does not support either.
  template <class Model>
  static void check(const Model& model) { require_support(model, {.dampers = true}, "euler in lanes"); }
  static StepResult<ValueOf<B>> success() noexcept {
    StepResult<ValueOf<B>> result;
    result.evaluations = 1;
    return result;
  }
  unsigned step(const State<B>& x, const Input<B>& input, const B& h, State<B>& next) noexcept {
    acceleration_.evaluate(*model_, input, x, h);
    next.v = x.v + h * acceleration_.value();
    step_ = h * next.v;
    model_->integrate(x.q, step_, next.q);
    return finite_lanes(next.q, finite_lanes(next.v, ~0U));
  }

 private:
  const WideModel* model_;
  Acceleration<WideModel, NoForce> acceleration_;
  VectorX<B> step_;
};

}  // namespace detail

/// N motions of one model by the step of SemiImplicitEuler, computed at once: see detail::StateLanes for its members.
///
///   SemiImplicitEulerLanes<Model<double>, 8> lanes(model);
///   for (int k = 0; k < 8; ++k) lanes.reset(k, starts[k]);
///   lanes.step(inputs, 1e-3);
template <class ModelType, int N>
using SemiImplicitEulerLanes =
    detail::StateLanes<SemiImplicitEuler<ModelType>, detail::EulerOfLanes<Model<Batch<typename ModelType::Scalar, N>>>, N>;

}  // namespace actio
