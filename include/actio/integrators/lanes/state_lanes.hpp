// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps without iterations for several instances of a model at once: one instance in each lane of SIMD registers.
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "actio/integrators/integrator.hpp"
#include "actio/integrators/lanes/lane_tools.hpp"
#include "actio/model/cast.hpp"

namespace actio::detail {

/// N motions of one model, each by the step of an integrator whose memory is a state, computed at once. A motion has the same bits in any
/// lane and beside any neighbours, and differs from that of the integrator by rounding. A lane that the common step does not take makes its
/// step alone, in that integrator; if that fails, the lane reports it, keeps its state, and the others go on.
/// @tparam Single the integrator.  @tparam Rule its step for Model<Batch>: `check(model)` refuses what it does not support, `success()` is the
/// StepResult of a step that succeeds, and `step(x, input, h, next)` returns the bits of the lanes whose next state is found.
/// @tparam N 2, 4, 8 or 16: as many as one register has lanes is fastest.
template <class Single, class Rule, int N>
class StateLanes {
 public:
  using Model = typename Single::Model;              ///< a Model of the default joints
  using Scalar = typename Model::Scalar;             ///< scalar type of one lane
  static constexpr int lanes = N;                    ///< number of motions
  using Results = std::array<StepResult<Scalar>, static_cast<std::size_t>(N)>;  ///< one for each lane
  static constexpr int order = Single::order;              ///< of the error at a given time, in h
  static constexpr bool reversible = Single::reversible;   ///< h > 0 only
  using Memory = State<Batch<Scalar, N>>;                  ///< all that the next step depends on

  /// Every lane begins at rest in the neutral configuration.  @param model outlives this.
  /// @throws ModelError if it has something active that the integrator or lanes do not support, or a joint that moves no mass.
  explicit StateLanes(const Model& model)
      : model_(&checked(model)), single_(model), one_(single_.make_memory()), wide_(std::make_shared<const WideModel>(cast<Wide>(model))),
        rule_(*wide_), input_(model), node_{wide_->neutral(), VectorX<Wide>::Constant(model.nv(), Wide(Scalar(0))), Wide(Scalar(0))}, next_(node_) {}
  explicit StateLanes(Model&&) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }                 ///< as given to the constructor
  Scalar time(int lane) const noexcept { return node_.time[lane]; }       ///< t_k of a lane [s]
  /// Copies q_k of a lane.  @param q (nq), of that size.
  void configuration(int lane, std::type_identity_t<VectorRef<Scalar>> q) const noexcept { get_lane(node_.q, lane, q); }
  /// Begins a lane anew at x; the others do not change.  @throws OptionsError if x is not a state of the model; nothing changes then.
  void reset(int lane, const State<Scalar>& x) {
    require_state(*model_, x);
    set(node_, lane, x);
  }
  /// Copies q_k, v_k and t_k of a lane; never fails.
  Status read(int lane, State<Scalar>& state) noexcept {
    state.q.resize(model_->nq());
    state.v.resize(model_->nv());
    get(node_, lane, state);
    return Status::converged;
  }

  /// Advances lanes by a step.  @param inputs an array with one for each lane, or one for all.  @param h > 0 [s].  @param which the lanes that
  /// step, lane k as bit k; the others rest, with a default result.
  /// @returns for each lane the status; on failure, its reason. A lane whose step failed keeps its state.
  Results step(const LaneInputs<Scalar, N>& inputs, Scalar h, unsigned which = ~0U) noexcept {
    Results results{};
    unsigned valid = 0;
    for (int k = 0; k < N; ++k) {
      if ((which >> k & 1U) == 0) continue;
      StepResult<Scalar>& result = results[at(k)];
      if (!is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
      else if (!is_valid(*model_, inputs[k])) result.status = Status::invalid_input;
      else valid |= 1U << k;
    }
    if (valid == 0) return results;
    unsigned done = valid & rule_.step(node_, input_.gather(inputs, valid), Wide(h), next_);
    next_.time = node_.time + Wide(h);
    const unsigned alone = valid & ~done;
    for (int k = 0; k < N; ++k) {
      if ((done >> k & 1U) != 0) results[at(k)] = Rule::success();
      else if ((alone >> k & 1U) != 0 && step_alone(k, inputs[k], h, results[at(k)])) done |= 1U << k;
    }
    if (const auto mask = mask_of<Wide>(done); all(mask)) {
      std::swap(node_, next_);
    } else {
      blend(mask, next_.q, node_.q);
      blend(mask, next_.v, node_.v);
      node_.time = select(mask, next_.time, node_.time);
    }
    return results;
  }

  Memory make_memory() const { return node_; }                     ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = node_; }     ///< saves q_k, v_k, t_k
  void restore(const Memory& memory) noexcept { node_ = memory; }  ///< restores a saved memory; steps continue bitwise

 private:
  using Wide = Batch<Scalar, N>;
  using WideModel = actio::Model<Wide>;

  static constexpr std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
  static const Model& checked(const Model& model) {
    Rule::check(model);
    return model;
  }
  static void set(State<Wide>& all, int lane, const State<Scalar>& x) noexcept {
    set_lane_of(all.q, lane, x.q);
    set_lane_of(all.v, lane, x.v);
    all.time.set(lane, x.time);
  }
  static void get(const State<Wide>& all, int lane, State<Scalar>& x) noexcept {
    get_lane(all.q, lane, x.q);
    get_lane(all.v, lane, x.v);
    x.time = all.time[lane];
  }
  static State<Scalar>& state_of(typename Single::Memory& memory) noexcept {
    if constexpr (requires { memory.state; }) return memory.state;
    else return memory;
  }

  /// Makes the step of a lane alone.  @returns whether it succeeded.
  bool step_alone(int lane, const Input<Scalar>& input, Scalar h, StepResult<Scalar>& result) noexcept {
    get(node_, lane, state_of(one_));
    single_.restore(one_);
    result = single_.step(input, h);
    if (!result) return false;
    single_.save(one_);
    set(next_, lane, state_of(one_));
    return true;
  }

  const Model* model_;
  Single single_;
  typename Single::Memory one_;
  std::shared_ptr<const WideModel> wide_;  // copies share it
  Rule rule_;
  WideInput<Wide> input_;
  State<Wide> node_, next_;
};

}  // namespace actio::detail
