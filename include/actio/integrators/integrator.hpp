// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What every integrator is: a one-step map with its own memory.
#include <concepts>

#include "actio/core/status.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// A one-step map from node to node, with a memory of its own. What it has:
///  * `Model`, its `Scalar`, and `Memory`: all that the next step depends on, beside its arguments.
///  * `order` of the error at a given time, in h; `reversible`: a step of -h leads back to where one of h came from.
///  * `model()`, which outlives it.  `configuration()`: q (nq) at the node, free of charge.  `time()`: t there [s].
///  * `read(state)`: q (nq), v (nv) and t at the node. May cost one solve, and fail with it; allocates only if `state` has other sizes.
///  * `reset(x)`: begins anew at x. Throws OptionsError for sizes, numbers that are not finite and quaternions that are not unit.
///  * `step(input, h)`: to the next node, h [s] on, under joint forces [N m, N] and body wrenches in the bodies' own frames; see
///    Input. StepResult says how that went, or why not.
///  * `make_memory()`: sized, may allocate.  `save(memory)`, `restore(memory)`: all of it out, and in again.
///
/// Laws, tested for every integrator:
///  * `read` straight after `reset(x)` returns x bitwise: v is kept until the first step. (With active constraints v is
///    projected, and returned to 1e-10.) A `reset` that throws changes nothing.
///  * `read` does not change the motion; a `read` that fails leaves its state as it was.
///  * A step that fails changes nothing: what is read afterwards is bitwise what was read before.
///  * An input has the sizes of the model and finite numbers, else invalid_input.
///  * A copy, and an integrator that was restored, go on bitwise as the original.
///  * h is finite and not zero; negative h only where `reversible` and the model dissipates nothing, else invalid_step.
///  * `step`, `read`, `save` and `restore` neither allocate nor throw.
template <class I>
concept Integrator = std::copy_constructible<I> && requires(I& i, const I& c, State<typename I::Scalar>& state,
                                                             const State<typename I::Scalar>& initial,
                                                             const Input<typename I::Scalar>& input, typename I::Scalar h,
                                                             typename I::Memory& memory, const typename I::Memory& saved) {
  { c.model() } -> std::same_as<const typename I::Model&>;
  { c.configuration() } -> std::same_as<const VectorX<typename I::Scalar>&>;
  { c.time() } -> std::convertible_to<typename I::Scalar>;
  { i.read(state) } noexcept -> std::same_as<Status>;
  { i.reset(initial) };
  { i.step(input, h) } noexcept -> std::same_as<StepResult<typename I::Scalar>>;
  { c.make_memory() } -> std::same_as<typename I::Memory>;
  { c.save(memory) } noexcept;
  { i.restore(saved) } noexcept;
  { I::order } -> std::convertible_to<int>;
  { I::reversible } -> std::convertible_to<bool>;
};

namespace detail {

/// Whether a scheme may take a step of length h.
template <Scalar S, class Joints>
bool is_valid_step(const Model<S, Joints>& model, const S& h, bool reversible) noexcept {
  if (!is_finite(h) || h == S(0)) return false;
  return h > S(0) || (reversible && !model.is_dissipative());
}

/// @throws OptionsError when x is no state of the model.
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

}  // namespace detail
}  // namespace actio
