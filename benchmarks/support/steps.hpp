// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Step/<integrator>/<model>/<n>: the time of one step of 1 ms of a motion that is under way; of revolute_chain also in the first
// second after its release from horizontal, Step/<integrator>/revolute_chain_released/<n>.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>

#include "actio/integrators/integrator.hpp"
#include "actio/model/ready/chain.hpp"
#include "support/allocation_guard.hpp"
#include "support/cpu_time.hpp"
#include "support/models.hpp"

namespace bench {

enum class Phase { under_way, released };

/// A motion from bench::start, run to t = 2 s and remembered there, or one released from horizontal 20 ms ago.
template <actio::Integrator I>
class Motion {
 public:
  static constexpr double h = 1e-3;

  template <class Make>
  Motion(int n, std::string_view name, Phase phase, const Make& make)
      : model_(make_model(name, n)), integrator_(make(model_)), memory_(integrator_.make_memory()), phase_(phase) {
    actio::State<double> initial = start(model_);
    if (phase == Phase::released) initial.q = actio::models::horizontal(model_);
    integrator_.reset(initial);
    integrator_.save(memory_);
    const int steps = phase == Phase::released ? 20 : 2000, marks = steps / 20;
    for (int k = 1; k <= steps && integrator_.step({}, h); ++k) {
      if (k % marks == 0) integrator_.save(memory_);  // where a scheme's motion blows up it is timed from shortly before
    }
    restart();
  }
  Motion(const Motion&) = delete;

  void restart() {
    integrator_.restore(memory_);
    left_ = phase_ == Phase::released ? 980 : 2000;
    from_ = integrator_.time();
  }
  /// @returns false where the motion is over.
  bool goes_on() noexcept { return --left_ >= 0; }
  auto step() noexcept { return integrator_.step(nothing_, h); }
  const actio::Model<double>& model() const { return model_; }
  double from() const { return from_; }
  double should_be_from() const { return phase_ == Phase::released ? 0.02 : 2; }

 private:
  actio::Model<double> model_;
  I integrator_;
  typename I::Memory memory_;
  actio::Input<double> nothing_;
  Phase phase_;
  int left_ = 0;  // steps that are timed before the motion starts again
  double from_ = 0;
};

template <class I, class Make>
void time_steps(benchmark::State& state, Motion<I>& motion) {
  std::int64_t iterations = 0;
  int worst = 0, failed = 0;
  std::size_t allocations = 0;
  motion.restart();
  const double begin = cpu_seconds();
  for (auto _ : state) {
    if (!motion.goes_on()) motion.restart();  // copies a few vectors, once in some thousand steps
    const actio::test::AllocationCounter counter;
    const actio::StepResult<double> result = motion.step();
    allocations += counter.count();
    iterations += result.iterations;
    worst = std::max(worst, result.iterations);
    if (!result) {
      ++failed;
      motion.restart();
    }
  }
  const double seconds = cpu_seconds() - begin, steps = static_cast<double>(state.iterations());
  state.counters["iterations"] = static_cast<double>(iterations) / steps;
  state.counters["iterations_max"] = worst;
  state.counters["allocations"] = static_cast<double>(allocations);
  state.counters["ns_per_body"] = 1e9 * seconds / (steps * bodies(motion.model()));
  if (failed > 0) state.counters["failed"] = failed;  // steps, each followed by a restart: the scheme's motion blows up
  if (motion.from() < motion.should_be_from() - 1e-9) state.counters["from"] = motion.from();  // [s]: it blew up before
  state.SetComplexityN(static_cast<benchmark::IterationCount>(bodies(motion.model())));
}

/// Registers an integrator on all models, or one.  @param make (const Model&) -> the integrator.  @param largest n that it is run with.
template <class Make>
bool register_steps(const std::string& integrator, Make make, int largest = 1024, std::string_view only = {}) {
  using I = decltype(make(std::declval<const actio::Model<double>&>()));
  const auto family_of = [&](std::string_view model, Phase phase) {
    const std::string name = "Step/" + integrator + "/" + std::string(model) + (phase == Phase::released ? "_released" : "");
    return benchmark::RegisterBenchmark(name.c_str(), [=, kept = Kept<Motion<I>>()](benchmark::State& state) mutable {
      time_steps<I, Make>(state, kept.get(static_cast<int>(state.range(0)), model, phase, make));
    });
  };
  for (const std::string_view model : model_names) {
    if (!only.empty() && model != only) continue;
    auto* family = family_of(model, Phase::under_way);
    for (const int n : sizes(model)) {
      if (n <= largest) family->Arg(n);
    }
    family->Complexity(benchmark::oN);
  }
  auto* released = family_of("revolute_chain", Phase::released);
  for (const int n : {30, 100, 300}) {
    if (n <= largest) released->Arg(n);
  }
  return true;
}

}  // namespace bench
