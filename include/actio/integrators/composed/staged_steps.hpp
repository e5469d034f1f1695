// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What integrators have in common whose step consists of several steps of another one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "actio/integrators/integrator.hpp"
#include "actio/integrators/shared/increment_history.hpp"
#include "actio/integrators/shared/parts.hpp"

namespace actio {

/// The base of Composition and Extrapolation: an integrator within, and the initial guesses of each of its steps in a step of the whole.
template <Integrator Inner, std::size_t stages>
class StagedSteps {
 public:
  using Model = typename Inner::Model;    ///< the inner integrator's
  using Scalar = typename Inner::Scalar;  ///< scalar type of all numbers

 private:
  /// One history for each stage: a stage's increment changes smoothly from step to step, but not from stage to stage, since the nodes
  /// between the stages have the error of the inner order.
  using Histories = std::array<IncrementHistory<Scalar>, detail::ContinuesIncrements<Inner> ? stages : 0>;

 public:
  /// The memory of the inner integrator and of each stage's initial guesses.
  struct Memory {
    typename Inner::Memory inner;  ///< at the node
    Histories histories;           ///< of the stages' increments; empty if the inner integrator keeps no such history
    Scalar time{};                 ///< t_k [s], without the rounding of the stages
  };

  const Model& model() const noexcept { return inner_.model(); }  ///< as given to the constructor
  const Inner& inner() const noexcept { return inner_; }          ///< at the node
  /// Returns the options of the inner integrator.
  const auto& options() const noexcept requires requires(const Inner& i) { i.options(); } { return inner_.options(); }
  const VectorX<Scalar>& configuration() const noexcept { return inner_.configuration(); }  ///< q_k (nq)
  /// Returns p_k (nv) [N m s, N s].
  const VectorX<Scalar>& momentum() const noexcept requires requires(const Inner& i) { i.momentum(); } { return inner_.momentum(); }
  Scalar time() const noexcept { return time_; }  ///< t_k [s]

  /// Begins anew at x.  @throws OptionsError as the inner integrator does; nothing changes then.
  void reset(const State<Scalar>& x) {
    inner_.reset(x);
    time_ = x.time;
    for (IncrementHistory<Scalar>& history : histories_) history.clear();
  }
  /// Reads as the inner integrator does; the time is that of the whole steps.
  Status read(State<Scalar>& state) noexcept {
    const Status status = inner_.read(state);
    if (status == Status::converged) state.time = time_;
    return status;
  }

  Memory make_memory() const { return {inner_.make_memory(), histories_, time_}; }  ///< sized for save(); allocates
  /// Saves all that the next step depends on.
  void save(Memory& memory) const noexcept {
    inner_.save(memory.inner);
    memory.histories = histories_;
    memory.time = time_;
  }
  /// Restores a saved memory; steps continue bitwise as they did from there.
  void restore(const Memory& memory) noexcept {
    inner_.restore(memory.inner);
    histories_ = memory.histories;
    time_ = memory.time;
  }

 protected:
  /// @param inner whose model outlives the integrator.
  explicit StagedSteps(Inner inner)
      : inner_(std::move(inner)), time_(inner_.time()), before_{inner_.make_memory(), {}, time_}, part_(inner_.model()) {
    if constexpr (detail::ContinuesIncrements<Inner>) {
      histories_.fill(inner_.increment_history());
      for (IncrementHistory<Scalar>& history : histories_) history.clear();
    }
    before_.histories = histories_;
  }

  /// Advances by one step, which fails as a whole: in one part, or in 2, 4, 8 or 16 equal ones where the inner integrator would halve one of
  /// its steps, since inner steps of other lengths lose the order; with halved steps only if that does not help.
  /// @param make (result, begin, share) makes the part of the step that begins at a share of it and has another share as its length.
  template <class Make>
  StepResult<Scalar> step_in_parts(const Input<Scalar>& input, const Scalar& h, Method method, bool reversible, const Make& make) noexcept {
    constexpr int most = 16;
    StepResult<Scalar> result;
    result.method = method;
    if (!detail::is_valid_step(model(), h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(model(), input)) result.status = Status::invalid_input;
    if (!result) return result;
    save(before_);
    bool is_whole = false;
    const auto attempt = [&](int parts) {
      StepResult<Scalar> now;
      now.method = method;
      const Scalar share = Scalar(1) / Scalar(static_cast<ValueOf<Scalar>>(parts));
      for (int part = 0; part < parts && now; ++part) make(now, Scalar(static_cast<ValueOf<Scalar>>(part)) * share, share);
      now.iterations += result.iterations;
      now.evaluations += result.evaluations;
      now.factorizations += result.factorizations;
      result = now;
      is_whole = !result || result.substeps == 1;
    };
    int parts = 1;
    attempt(parts);
    while (!is_whole && parts < most) {
      restore(before_);
      attempt(parts *= 2);
      is_whole = is_whole && result;
    }
    if (is_whole) {
      result.substeps = std::max(result.substeps, parts);
    } else {
      restore(before_);
      attempt(1);
    }
    if (result) time_ += h;  // not the sum of the stages
    else restore(before_);
    return result;
  }
  /// Makes an inner step from a share of the whole step to another, of length h [s], and adds its result.
  void make_stage(std::size_t stage, const Input<Scalar>& input, const Scalar& begin, const Scalar& end, const Scalar& h,
                  StepResult<Scalar>& result) noexcept {
    exchange_history(stage);
    const StepResult<Scalar> one = inner_.step(part_.over(input, begin, end), h);
    exchange_history(stage);
    detail::add_part(result, one);
  }

  Inner inner_;  ///< at the node

 private:
  void exchange_history([[maybe_unused]] std::size_t stage) noexcept {
    if constexpr (detail::ContinuesIncrements<Inner>) std::swap(inner_.increment_history(), histories_[stage]);
  }

  Histories histories_{};
  Scalar time_{};
  Memory before_;
  detail::InputPart<Scalar> part_;
};

}  // namespace actio
