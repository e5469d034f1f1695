// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Many runs on several threads: of one integrator from different states, or of several.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef ACTIO_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include "actio/integrators/lanes/lane_tools.hpp"
#include "actio/simulation/simulate.hpp"

namespace actio {

/// How rollouts run.
struct RolloutOptions {
  int threads = 0;  ///< at most this many, the caller's included; 0: as many as the machine runs at once

  /// @throws OptionsError for a negative number.
  void check() const { detail::require_option(threads >= 0, "rollouts", "threads", threads, ">= 0"); }
};

namespace detail {

/// Calls work() once on each of several threads, of which the caller's is one; on fewer, if the system does not give so many.
/// @param work must not throw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
#ifdef ACTIO_TBB
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, threads, [&](std::size_t) { work(); }); });
#else
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&] { work(); });
  } catch (...) {  // no more threads: those that there are do all of the work
  }
  work();
  for (std::thread& other : others) other.join();
#endif
}

/// The first of several exceptions by the number of its rollout, whatever the order in which threads throw them.
class FirstException {
 public:
  /// Keeps the exception that is being handled if none of a smaller number is kept.
  void keep(std::size_t number) noexcept {
    const std::lock_guard lock(mutex_);
    if (first_ && number_ < number) return;
    first_ = std::current_exception();
    number_ = number;
    is_kept_.store(true, std::memory_order_relaxed);
  }
  bool is_kept() const noexcept { return is_kept_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::size_t number_ = 0;
  std::atomic<bool> is_kept_{false};
};

/// Calls worker(k) once for each k in [0, count), on several threads, each with its own worker.  @param make_worker is called on its thread.
template <class MakeWorker>
void share_out(std::size_t count, const MakeWorker& make_worker, const RolloutOptions& options) {
  options.check();
  if (count == 0) return;
  const std::size_t allowed = options.threads > 0 ? static_cast<std::size_t>(options.threads) : std::thread::hardware_concurrency();
  std::atomic<std::size_t> next{0};
  FirstException exception;
  on_threads(std::clamp(allowed, std::size_t{1}, count), [&]() noexcept {
    std::size_t k = next.fetch_add(1, std::memory_order_relaxed);
    if (k >= count) return;
    try {
      for (auto worker = make_worker(); k < count && !exception.is_kept(); k = next.fetch_add(1, std::memory_order_relaxed)) worker(k);
    } catch (...) {
      exception.keep(k);
    }
  });
  exception.rethrow();
}

}  // namespace detail

/// Calls work(k) once for each k in [0, count), on several threads: for runs that differ in more than their start, as in their models.
/// @param work void(std::size_t), called from several threads at once.  Calls write to different places.
/// @throws OptionsError for a negative number of threads; what `work` throws: of several exceptions that of the smallest k, after all calls
/// that had begun have ended. Later ones are not made then.
///
/// With ACTIO_TBB the threads are those of oneTBB, which keeps them from call to call and shares them with the rest of the program: define
/// it and link TBB::tbb. Otherwise they are made anew.
template <std::invocable<std::size_t> Work>
void for_each_rollout(std::size_t count, Work&& work, const RolloutOptions& options = {}) {
  detail::share_out(count, [&] { return [&](std::size_t k) { work(k); }; }, options);
}

/// Calls work(k, copy) in the same way, where `copy` is an integrator in the state of the original: what one call does with it does not reach
/// the next. So the results have the same bits with any number of threads and beside any other calls.
/// @param integrator an Integrator, StepControl or LaneIntegrator; all threads share its model.  @param work void(std::size_t, I&).
template <detail::HasMemory I, std::invocable<std::size_t, I&> Work>
void for_each_rollout(const I& integrator, std::size_t count, Work&& work, const RolloutOptions& options = {}) {
  typename I::Memory memory = integrator.make_memory();
  integrator.save(memory);
  const auto make_worker = [&] {
    return [&work, &memory, copy = integrator](std::size_t k) mutable {  // copied on its own thread, whose memory is near
      copy.restore(memory);
      work(k, copy);
    };
  };
  detail::share_out(count, make_worker, options);
}

namespace detail {

/// Calls reset() of an integrator, or of one of its lanes.  @param number of the start, for the message.  @throws OptionsError naming it.
template <class Reset>
void begin_at(std::size_t number, const Reset& reset) {
  try {
    reset();
  } catch (const OptionsError& error) {
    throw OptionsError("rollouts: start " + std::to_string(number) + ": " + error.what());
  }
}

/// Runs an integrator from a start.  @param number of the run.  @param observer as in simulate().
template <Integrator I, class Control, RunLength Length, class Observer>
SimulationSummary<typename I::Scalar> run_from(I& integrator, std::size_t number, const State<typename I::Scalar>& start, Control&& control,
                                               const typename I::Scalar& h, Length length, Observer&& observer) {
  using S = typename I::Scalar;
  begin_at(number, [&] { integrator.reset(start); });
  if constexpr (std::is_convertible_v<Control, const Input<S>&>) {
    return simulate(integrator, static_cast<const Input<S>&>(control), h, length, observer);
  } else {
    return simulate(integrator, [&](auto& node, Input<S>& input) { control(number, node, input); }, h, length, observer);
  }
}
/// Returns the observer of one run: observe(number, node), or that of every stride-th node.
template <class Observe>
auto observer_of(Observe& observe, std::size_t number) {
  if constexpr (requires { observe.stride; }) {
    return every(observe.stride, [&observe, number](auto& node) { return observe.observer(number, node); });
  } else {
    return [&observe, number](auto& node) { return observe(number, node); };
  }
}

/// One of several runs that a LaneIntegrator makes at once.
template <LaneIntegrator L, class Observer>
struct LaneRun {
  using S = typename L::Scalar;

  /// @param k number of the lane.  @param h first time step [s].  @param observer_of_run as in simulate().
  LaneRun(L& lanes, int k, const S& h, Observer observer_of_run)
      : lane(lanes, k), node(lane, h), observer(std::move(observer_of_run)) {}
  LaneRun(const LaneRun&) = delete;  // the node refers to the lane

  /// Shows the node to the observer, if it wants it or, at the end of the run, if it has not seen it.
  void show_node(bool at_end) {
    if (wants(observer, node.step()) == at_end) return;
    goes_on = show(observer, node) && goes_on;
    if (summary) summary.status = node.status();
    goes_on = goes_on && summary;
  }

  Lane<L> lane;
  Node<Lane<L>> node;
  Observer observer;
  SimulationSummary<S> summary{};
  bool goes_on = true;
};

/// Runs lanes from as many starts, or from fewer; see rollouts().  @param first number of the first run.  @param starts, summaries of all.
template <LaneIntegrator L, class Control, RunLength Length, class Observe>
void run_lanes(L& lanes, std::size_t first, std::span<const State<typename L::Scalar>> starts, Control& control,
               const typename L::Scalar& h, Length length, Observe& observe, std::span<SimulationSummary<typename L::Scalar>> summaries) {
  using S = typename L::Scalar;
  using Clock = std::chrono::steady_clock;
  constexpr bool is_held = std::is_convertible_v<Control&, const Input<S>&>;
  constexpr auto N = static_cast<std::size_t>(L::lanes);
  const std::size_t count = std::min(N, starts.size() - first);
  const EqualSteps<S> steps(h, length);
  std::array<Input<S>, N> inputs;
  if constexpr (is_held) inputs.fill(static_cast<const Input<S>&>(control));
  std::array<std::optional<LaneRun<L, decltype(observer_of(observe, first))>>, N> runs;
  for (std::size_t k = 0; k < count; ++k) {
    const auto lane = static_cast<int>(k);
    begin_at(first + k, [&] { lanes.reset(lane, starts[first + k]); });
    runs[k].emplace(lanes, lane, steps(1), observer_of(observe, first + k));
  }
  const auto each_that_goes_on = [&](const auto& f) {
    for (std::size_t k = 0; k < count; ++k) {
      if (runs[k]->goes_on) f(k, *runs[k]);
    }
  };
  double seconds = 0;
  each_that_goes_on([](std::size_t, auto& run) { run.show_node(false); });
  for (std::int64_t step = 1; step <= steps.count; ++step) {
    const Clock::time_point begin = Clock::now();
    unsigned which = 0;
    each_that_goes_on([&](std::size_t k, auto& run) {
      which |= 1U << k;
      if constexpr (!is_held) control(first + k, run.node, inputs[k]);
    });
    if (which == 0) break;
    const typename L::Results results = lanes.step(inputs, steps(step), which);
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    each_that_goes_on([&](std::size_t k, auto& run) {
      run.goes_on = run.summary.count(results[k]);
      if (!run.goes_on) return;
      run.node.advance(results[k], inputs[k], steps(step));
      run.show_node(false);
    });
  }
  for (std::size_t k = 0; k < count; ++k) {
    runs[k]->show_node(true);
    runs[k]->summary.time = runs[k]->lane.time();
    runs[k]->summary.seconds = seconds / static_cast<double>(count);
    summaries[first + k] = runs[k]->summary;
  }
}

}  // namespace detail

/// Runs an integrator from many states.
/// @param integrator its model and options count; its own state is neither used nor changed.  @param starts where the runs begin.
/// @param control an Input for all steps of all runs; or a function control(k, node, input) that changes the input before each step of
/// run k.  @param h time step [s].  @param length Steps or Seconds of each run.
/// @param observe a function observe(k, node) of each Node of run k, or every(stride, observe), as the observers of simulate(): if it returns
/// false, that run ends.
/// Both functions are called from several threads at once, for one k always from the same.
/// @returns a summary of each run. A run whose step fails ends there, alone.
/// @throws OptionsError for a start that reset() refuses, naming it; what the functions throw: see for_each_rollout().
template <Integrator I, class Control, detail::RunLength Length, class Observe>
std::vector<SimulationSummary<typename I::Scalar>> rollouts(const I& integrator,
                                                            std::type_identity_t<std::span<const State<typename I::Scalar>>> starts,
                                                            Control&& control, std::type_identity_t<typename I::Scalar> h, Length length,
                                                            Observe&& observe, const RolloutOptions& options = {}) {
  std::vector<SimulationSummary<typename I::Scalar>> summaries(starts.size());
  for_each_rollout(integrator, starts.size(), [&](std::size_t k, I& copy) {
    summaries[k] = detail::run_from(copy, k, starts[k], control, h, length, detail::observer_of(observe, k));
  }, options);
  return summaries;
}

/// Runs lanes from many states, as many at once as there are lanes; the threads share out such groups.  @param lanes their model and options
/// count.  Nodes are those of a Lane.  `seconds` of a summary is the share of a run in the time of its group.
template <LaneIntegrator L, class Control, detail::RunLength Length, class Observe>
std::vector<SimulationSummary<typename L::Scalar>> rollouts(const L& lanes,
                                                            std::type_identity_t<std::span<const State<typename L::Scalar>>> starts,
                                                            Control&& control, std::type_identity_t<typename L::Scalar> h, Length length,
                                                            Observe&& observe, const RolloutOptions& options = {}) {
  std::vector<SimulationSummary<typename L::Scalar>> summaries(starts.size());
  constexpr auto N = static_cast<std::size_t>(L::lanes);
  for_each_rollout(lanes, (starts.size() + N - 1) / N, [&](std::size_t group, L& copy) {
    detail::run_lanes(copy, group * N, starts, control, h, length, observe, std::span(summaries));
  }, options);
  return summaries;
}

/// The states of one run.
template <Scalar S>
struct Trajectory {
  VectorX<S> times;              ///< (nodes) [s]
  MatrixX<S> q;                  ///< (nq x nodes)
  MatrixX<S> v;                  ///< (nv x nodes); NaN where it could not be read
  SimulationSummary<S> summary;  ///< of the run, which ends early where a step fails
};

/// Runs an integrator, or lanes, from many states as rollouts() does, and returns all trajectories.
/// @param stride the start, every stride-th node and the last one are kept.
/// @throws OptionsError also if the stride is not positive.
template <class I, class Control, detail::RunLength Length>
  requires(Integrator<I> || LaneIntegrator<I>)
std::vector<Trajectory<typename I::Scalar>> trajectories(const I& integrator,
                                                         std::type_identity_t<std::span<const State<typename I::Scalar>>> starts,
                                                         Control&& control, std::type_identity_t<typename I::Scalar> h, Length length,
                                                         std::int64_t stride = 1, const RolloutOptions& options = {}) {
  using S = typename I::Scalar;
  detail::require_option(stride >= 1, "trajectories", "stride", stride, ">= 1");
  const auto most = static_cast<Eigen::Index>(detail::EqualSteps<S>(h, length).count / stride + 2);
  std::vector<Trajectory<S>> all(starts.size());
  std::vector<Eigen::Index> kept(starts.size());
  const auto keep = [&](std::size_t k, auto& node) {
    Trajectory<S>& run = all[k];
    if (node.step() == 0) {
      run.times.resize(most);
      run.q.resize(node.model().nq(), most);
      run.v.resize(node.model().nv(), most);
    }
    const State<S>& state = node.state();
    run.times[kept[k]] = node.time();
    run.q.col(kept[k]) = state.q;
    run.v.col(kept[k]++) = state.v;
  };
  const std::vector<SimulationSummary<S>> summaries = rollouts(integrator, starts, control, h, length, every(stride, keep), options);
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].summary = summaries[k];
    all[k].times.conservativeResize(kept[k]);
    all[k].q.conservativeResize(Eigen::NoChange, kept[k]);
    all[k].v.conservativeResize(Eigen::NoChange, kept[k]);
  }
  return all;
}

}  // namespace actio
