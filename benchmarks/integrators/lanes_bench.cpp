// SPDX-License-Identifier: BSD-3-Clause
// Lanes/<integrator>/<model>: the processor time of 50 steps of 1 ms of all lanes, as many as a register of the processor has and at least
// four. In turn with them, as many scalar integrators make the same steps; `times_one` is their time over that of the lanes: how many times the
// throughput of one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "actio/integrators/compliant_lanes.hpp"
#include "actio/integrators/semi_implicit_euler_lanes.hpp"
#include "actio/integrators/variational_lanes.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/allocation_guard.hpp"
#include "support/cpu_time.hpp"
#include "support/models.hpp"

namespace {

constexpr int N = std::max(4, static_cast<int>(actio::detail::register_bytes / sizeof(double)));

template <class Lanes, class Single>
void time_lanes(benchmark::State& state, const actio::Model<double>& model) {
  using namespace actio;
  constexpr double h = 1e-3;
  constexpr int together = 50;  // steps in turn
  Lanes lanes(model);
  std::vector<Single> alone(N, Single(model));
  const std::vector<State<double>> starts = bench::moving_starts(model, N);
  const Input<double> none;
  double in_lanes = 0, one_by_one = 0;
  std::size_t allocations = 0;
  int left = 0, failed = 0;
  for (auto _ : state) {
    if (left-- == 0) {  // two seconds of motion, then again from the start
      left = 40;
      for (int k = 0; k < N; ++k) {
        lanes.reset(k, starts[static_cast<std::size_t>(k)]);
        alone[static_cast<std::size_t>(k)].reset(starts[static_cast<std::size_t>(k)]);
      }
    }
    const test::AllocationCounter counter;
    const double begin = bench::cpu_seconds();
    for (int step = 0; step < together; ++step) {
      for (const StepResult<double>& result : lanes.step(none, h)) failed += !result;
    }
    const double middle = bench::cpu_seconds();
    for (int step = 0; step < together; ++step) {
      for (auto& integrator : alone) failed += !integrator.step(none, h);
    }
    const double end = bench::cpu_seconds();
    allocations += counter.count();
    in_lanes += middle - begin;
    one_by_one += end - middle;
    state.SetIterationTime(middle - begin);
  }
  state.counters["lanes"] = N;
  state.counters["times_one"] = one_by_one / in_lanes;
  state.counters["ns_per_step"] = 1e9 * in_lanes / (static_cast<double>(state.iterations()) * together * N);
  state.counters["allocations"] = static_cast<double>(allocations);
  if (failed > 0) state.counters["failed"] = failed;
}

template <class Lanes, class Single>
void add(const std::string& integrator) {
  using namespace actio;
  benchmark::RegisterBenchmark(("Lanes/" + integrator + "/humanoid").c_str(), [](benchmark::State& state) {
    time_lanes<Lanes, Single>(state, models::humanoid());
  })->UseManualTime();
  benchmark::RegisterBenchmark(("Lanes/" + integrator + "/revolute_chain/30").c_str(), [](benchmark::State& state) {
    time_lanes<Lanes, Single>(state, models::revolute_chain(30));
  })->UseManualTime();
}
const bool added = [] {
  using M = actio::Model<double>;
  add<actio::VariationalLanes<M, N>, actio::VariationalIntegrator<M>>("variational");
  add<actio::SemiImplicitEulerLanes<M, N>, actio::SemiImplicitEuler<M>>("euler");
  add<actio::CompliantLanes<M, N>, actio::CompliantIntegrator<M>>("compliant");
  return true;
}();

}  // namespace
