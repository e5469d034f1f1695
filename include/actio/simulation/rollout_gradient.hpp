// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The gradient of a function of a whole run by its start and its inputs, in one sweep backward over its steps.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/force_rates.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/step_derivatives.hpp"

namespace actio {

/// How RolloutGradient keeps a run.
struct RolloutGradientOptions {
  std::int64_t segment = 64;  ///< steps whose derivatives are kept at a time, >= 1; the root of the number of steps takes the least memory
  std::size_t found = 32;     ///< as in StepDerivatives: the largest number of contacts that the source finds
  /// Whether the increments of all steps are kept, (nv x steps), as many numbers as there are inputs: the way back then does not solve the
  /// steps of trees in free motion again, and has the same bits.
  bool keep_increments = true;

  /// @throws OptionsError if the segment is not positive.
  void check() const { detail::require_option(segment >= 1, "rollout_gradient", "segment", segment, ">= 1"); }
};

/// The gradient of J = sum over nodes k = 0 ... N of l_k(q_k, p_k), of the N steps of a variational integrator, by the start (q_0, p_0) and by
/// the joint forces of all inputs. Exact to rounding and to the tolerance of the steps, for everything that StepDerivatives differentiates.
///
///   RolloutGradient gradient(integrator);
///   gradient.run(start, [&](std::int64_t k, Input<double>& input) { input.tau_begin = plan.col(k); }, h, steps);
///   gradient.backward([&](std::int64_t k, const auto& q, const auto& p, auto& w_q, auto& w_p) { if (k == steps) w_q += weights; },
///                     [&](std::int64_t k, const auto& w_begin, const auto& w_end) { of_plan.col(k) = w_begin + w_end; });
///
/// The run keeps the integrator's memory every `segment` steps. The way back makes each segment again, keeps its derivatives, and multiplies
/// them transposed, last step first: N/segment memories and `segment` derivatives are stored, and each step is made twice, the second time by
/// VariationalIntegrator::repeat() if increments are kept. Weights of q are those of velocities of the joints' kind, (nv), as in
/// StepDerivatives; MomentumWeights has those of v.
///                                                                                             [vi_math.md, section 7]
/// @tparam Integrator a VariationalIntegrator without a force field.
template <class Integrator>
class RolloutGradient {
 public:
  using Model = typename Integrator::Model;    ///< the integrator's
  using Scalar = typename Integrator::Scalar;  ///< scalar type of all numbers
  using Vector = VectorX<Scalar>;              ///< (nv), or q (nq)

  /// @param integrator is copied; its model outlives this.  Allocates the derivatives of a segment.
  /// @throws ModelError for models that StepDerivatives refuses; OptionsError for options out of range.
  explicit RolloutGradient(const Integrator& integrator, const RolloutGradientOptions& options = {})
      : options_((options.check(), options)),
        integrator_(integrator),
        derivatives_(static_cast<std::size_t>(options.segment), StepDerivatives(integrator, options.found)),
        inputs_(static_cast<std::size_t>(options.segment)),
        q_(static_cast<std::size_t>(options.segment), integrator.configuration()),
        p_(static_cast<std::size_t>(options.segment), integrator.momentum()) {
    for (Vector* work : {&w_q_, &w_p_, &w_begin_, &w_end_}) work->setZero(integrator.model().nv());
  }

  /// Makes the run.  @param inputs void(k, input) sets the input of step k = 0, 1, ..., in which it finds what an earlier call left; called
  /// again on the way back, where it must give the same.  @param h time step [s].  @param steps their number.
  /// @returns the status; not converged if a step failed, after which there is no way back.
  /// Allocates the memories before the first step.  @throws OptionsError if reset() refuses the start.
  template <class Inputs>
  StepResult<Scalar> run(const State<Scalar>& start, Inputs&& inputs, const Scalar& h, std::int64_t steps) {
    steps_ = -1;
    integrator_.reset(start);
    h_ = h;
    const std::int64_t count = std::max(steps, std::int64_t{0});
    memories_.resize(static_cast<std::size_t>((count + options_.segment - 1) / options_.segment), integrator_.make_memory());
    increments_.resize(integrator_.model().nv(), options_.keep_increments ? count : 0);
    Input<Scalar> input;
    StepResult<Scalar> result;
    for (std::int64_t k = 0; k < count; ++k) {
      if (k % options_.segment == 0) integrator_.save(memories_[static_cast<std::size_t>(k / options_.segment)]);
      inputs(k, input);
      result = integrator_.step(input, h);
      if (!result) return result;
      if (integrator_.last_step().h != h) increments_.resize(Eigen::NoChange, 0);  // it had substeps: the way back stops there
      if (increments_.cols() > 0) increments_.col(k) = integrator_.last_step().x;
    }
    end_q_ = integrator_.configuration();
    end_p_ = integrator_.momentum();
    steps_ = count;
    return result;
  }
  const Integrator& integrator() const noexcept { return integrator_; }  ///< at the end of the run

  /// Computes the gradient, after run().
  /// @param inputs as in run().
  /// @param weigh void(k, q, p, w_q, w_p) is called for the nodes N, N - 1, ..., 0 and adds dl_k/dq_k and dl_k/dp_k, (nv) each, to the weights.
  /// @param collect void(k, w_begin, w_end) is called for the steps N - 1, ..., 0 with dJ/dtau_begin and dJ/dtau_end of input k, (nv) each.
  /// @returns converged; invalid_step without a run, or where a step has no derivative (see StepDerivatives::linearize), callback_failed if
  /// `inputs` does not give the same as before. The gradient is then not valid.  Allocates nothing unless the functions do.
  template <class Inputs, class Weigh, class Collect>
  Status backward(Inputs&& inputs, Weigh&& weigh, Collect&& collect) {
    if (steps_ < 0) return Status::invalid_step;
    w_q_.setZero();
    w_p_.setZero();
    next_q_ = end_q_;
    next_p_ = end_p_;
    weigh(steps_, end_q_, end_p_, w_q_, w_p_);
    for (std::int64_t end = steps_; end > 0;) {
      const std::int64_t begin = (end - 1) / options_.segment * options_.segment;
      integrator_.restore(memories_[static_cast<std::size_t>(begin / options_.segment)]);
      for (std::int64_t k = begin; k < end; ++k) {
        const auto slot = static_cast<std::size_t>(k - begin);
        q_[slot] = integrator_.configuration();
        p_[slot] = integrator_.momentum();
        inputs(k, inputs_[slot]);
        const StepResult<Scalar> result =
            increments_.cols() > 0 ? integrator_.repeat(inputs_[slot], h_, increments_.col(k)) : integrator_.step(inputs_[slot], h_);
        if (!result) return Status::callback_failed;  // it succeeded with the inputs of the run
        const Status status = derivatives_[slot].linearize(integrator_, inputs_[slot]);
        if (status != Status::converged) return status;
      }
      if (integrator_.configuration() != next_q_ || integrator_.momentum() != next_p_) return Status::callback_failed;
      next_q_ = q_.front();
      next_p_ = p_.front();
      for (std::int64_t k = end - 1; k >= begin; --k) {
        const auto slot = static_cast<std::size_t>(k - begin);
        derivatives_[slot].adjoint(w_q_, w_p_, w_q_, w_p_, w_begin_, w_end_);
        collect(k, std::as_const(w_begin_), std::as_const(w_end_));
        weigh(k, std::as_const(q_[slot]), std::as_const(p_[slot]), w_q_, w_p_);
      }
      end = begin;
    }
    return Status::converged;
  }
  const Vector& of_start_q() const noexcept { return w_q_; }  ///< dJ/dq_0 (nv) at fixed p_0, after backward()
  const Vector& of_start_p() const noexcept { return w_p_; }  ///< dJ/dp_0 (nv), after backward()

 private:
  RolloutGradientOptions options_;
  Integrator integrator_;
  std::vector<decltype(StepDerivatives(std::declval<const Integrator&>(), std::size_t{}))> derivatives_;  // of the steps of a segment
  std::vector<Input<Scalar>> inputs_;
  std::vector<Vector> q_, p_;
  std::vector<typename Integrator::Memory> memories_;  // where segments begin
  MatrixX<Scalar> increments_;                         // (nv x steps) or empty
  Vector w_q_, w_p_, w_begin_, w_end_, end_q_, end_p_, next_q_, next_p_;
  Scalar h_{};
  std::int64_t steps_ = -1;
};

/// Weights of velocities as weights of momenta p = M(q) v, and back, for models without closed loops and couplings, O(bodies).
///   dv = M^-1 (dp - d(M v)/dq dq):   w_p = M^-1 w_v,  w_q -= (d(M v)/dq)^T w_p
template <class ModelType>
class MomentumWeights {
 public:
  using Model = ModelType;                ///< a Model of any joints
  using Scalar = typename Model::Scalar;  ///< scalar type of all numbers
  using Vector = VectorX<Scalar>;         ///< (nv)

  /// @param model outlives this.  @throws ModelError if it has active loops or couplings.
  explicit MomentumWeights(const Model& model)
      : model_(&model), tree_(model), mass_(model), momentum_(model), rates_(model), zero_(Vector::Zero(model.nv())), z_(zero_) {
    require_support(model, {.limits = true, .friction = true, .contact = true, .nonholonomic = true, .servos = true}, "MomentumWeights");
  }

  /// @param q (nq), v (nv) of the node.  @param w_v (nv) weights of v.  @param w_q, w_p (nv) to which those of q and p are added.
  /// @returns false if M is singular; nothing is added then.
  bool add_from_velocity(const ConstVectorRef<Scalar>& q, const ConstVectorRef<Scalar>& v, const ConstVectorRef<Scalar>& w_v,
                         VectorRef<Scalar> w_q, VectorRef<Scalar> w_p) noexcept {
    begin(q, v);
    if (abi_factor(*model_, tree_, mass_, zero_) != 0) return false;
    abi_solve(*model_, tree_, mass_, w_v, z_);
    w_p += z_;
    add_momentum_rate(v, z_, Scalar(-1), w_q);
    return true;
  }
  /// The other way, for the start: of a function of q and p that of q and v.  @param w_p (nv) weights of p.  @param w_q (nv) in: at fixed p,
  /// out: at fixed v.  @param w_v (nv) out.
  void to_velocity(const ConstVectorRef<Scalar>& q, const ConstVectorRef<Scalar>& v, const ConstVectorRef<Scalar>& w_p, VectorRef<Scalar> w_q,
                   VectorRef<Scalar> w_v) noexcept {
    begin(q, v);
    z_ = w_p;
    add_momentum_rate(v, z_, Scalar(1), w_q);
    w_v = joint_momentum(*model_, tree_, momentum_, z_);
  }

 private:
  void begin(const ConstVectorRef<Scalar>& q, const ConstVectorRef<Scalar>& v) noexcept {
    place(*model_, tree_, q);
    joint_momentum(*model_, tree_, momentum_, v);
    twists_ = momentum_.V;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) rates_.wrenches()[i] = model_->inertia(i).momentum(twists_[i]);
    rates_.begin(tree_);
  }
  /// Adds factor (d(M v)/dq)^T y.
  void add_momentum_rate(const ConstVectorRef<Scalar>& v, const Vector& y, const Scalar& factor, VectorRef<Scalar> w_q) noexcept {
    rates_.add_transposed(tree_, factor, y, w_q);
    rates_.add_momenta_transposed(tree_, twists_, v, y, w_q, factor);
  }

  const Model* model_;
  TreePose<Scalar> tree_;
  AbiData<Scalar> mass_;
  JointMomentumData<Scalar> momentum_;
  detail::ForceRates<Model> rates_;
  BodyArray<Vector6<Scalar>> twists_;
  Vector zero_, z_;
};

}  // namespace actio
