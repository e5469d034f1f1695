// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators of order 4 and 6, composed of steps of a reversible integrator of order 2.
#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/composed/schemes.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/shared/increment_history.hpp"
#include "actio/integrators/shared/parts.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

namespace detail {

/// An integrator whose initial guesses extrapolate the increments of its earlier steps.
template <class I>
concept ContinuesIncrements = requires(I& integrator) {
  { integrator.increment_history() } noexcept -> std::same_as<IncrementHistory<typename I::Scalar>&>;
};

}  // namespace detail

/// Order 4 or 6 from any reversible integrator of order 2: a step consists of several steps of it, some of them negative.
/// It is symplectic or symmetric, keeps loops closed, and conserves momenta, where the inner integrator does. Negative steps need conservative forces:
/// dissipation of the model is refused, that of a force field is not detected. Choose a tolerance of the inner integrator that suits the
/// order. An input is linear over the whole step, and is extrapolated where a stage reaches beyond the step.
/// @tparam Scheme one of composed/schemes.hpp, or one of the user with stages, order and weights.
template <Integrator Inner, int Order = 4, class Scheme = CompositionScheme<Order>>
class Composition {
  static_assert(Inner::reversible,
                "Composition: the inner integrator must be reversible (I::reversible): parts of a step go back in time, and the order "
                "relies on symmetry");
  static_assert(Inner::order == 2, "Composition: the schemes need an inner integrator of order 2");
  static_assert(Scheme::order == Order, "Composition: the order of the scheme differs from Order");
  static constexpr std::size_t stages = Scheme::stages;

 public:
  using Model = typename Inner::Model;      ///< the inner integrator's
  using Scalar = typename Inner::Scalar;    ///< scalar type of all numbers
  static constexpr int order = Order;       ///< of the error at a given time, in h
  static constexpr bool reversible = true;  ///< a step of -h undoes a step of h

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

  /// @param inner whose model outlives the integrator.  @throws ModelError if the model dissipates, or its loops have springs.
  explicit Composition(Inner inner)
      : inner_(std::move(inner)), before_{inner_.make_memory(), {}, inner_.time()}, part_(inner_.model()) {
    detail::require_conservation(model(), "composition", "parts of its step go back in time: remove it, or use the inner integrator alone");
    if constexpr (requires { inner_.options().closure; }) {
      if (is_finite(inner_.options().closure.stiffness)) {
        detail::refuse("composition", "springs of loops and couplings", "leave the option `closure` of the inner integrator rigid");
      }
    }
    time_ = before_.time;
    if constexpr (detail::ContinuesIncrements<Inner>) {
      histories_.fill(inner_.increment_history());
      for (IncrementHistory<Scalar>& history : histories_) history.clear();
    }
    before_.histories = histories_;
  }

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
  /// Continues with another model. Throws as the constructor does; nothing changes then.
  void reset(const Model& model, const State<Scalar>& x) requires requires(Inner& i) { i.reset(model, x); } && std::movable<Inner> {
    Inner other = inner_;
    other.reset(model, x);
    *this = Composition(std::move(other));
  }

  /// Reads as the inner integrator does; the time is that of the whole steps.
  Status read(State<Scalar>& state) noexcept {
    const Status status = inner_.read(state);
    if (status == Status::converged) state.time = time_;
    return status;
  }

  /// Advances by one step, which fails as a whole. Where the inner integrator would halve one of its steps, the whole step is made in 2, 4,
  /// 8 or 16 equal parts instead, since inner steps of other lengths lose the order; with halved steps only if that does not help.
  /// @param h [s], of either sign.  @returns the status; on failure, its reason; the culprit is that of the inner integrator. `substeps` is
  /// the number of parts, or that of the worst stage; `residual` is that of the worst stage.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    constexpr int most = 16;
    StepResult<Scalar> result;
    result.method = Method::composition;
    if (!detail::is_valid_step(model(), h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(model(), input)) result.status = Status::invalid_input;
    if (!result) return result;
    save(before_);
    result = make(input, h, 1);
    bool keeps_order = !result || result.substeps == 1;
    const auto again = [&](int parts) {
      const StepResult<Scalar> before = result;
      restore(before_);
      result = make(input, h, parts);
      result.iterations += before.iterations;
      result.evaluations += before.evaluations;
      result.factorizations += before.factorizations;
      keeps_order = result && result.substeps == 1;
    };
    int parts = 1;
    while (!keeps_order && parts < most) again(parts *= 2);
    if (keeps_order) result.substeps = std::max(result.substeps, parts);
    else again(1);
    if (result) time_ += h;  // not the sum of the stages
    else restore(before_);
    return result;
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

 private:
  /// Makes a step in equal parts.
  StepResult<Scalar> make(const Input<Scalar>& input, const Scalar& h, int parts) noexcept {
    StepResult<Scalar> result;
    result.method = Method::composition;
    const auto number = [](int n) { return Scalar(static_cast<ValueOf<Scalar>>(n)); };
    const Scalar share = Scalar(1) / number(parts);
    for (int part = 0; part < parts; ++part) {
      Scalar begin(0);
      for (std::size_t s = 0; s < stages && result; ++s) {
        const Scalar weight(static_cast<ValueOf<Scalar>>(Scheme::weights[s])), end = s + 1 == stages ? Scalar(1) : Scalar(begin + weight);
        exchange_history(s);
        const StepResult<Scalar> stage =
            inner_.step(part_.over(input, (number(part) + begin) * share, (number(part) + end) * share), weight * share * h);
        exchange_history(s);
        detail::add_part(result, stage);
        begin = end;
      }
    }
    return result;
  }
  void exchange_history([[maybe_unused]] std::size_t stage) noexcept {
    if constexpr (detail::ContinuesIncrements<Inner>) std::swap(inner_.increment_history(), histories_[stage]);
  }

  Inner inner_;
  Histories histories_{};
  Scalar time_{};
  Memory before_;
  detail::InputPart<Scalar> part_;
};

}  // namespace actio
