// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Algorithm/<name>/<model>/<n>: the time of one call at a random state.
#include <benchmark/benchmark.h>

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/cpu_time.hpp"
#include "support/models.hpp"

namespace bench {

/// A model, and vectors to call algorithms with.
struct Sample {
  actio::Model<double> model;
  Eigen::VectorXd q, v, force;  ///< q uniform in +-pi/2, the others in +-1

  Sample(int n, std::string_view name)
      : model(make_model(name, n)),
        q(start(model).q),
        v(actio::models::random_velocity(model, 2)),
        force(actio::models::random_velocity(model, 3)) {}
};

/// A sample and an algorithm's workspace for it.
template <class Algorithm>
struct Call {
  Sample sample;
  Algorithm algorithm;
  Call(int n, std::string_view name) : sample(n, name), algorithm(sample) {}
};

template <class Algorithm>
void time_calls(benchmark::State& state, Call<Algorithm>& call) {
  call.algorithm(call.sample);
  const actio::test::AllocationCounter allocations;
  const double begin = cpu_seconds();
  for (auto _ : state) {
    const double* const result = call.algorithm(call.sample);
    benchmark::DoNotOptimize(result);
  }
  const double seconds = cpu_seconds() - begin, calls = static_cast<double>(state.iterations()), n = bodies(call.sample.model);
  state.counters["allocations"] = static_cast<double>(allocations.count());
  state.counters["ns_per_body"] = 1e9 * seconds / (calls * n);
  state.SetComplexityN(static_cast<benchmark::IterationCount>(n));
}

/// Registers an algorithm on all trees.
/// @tparam Algorithm constructed from a Sample; algorithm(sample) runs it once and returns a pointer to its result.
template <class Algorithm>
bool register_algorithm(const std::string& algorithm, benchmark::BigO complexity = benchmark::oN) {
  for (const std::string_view model : trees()) {
    const std::string name = "Algorithm/" + algorithm + "/" + std::string(model);
    auto* family = benchmark::RegisterBenchmark(name.c_str(), [=, kept = Kept<Call<Algorithm>>()](benchmark::State& state) mutable {
      time_calls<Algorithm>(state, kept.get(static_cast<int>(state.range(0)), model));
    });
    for (const int n : sizes(model)) family->Arg(n);
    family->Complexity(complexity);
  }
  return true;
}

}  // namespace bench
