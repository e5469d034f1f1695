// SPDX-License-Identifier: BSD-3-Clause
// Rollouts/<model>/<threads>: runs of 2000 steps of `variational`, shared out to threads of one process and, in turn with it, to as many
// processes of one thread each. `of_processes` is the median of the processes' time over that of the threads: 1 if threads lose nothing by
// sharing memory, the allocator and the caller's data. Needs as many idle cores as threads.
#include <benchmark/benchmark.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/rollouts.hpp"
#include "support/models.hpp"

namespace {

using namespace actio;
constexpr int steps = 2000;
using Runs = std::vector<State<double>>;

/// Returns whether all runs from these states succeed.
bool run(const VariationalIntegrator<Model<double>>& integrator, const Runs& starts, int threads) {
  const auto none = [](std::size_t, auto&) { return true; };
  const auto results = rollouts(integrator, starts, Input<double>(), 1e-3, Steps{steps}, none, {.threads = threads});
  return std::all_of(results.begin(), results.end(), [](const auto& result) { return bool(result); });
}

/// Does the same in `processes` processes, each with its share of the runs.
bool run_apart(const VariationalIntegrator<Model<double>>& integrator, const Runs& starts, int processes) {
  std::vector<pid_t> children;
  for (int k = 0; k < processes; ++k) {
    Runs share;
    for (std::size_t r = static_cast<std::size_t>(k); r < starts.size(); r += static_cast<std::size_t>(processes)) share.push_back(starts[r]);
    const pid_t child = fork();
    if (child == 0) _exit(run(integrator, share, 1) ? 0 : 1);
    children.push_back(child);
  }
  bool all = true;
  for (const pid_t child : children) {
    int status = 1;
    all = child > 0 && waitpid(child, &status, 0) == child && status == 0 && all;
  }
  return all;
}

void time_rollouts(benchmark::State& state, const Model<double>& model) {
  const int threads = static_cast<int>(state.range(0));
  const VariationalIntegrator integrator(model);
  const Runs starts = bench::moving_starts(model, 16 * threads);
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  std::vector<double> ratios;
  double in_threads = 0;
  bool succeeded = true;
  for (auto _ : state) {
    const auto begin = Clock::now();
    succeeded &= run(integrator, starts, threads);
    const auto middle = Clock::now();
    succeeded &= run_apart(integrator, starts, threads);
    const auto end = Clock::now();
    in_threads += seconds(middle - begin);
    ratios.push_back(seconds(end - middle) / seconds(middle - begin));
  }
  if (!succeeded) state.SkipWithError("a run failed");
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  state.counters["of_processes"] = ratios[ratios.size() / 2];
  state.counters["steps_per_second"] = static_cast<double>(steps) * static_cast<double>(starts.size() * ratios.size()) / in_threads;
}

const Model<double> humanoid = models::humanoid(), chain = models::revolute_chain(30);
BENCHMARK_CAPTURE(time_rollouts, humanoid, humanoid)->Name("Rollouts/humanoid")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_rollouts, revolute_chain, chain)->Name("Rollouts/revolute_chain")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
