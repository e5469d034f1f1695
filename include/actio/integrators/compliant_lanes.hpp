// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The compliant integrator for several instances of a tree without constraint rows at once, one in each lane of SIMD registers.
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/lanes/state_lanes.hpp"

namespace actio {
namespace detail {

/// The step of CompliantIntegrator without rows in all lanes.  @tparam WideModel a Model of batches.
template <class WideModel>
class CompliantOfLanes {
 public:
  using B = typename WideModel::Scalar;  ///< a Batch

  /// @param model outlives this.
  explicit CompliantOfLanes(const WideModel& model)
      : model_(&model), balance_(model), tree_(model), mass_(model), impulse_(VectorX<B>::Constant(model.nv(), B(ValueOf<B>(0)))),
        change_(impulse_) {}

  /// See StateLanes, as the next ones.  @throws ModelError for constraint rows.
  template <class Model>
  static void check(const Model& model) {
    require_support(model, {.dampers = true}, "compliant in lanes");
    if (!model.springs().empty()) refuse("compliant in lanes", title(model.springs().front()), "take CompliantIntegrator");
  }
  static StepResult<ValueOf<B>> success() noexcept {
    StepResult<ValueOf<B>> result;
    result.method = Method::cone;
    result.factorizations = 1;
    return result;
  }
  /// Lanes with a damper that the step does not resolve are left out: see DamperGuard.
  unsigned step(const State<B>& x, const Input<B>& input, const B& h, State<B>& next) noexcept {
    place(*model_, tree_, x.q);
    (void)abi_factor(*model_, tree_, mass_, balance_.added(h));  // a lane in which M is singular ends as NaN
    unsigned lanes = ~0U;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      for (Eigen::Index k = 0, v = model_->v_index(i); k < model_->nv(i); ++k, ++v) {
        const B stiff = B(ValueOf<B>(2)) * h * model_->properties().damping[v] * mass_.D_inverse(k, v);
        lanes &= ~(stiff > B(ValueOf<B>(1))).bits();
      }
    }
    impulse_ = -balance_.missing(x, x.v, input, h);
    abi_solve(*model_, tree_, mass_, impulse_, change_);
    change_ += x.v;
    go_straight(*model_, x.q, change_, h, next);
    return finite_lanes(next.q, finite_lanes(next.v, lanes));
  }

 private:
  const WideModel* model_;
  MomentumBalance<WideModel> balance_;
  TreePose<B> tree_;
  AbiData<B> mass_;  // factors of M with implicit terms
  VectorX<B> impulse_, change_;
};

}  // namespace detail

/// N motions of a tree by the step of CompliantIntegrator, computed at once, with joint springs and dampers but without loops, couplings,
/// limits, friction, contacts and springs between points: see detail::StateLanes for its members.
template <class ModelType, int N>
using CompliantLanes =
    detail::StateLanes<CompliantIntegrator<ModelType>, detail::CompliantOfLanes<Model<Batch<typename ModelType::Scalar, N>>>, N>;

}  // namespace actio
