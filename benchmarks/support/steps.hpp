// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Step/<integrator>/<model>/<n>: the time of one step of 1 ms in the middle of a motion; for revolute_chain also in the first
// second after its release from horizontal, Step/<integrator>/revolute_chain_released/<n>. Other step lengths are part of the name.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "actio/integrators/integrator.hpp"
#include "actio/model/samples/chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/cpu_time.hpp"
#include "support/models.hpp"

namespace bench {

enum class Phase { under_way, released };

/// A motion from bench::start, run to t = 2 s and saved there, or one released from horizontal 20 ms ago.
template <actio::Integrator I>
class Motion {
 public:
  template <class Make>
  Motion(int n, std::string_view name, Phase phase, double h, const Make& make)
      : Motion(make_model(name, n), [phase](const actio::Model<double>& model) {
          actio::State<double> initial = start(model);
          if (phase == Phase::released) initial.q = actio::models::horizontal(model);
          return initial;
        }, phase, h, make) {}
  /// @param begin (const Model&) -> the initial state.
  template <class Begin, class Make>
  Motion(actio::Model<double> model, const Begin& begin, Phase phase, double h, const Make& make)
      : model_(std::move(model)), integrator_(make(model_)), memory_(integrator_.make_memory()), phase_(phase), h_(h) {
    integrator_.reset(begin(model_));
    integrator_.save(memory_);
    const int steps = steps_in(should_be_from()), marks = std::max(steps / 20, 1);
    for (int k = 1; k <= steps && integrator_.step({}, h_); ++k) {
      if (k % marks == 0) integrator_.save(memory_);  // if a scheme's motion diverges, it is timed from shortly before that
    }
    restart();
  }
  Motion(const Motion&) = delete;

  void restart() {
    integrator_.restore(memory_);
    left_ = steps_in(phase_ == Phase::released ? 0.98 : 2);
    from_ = integrator_.time();
  }
  /// Advances the motion.  @returns false when the motion is over.
  bool goes_on() noexcept { return --left_ >= 0; }
  auto step() noexcept { return integrator_.step(nothing_, h_); }
  const I& integrator() const { return integrator_; }
  const actio::Model<double>& model() const { return model_; }
  double from() const { return from_; }
  double should_be_from() const { return phase_ == Phase::released ? 0.02 : 2; }

 private:
  int steps_in(double seconds) const { return static_cast<int>(std::lround(seconds / h_)); }

  actio::Model<double> model_;
  I integrator_;
  typename I::Memory memory_;
  actio::Input<double> nothing_;
  Phase phase_;
  double h_;
  int left_ = 0;  // timed steps before the motion restarts
  double from_ = 0;
};

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
