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

  actio::SimulationSummary<double> run(const actio::State<double>& start, double h, std::int64_t steps, Watch& watch) override {
    integrator_.reset(start);
    const std::int64_t film_stride = watch.film || watch.books ? 1 : steps + 1;
    return actio::simulate(integrator_, h, actio::Steps{steps}, actio::every(watch.meter_stride, watch.meters()), actio::every(film_stride, watch.film_and_books()),
                           actio::every(watch.csv_stride, watch.csv()), actio::every(watch.progress_stride, watch.progress()));
  }

 private:
  I integrator_;
};

}  // namespace simulate
