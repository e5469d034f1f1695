// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Step/<integrator>/<model>/<n>: the time of one step of 1 ms in the middle of a motion; for revolute_chain also in the first
// second after its release from horizontal, Step/<integrator>/revolute_chain_released/<n>. Other step lengths are part of the name.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "support/allocation_guard.hpp"
#include "support/cpu_time.hpp"
#include "support/motion.hpp"

namespace bench {

template <class I, class Make>
void time_steps(benchmark::State& state, Motion<I>& motion) {
  std::int64_t iterations = 0, evaluations = 0, pieces = 0;
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
    evaluations += result.evaluations;
    worst = std::max(worst, result.iterations);
    pieces += result.substeps;
    if (!result) {
      ++failed;
      motion.restart();
    }
  }
  const double seconds = cpu_seconds() - begin, steps = static_cast<double>(state.iterations());
  state.counters["iterations"] = static_cast<double>(iterations) / steps;
  state.counters["iterations_max"] = worst;
  state.counters["evaluations"] = static_cast<double>(evaluations) / steps;
  state.counters["allocations"] = static_cast<double>(allocations);
  state.counters["ns_per_body"] = 1e9 * seconds / (steps * bodies(motion.model()));
  if (pieces > state.iterations()) state.counters["pieces"] = static_cast<double>(pieces) / steps;  // substeps per step
  if (failed > 0) state.counters["failed"] = failed;  // steps, each followed by a restart: the scheme's motion diverges
  if (motion.from() < motion.should_be_from() - 1e-9) state.counters["from"] = motion.from();  // [s]: it diverged before
  state.SetComplexityN(static_cast<benchmark::IterationCount>(bodies(motion.model())));
}

/// Settings of the runs of an integrator.
struct Runs {
  int largest = 1024;      ///< n
  Names models = trees();
  double h = 1e-3;         ///< [s]
  std::vector<int> n = {}; ///< instead of the sizes of the models
};

/// Registers an integrator on models, also revolute_chain released if it is one of them.  @param make (const Model&) -> the integrator.
template <class Make>
bool register_steps(const std::string& integrator, Make make, const Runs& runs = {}) {
  using I = decltype(make(std::declval<const actio::Model<double>&>()));
  const auto register_sizes = [&](std::string_view model, Phase phase, const std::vector<int>& sizes) {
    const std::string name = "Step/" + integrator + "/" + std::string(model) + (phase == Phase::released ? "_released" : "");
    auto* family = benchmark::RegisterBenchmark(name.c_str(), [=, h = runs.h, kept = Kept<Motion<I>>()](benchmark::State& state) mutable {
      time_steps<I, Make>(state, kept.get(static_cast<int>(state.range(0)), model, phase, h, make));
    });
    for (const int n : sizes) {
      if (n <= runs.largest) family->Arg(n);
    }
    return family;
  };
  for (const std::string_view model : runs.models) {
    register_sizes(model, Phase::under_way, runs.n.empty() ? sizes(model) : runs.n)->Complexity(benchmark::oN);
    if (model == "revolute_chain") register_sizes(model, Phase::released, runs.n.empty() ? std::vector<int>{30, 100, 300} : runs.n);
  }
  return true;
}

}  // namespace bench
