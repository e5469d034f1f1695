// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// simulate(): a run of any integrator with controllers and observers, in steps of equal length or of lengths that it chooses.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "actio/core/options.hpp"
#include "actio/simulation/node.hpp"

namespace actio {

/// The length of a run as a number of steps.
struct Steps {
  std::int64_t count;  ///< no steps if it is 0 or less
};
/// The length of a run as a time: the last step is shortened to end there.
struct Seconds {
  double duration;  ///< [s]; no steps if it is 0
};

namespace detail {
/// Returns what counts as rounding of a number of steps: a millionth of a step, or the rounding of h.
template <class V>
double rounding_of_steps(double steps) { return std::clamp(steps * static_cast<double>(std::numeric_limits<V>::epsilon()), 1e-6, 0.5); }
}  // namespace detail

/// Returns the number of steps of length h [s] that cover the duration, to rounding; 0 if h does not lead there.
template <class V>
Steps steps_to_cover(Seconds seconds, V h) {
  const double steps = seconds.duration / static_cast<double>(h);
  if (!(steps > 0 && steps < 0x1p62)) return {0};
  return {static_cast<std::int64_t>(std::max(1.0, std::ceil(steps - detail::rounding_of_steps<V>(steps))))};
}
/// Returns the length [s] of the last of these steps: h to the bit, unless the duration is shorter by more than rounding.
template <class V>
V last_step(Seconds seconds, V h) {
  const double steps = seconds.duration / static_cast<double>(h), full = static_cast<double>(steps_to_cover(seconds, h).count);
  if (full - steps <= detail::rounding_of_steps<V>(steps)) return h;
  return static_cast<V>(seconds.duration - (full - 1) * static_cast<double>(h));
}

/// The result of a run. A run ends early at the first failed step, which leaves the integrator as it was before that step, or
/// when an observer ends it.
template <Scalar S>
struct [[nodiscard]] SimulationSummary {
  std::int64_t steps = 0;                                                          ///< number of steps that succeeded
  std::int64_t failed_steps = 0;                                                   ///< 0 or 1
  std::int64_t iterations = 0;  ///< updates in all steps: see StepResult, as the next ones
  int worst_iterations = 0;                                                        ///< largest number in one step
  std::int64_t evaluations = 0;                                                    ///< in all steps
  std::int64_t substeps = 0;                                                       ///< in all steps: equal to `steps` if none was halved
  std::int64_t relaxed_loops = 0;     ///< steps that closed loops or couplings with a compliance: see RelaxedLaws
  std::int64_t relaxed_friction = 0;  ///< steps in which contacts have the forces of the convex law
  std::int64_t relaxed_restitution = 0;  ///< steps in which an impact had less than its restitution
  std::int64_t impacts = 0;              ///< with restitution, in all steps
  std::int64_t reversals = 0;            ///< of slip that were located, in all steps
  ValueOf<S> worst_residual{};                                                     ///< largest of the steps that succeeded: see StepResult
  double seconds = 0;                                                              ///< wall time of steps and controller, without observers
  S time{};                                                                        ///< of the last node [s]
  Status status = Status::converged;  ///< of the last step, or of reading the state for an observer
  Culprit culprit{};                                                               ///< as in StepResult
  explicit operator bool() const noexcept { return status == Status::converged; }  ///< whether no step and no read failed
  /// Counts a step.  @returns whether it succeeded; if not, its reason is kept.
  bool count(const StepResult<S>& result) noexcept {
    if (!result) {
      ++failed_steps;
      status = result.status;
      culprit = result.culprit;
      return false;
    }
    ++steps;
    iterations += result.iterations;
    worst_iterations = std::max(worst_iterations, result.iterations);
    evaluations += result.evaluations;
    substeps += result.substeps;
    relaxed_loops += result.relaxed.loops;
    relaxed_friction += result.relaxed.friction;
    relaxed_restitution += result.relaxed.restitution;
    impacts += result.impacts;
    reversals += result.reversals;
    worst_residual = std::max(worst_residual, result.residual);
    return true;
  }
  double mean_iterations() const noexcept { return mean(iterations); }             ///< a step; 0 without steps
  double mean_evaluations() const noexcept { return mean(evaluations); }           ///< a step; 0 without steps

 private:
  double mean(std::int64_t sum) const noexcept { return steps > 0 ? static_cast<double>(sum) / static_cast<double>(steps) : 0.0; }
};

/// An observer that is called only at the start, after every `stride` steps and at the last node of a run.
template <class Observer>
struct Every {
  std::int64_t stride;                                                         ///< steps from one call to the next, >= 1
  Observer observer;                                                           ///< the observer, or a reference to it
  bool wants(std::int64_t step) const noexcept { return step % stride == 0; }  ///< whether it is called after that step
  /// @param node a Node of the run.  @returns what the observer returns.
  template <class N>
  decltype(auto) operator()(N& node) { return observer(node); }
};
/// Returns an observer of every stride-th node and of the last one: every(10, meter) keeps a reference to meter,
/// every(10, [](auto& node) { ... }) the function.  @throws OptionsError if stride is not positive.
template <class Observer>
Every<Observer> every(std::int64_t stride, Observer&& observer) {
  detail::require_option(stride >= 1, "every", "stride", stride, ">= 1");
  return {stride, std::forward<Observer>(observer)};
}

namespace detail {

template <class Observer>
bool wants(const Observer& observer, std::int64_t step) noexcept {
  if constexpr (requires { observer.wants(step); }) return observer.wants(step);
  else return true;
}

/// Shows a node to an observer.  @returns false if the observer ends the run.
template <class Observer, class N>
bool show(Observer& observer, N& node) {
  if constexpr (std::is_convertible_v<decltype(observer(node)), bool>) return observer(node);
  else observer(node);
  return true;
}

struct NoNode {
  template <class I>
  NoNode(I&, const typename I::Scalar&) {}
  template <class R, class In, class S>
  void advance(const R&, const In&, const S&) noexcept {}
};

/// Runs simulate().  @param next_h returns the length of the step k = 1, 2, ... [s].  @param goes_on whether that step is to be made.
template <HasNodes I, class Control, class NextH, class GoesOn, class... Observers>
SimulationSummary<typename I::Scalar> run(I& integrator, Control&& control, NextH next_h, GoesOn goes_on, Observers&&... observers) {
  using Scalar = typename I::Scalar;
  using Clock = std::chrono::steady_clock;
  constexpr bool is_held = std::is_convertible_v<Control, const Input<Scalar>&>;
  constexpr bool is_watched = sizeof...(Observers) > 0;
  std::conditional_t<is_watched || !is_held, Node<I>, NoNode> node(integrator, next_h(1));
  SimulationSummary<Scalar> summary;
  const auto show_all = [&]([[maybe_unused]] bool wanted) {  // to the observers that want the node, or to the others
    bool go_on = true;
    ((go_on = (wants(observers, node.step()) != wanted || show(observers, node)) && go_on), ...);  // none is left out when one ends the run
    if constexpr (is_watched) summary.status = summary ? node.status() : summary.status;
    return go_on && summary;
  };

  [[maybe_unused]] Input<Scalar> controlled;
  const Input<Scalar>* input = &controlled;
  if constexpr (is_held) input = &static_cast<const Input<Scalar>&>(control);
  bool go_on = show_all(true);
  Clock::time_point begin = Clock::now();
  const auto stop_clock = [&] { summary.seconds += std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (std::int64_t k = 1; go_on && goes_on(k); ++k) {
    if constexpr (!is_held) control(node, controlled);
    const Scalar h = next_h(k);
    StepResult<Scalar> result;
    if constexpr (Integrator<I>) result = integrator.step(*input, h);
    else result = integrator.step(*input);
    if (!summary.count(result)) break;
    node.advance(result, *input, h);
    if constexpr (is_watched) {
      if ((wants(observers, k) || ...)) {
        stop_clock();
        go_on = show_all(true);
        begin = Clock::now();
      }
    }
  }
  stop_clock();
  show_all(false);  // the last node
  summary.time = integrator.time();
  return summary;
}

template <class Length>
concept RunLength = std::same_as<Length, Steps> || std::same_as<Length, Seconds>;

/// The steps of a run: h, but for the last one of a run of some seconds, which ends there.
template <Scalar S>
struct EqualSteps {
  std::int64_t count;  ///< number of steps
  S h, last;           ///< [s]

  EqualSteps(const S& step, Steps length) : count(std::max(length.count, std::int64_t{0})), h(step), last(step) {}
  EqualSteps(const S& step, Seconds length) : count(steps_to_cover(length, value_of(step)).count), h(step), last(step) {
    if (const ValueOf<S> end = last_step(length, value_of(step)); end != value_of(step)) last = S(end);
  }
  const S& operator()(std::int64_t k) const { return k == count ? last : h; }  ///< length of step k = 1, 2, ... [s]
};

}  // namespace detail

/// Runs an integrator from its present node.
/// @param control an Input, constant for the whole run; or a function control(node, input) that changes the input before each step.
/// @param h time step [s].  @param length Steps, or Seconds: the last step is then shortened to end there.
/// @param observers functions of a Node&, called at the start and after each step, or fewer with `every`; one that returns
/// false ends the run. Without observers there is no cost, and the state is read only if one asks for it.
/// Allocates before the first step, not later; throws what a controller or an observer throws.
template <Integrator I, class Control, detail::RunLength Length, class... Observers>
SimulationSummary<typename I::Scalar> simulate(I& integrator, Control&& control, std::type_identity_t<typename I::Scalar> h, Length length,
                                               Observers&&... observers) {
  const detail::EqualSteps<typename I::Scalar> steps(h, length);
  return detail::run(integrator, std::forward<Control>(control), steps, [&](std::int64_t k) { return k <= steps.count; },
                     std::forward<Observers>(observers)...);
}

/// Runs an integrator without input.
template <Integrator I, detail::RunLength Length, class... Observers>
SimulationSummary<typename I::Scalar> simulate(I& integrator, std::type_identity_t<typename I::Scalar> h, Length length,
                                               Observers&&... observers) {
  const Input<typename I::Scalar> nothing;
  return simulate(integrator, nothing, h, length, std::forward<Observers>(observers)...);
}

/// Runs a step control from its present node, in steps whose length it chooses; control and observers as above.
/// @param length a duration counts in the direction of time in which the step control runs. The last step is shortened to end there if the
/// step control has shorten(); otherwise the run ends at the first node that is so far away.
template <StepControl I, class Control, detail::RunLength Length, class... Observers>
SimulationSummary<typename I::Scalar> simulate(I& integrator, Control&& control, Length length, Observers&&... observers) {
  using Scalar = typename I::Scalar;
  constexpr double rounding = 1e-6;  // of a step
  const auto time = [&] { return static_cast<double>(value_of(Scalar(integrator.time()))); };
  const double begin = time();
  double before = 0;  // time covered at the node before
  const auto goes_on = [&](std::int64_t k) {
    if constexpr (std::same_as<Length, Steps>) {
      return k <= length.count;
    } else {
      const double covered = std::abs(time() - begin), step = covered - std::exchange(before, covered);
      return covered + rounding * step < length.duration;
    }
  };
  const auto next_h = [&](std::int64_t) -> Scalar {
    if constexpr (std::same_as<Length, Seconds> && requires(Scalar h) { integrator.shorten(h); }) {
      const double rest = length.duration - std::abs(time() - begin), h = static_cast<double>(value_of(Scalar(integrator.h())));
      if (rest > 0 && std::abs(h) > (1 + rounding) * rest) integrator.shorten(Scalar(static_cast<ValueOf<Scalar>>(std::copysign(rest, h))));
    }
    return integrator.h();
  };
  return detail::run(integrator, std::forward<Control>(control), next_h, goes_on, std::forward<Observers>(observers)...);
}

/// Runs a step control without input.
template <StepControl I, detail::RunLength Length, class... Observers>
SimulationSummary<typename I::Scalar> simulate(I& integrator, Length length, Observers&&... observers) {
  const Input<typename I::Scalar> nothing;
  return simulate(integrator, nothing, length, std::forward<Observers>(observers)...);
}

}  // namespace actio
