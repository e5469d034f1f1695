// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The concept Integrator: a one-step map with its own memory, and the laws that every integrator obeys; StepControl, which chooses the length
// of its steps; and LaneIntegrator, which makes several motions at once.
#include <array>
#include <concepts>
#include <cstddef>

#include "actio/core/status.hpp"
#include "actio/model/state.hpp"

namespace actio {
namespace detail {

/// What can be copied, and saved and restored without allocation.
template <class I>
concept HasMemory = std::copy_constructible<I> && requires(I& i, const I& c, typename I::Memory& memory, const typename I::Memory& saved) {
  { c.model() } -> std::same_as<const typename I::Model&>;
  { c.make_memory() } -> std::same_as<typename I::Memory>;
  { c.save(memory) } noexcept;
  { i.restore(saved) } noexcept;
  { I::order } -> std::convertible_to<int>;
  { I::reversible } -> std::convertible_to<bool>;
};

/// What shows the state of a model at the nodes of a run.
template <class I>
concept HasState = requires(I& i, const I& c, State<typename I::Scalar>& state) {
  { c.model() } -> std::same_as<const typename I::Model&>;
  { c.configuration() } -> std::same_as<const VectorX<typename I::Scalar>&>;
  { c.time() } -> std::convertible_to<typename I::Scalar>;
  { i.read(state) } noexcept -> std::same_as<Status>;
};

/// What an Integrator and a StepControl have in common: everything but the step.
template <class I>
concept HasNodes = HasMemory<I> && HasState<I> && requires(I& i, const State<typename I::Scalar>& initial) {
  { i.reset(initial) };
};

}  // namespace detail

/// A one-step map from node to node, with its own memory. It has:
///  * `Model`, its `Scalar`, and `Memory`: all that the next step depends on, besides its arguments.
///  * `order` of the error at a given time, in h; `reversible`: a step of -h undoes a step of h.
///  * `model()`, which outlives it.  `configuration()`: q (nq) at the node, at no cost.  `time()`: t there [s].
///  * `read(state)`: reads q (nq), v (nv) and t at the node. May take one solve, which may fail; allocates only if `state` has other sizes.
///  * `reset(x)`: begins anew at x. Throws OptionsError for wrong sizes, numbers that are not finite and quaternions that are not unit.
///  * `step(input, h)`: advances to the next node, by h [s], under joint forces [N m, N] and body wrenches in the bodies' own frames; see
///    Input. Returns a StepResult: the status; on failure, its reason.
///  * `make_memory()`: returns a memory of the right sizes, may allocate.  `save(memory)`, `restore(memory)`: copy all of it out and in.
///
/// Laws, tested for every integrator:
///  * `read` immediately after `reset(x)` returns x bitwise: v is kept until the first step. (With active constraints v is
///    projected, and returned to 1e-10.) A `reset` that throws changes nothing.
///  * `read` does not change the motion; a `read` that fails leaves its argument unchanged.
///  * A step that fails changes nothing: what is read afterwards is bitwise what was read before.
///  * An input must have the sizes of the model and finite numbers, else invalid_input.
///  * A copy, and an integrator that was restored, continue bitwise as the original.
///  * h must be finite and not zero; negative only where `reversible` and the model dissipates nothing; else invalid_step.
///  * `step`, `read`, `save` and `restore` neither allocate nor throw.
template <class I>
concept Integrator = detail::HasNodes<I> && requires(I& i, const Input<typename I::Scalar>& input, typename I::Scalar h) {
  { i.step(input, h) } noexcept -> std::same_as<StepResult<typename I::Scalar>>;
};

/// An integrator that chooses the length of its steps, such as ReversibleSteps. It has what an Integrator has and obeys the same laws, but
///  * `h()`: the length of the next step [s]; negative while it runs back in time.
///  * `step(input)`: advances to the next node, by h().  `shorten(h)`, optional: makes the next step shorter, h between 0 and h() [s].
template <class I>
concept StepControl = detail::HasNodes<I> && requires(I& i, const I& c, const Input<typename I::Scalar>& input) {
  { c.h() } noexcept -> std::convertible_to<typename I::Scalar>;
  { i.step(input) } noexcept -> std::same_as<StepResult<typename I::Scalar>>;
};

/// Several motions of one model that are stepped at once, such as VariationalLanes. It has what an Integrator has and obeys the same laws for
/// each lane: `reset`, `read`, `time` and `configuration` take the number of a lane, `step` takes an Input for each of them and returns a
/// StepResult for each; lane k rests where bit k of `which` is not set. A lane whose step fails does not change the others.
template <class L>
concept LaneIntegrator =
    detail::HasMemory<L> && requires(L& l, const L& c, int lane, State<typename L::Scalar>& state, const State<typename L::Scalar>& initial,
                                     const std::array<Input<typename L::Scalar>, static_cast<std::size_t>(L::lanes)>& inputs,
                                     typename L::Scalar h, unsigned which, VectorX<typename L::Scalar>& q) {
      { l.reset(lane, initial) };
      { l.read(lane, state) } noexcept -> std::same_as<Status>;
      { c.time(lane) } -> std::convertible_to<typename L::Scalar>;
      { c.configuration(lane, q) };
      { l.step(inputs, h, which) } noexcept -> std::same_as<std::array<StepResult<typename L::Scalar>, static_cast<std::size_t>(L::lanes)>>;
    };

namespace detail {

/// Whether a scheme may take a step of length h.
template <Scalar S, class Joints>
bool is_valid_step(const Model<S, Joints>& model, const S& h, bool reversible) noexcept {
  if (!is_finite(h) || h == S(0)) return false;
  return h > S(0) || (reversible && !model.is_dissipative());
}

/// Checks a state.  @throws OptionsError if x is not a state of the model.
template <Scalar S, class Joints>
void require_state(const Model<S, Joints>& model, const State<S>& x) {
  std::string why = model.why_not_configuration(x.q);
  if (why.empty() && x.v.size() != model.nv()) {
    why = "v has " + std::to_string(x.v.size()) + " entries, expected " + std::to_string(model.nv());
  }
  for (Eigen::Index k = 0; why.empty() && k < x.v.size(); ++k) {
    if (!is_finite(x.v[k])) why = "v '" + model.v_name(k) + "' is not finite";
  }
  if (why.empty() && !is_finite(x.time)) why = "time is not finite";
  if (!why.empty()) throw OptionsError("state of model '" + model.name() + "': " + why);
}

/// Whether every entry is finite.
template <class Derived>
bool is_finite_vector(const Eigen::MatrixBase<Derived>& x) noexcept {
  return all_finite(x);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void detail::require_state(const Model<double>&, const State<double>&);
#endif

}  // namespace detail
}  // namespace actio
