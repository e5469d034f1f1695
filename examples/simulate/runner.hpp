// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Makes a Runner of any integrator type.
#include <utility>

#include "integrators.hpp"

namespace simulate {

template <actio::Integrator I>
class RunnerOf final : public Runner {
 public:
  template <class... Arguments>
  explicit RunnerOf(Arguments&&... arguments) : integrator_(std::forward<Arguments>(arguments)...) {}

  actio::SimulationSummary<double> run(const actio::State<double>& start, double h, actio::Seconds duration, Watch& watch) override {
    integrator_.reset(start);
    return watch.observed([&](auto&&... observers) { return actio::simulate(integrator_, watch.controller(), h, duration, observers...); });
  }

 private:
  I integrator_;
};

}  // namespace simulate
