// SPDX-License-Identifier: BSD-3-Clause
// Lanes, and rollouts of integrators and of lanes.
#include <array>
#include <span>
#include <vector>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/compliant_lanes.hpp"
#include "actio/integrators/semi_implicit_euler_lanes.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/integrators/variational_lanes.hpp"
#include "actio/simulation/rollouts.hpp"
#include "fuzz/laws.hpp"

namespace fuzz {

namespace {

/// Steps lanes from several states, and requires of each lane what `obeys` does.
template <class Lanes>
void lanes_obey(Lanes lanes, const Chosen& at, Choices& c) {
  constexpr auto N = static_cast<std::size_t>(Lanes::lanes);
  State<double> start = at.state;
  for (int k = 0; k < Lanes::lanes; ++k) {
    if (!built([&] { return lanes.reset(k, start), true; })) return;
    start.v *= 1 + c.number();
  }
  VectorX<double> after(at.model.nq());
  for (int step = 0; step < 6; ++step) {
    std::array<Input<double>, N> inputs;
    for (Input<double>& input : inputs) input = choose_input(c, at.model);
    std::array<VectorX<double>, N> q;
    for (std::size_t k = 0; k < N; ++k) lanes.configuration(static_cast<int>(k), q[k] = after);
    const unsigned which = c.happens(3) ? static_cast<unsigned>(c.below(256)) & ((1U << N) - 1U) : (1U << N) - 1U;
    const auto results = lanes.step(inputs, choose_step(c), which);
    for (std::size_t k = 0; k < N; ++k) {
      lanes.configuration(static_cast<int>(k), after);
      const bool stepped = (which >> k & 1U) != 0 && bool(results[k]);
      if (stepped) require(at.model.why_not_configuration(after).empty(), "a step of a lane ends at a configuration");
      else require(same(q[k], after), "a lane that rests or fails keeps its configuration");
    }
  }
}

/// Makes the same runs on one and on three threads, which must have the same bits.
template <class I>
void run(const I& integrator, const Chosen& at, Choices& c) {
  std::vector<State<double>> starts(5, at.state);
  for (State<double>& start : starts) start.v *= 1 + c.number();
  const double h = choose_step(c);
  const Input<double> input = choose_input(c, at.model);
  const auto runs = [&](int threads) {
    return built([&] { return trajectories(integrator, std::span<const State<double>>(starts), input, h, Steps{4}, 2, {.threads = threads}); });
  };
  const auto one = runs(1), three = runs(3);
  require(one.has_value() == three.has_value(), "runs are refused on any number of threads");
  for (std::size_t k = 0; one && k < one->size(); ++k) {
    require(same((*one)[k].q.reshaped(), (*three)[k].q.reshaped()), "runs have the same bits on any number of threads");
    require((*one)[k].summary.status == (*three)[k].summary.status, "runs end alike on any number of threads");
  }
}

}  // namespace

void rollouts_and_lanes(const Chosen& at, int kind, Choices& c) {
  const auto lanes = [&](auto make) {
    const auto made = built(make);
    if (!made) return;
    if (kind < 128) lanes_obey(*made, at, c);
    else run(*made, at, c);
  };
  switch (kind % 5) {
    case 0: lanes([&] { return VariationalLanes<Model<double>, 4>(at.model); }); break;
    case 1: lanes([&] { return CompliantLanes<Model<double>, 4>(at.model); }); break;
    case 2: lanes([&] { return SemiImplicitEulerLanes<Model<double>, 4>(at.model); }); break;
    case 3: {
      const auto integrator = built([&] { return VariationalIntegrator(at.model); });
      if (integrator) run(*integrator, at, c);
      break;
    }
    default: {
      const auto integrator = built([&] { return CompliantIntegrator(at.model); });
      if (integrator) run(*integrator, at, c);
      break;
    }
  }
}

}  // namespace fuzz
