// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Energy along a run, by any integrator.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"

namespace experiments {

struct EnergyRun {
  std::string name;
  double h = 0;                 ///< [s]
  std::vector<double> error;    ///< E - E_0 at the nodes 0, h, 2 h, ... [J]; shorter than requested if a step failed
  double evaluations_mean = 0;  ///< a step, as in StepResult
  int evaluations_max = 0;

  double duration() const { return static_cast<double>(error.size() - 1) * h; }
};

/// Runs an integrator from a state; the run ends if a step fails.
template <actio::Integrator I>
EnergyRun energy_run(std::string name, I integrator, const actio::State<double>& start, double h, double duration) {
  const actio::Model<double>& model = integrator.model();
  actio::KinematicsData<double> kinematics(model);
  actio::State<double> state = start;
  integrator.reset(start);
  const double initial = actio::energy(model, kinematics, state.q, state.v).total();
  EnergyRun run{std::move(name), h, {0}};
  const auto steps = static_cast<std::size_t>(std::lround(duration / h));
  run.error.reserve(steps + 1);
  double evaluations = 0;
  while (run.error.size() <= steps) {
    const actio::StepResult<double> result = integrator.step({}, h);
    if (!result || integrator.read(state) != actio::Status::converged) break;
    evaluations += result.evaluations;
    run.evaluations_max = std::max(run.evaluations_max, result.evaluations);
    run.error.push_back(actio::energy(model, kinematics, state.q, state.v).total() - initial);
  }
  run.evaluations_mean = evaluations / static_cast<double>(std::max<std::size_t>(run.error.size() - 1, 1));
  return run;
}

struct EnergyStatistics {
  double largest = 0;             ///< max |E - E_0| [J]
  double root_mean_square = 0;    ///< of E - E_0 [J]
  double drift_per_minute = 0;    ///< slope of the straight line through E - E_0 [J/min]
};

/// Returns the statistics of the first `duration` seconds of a run.
inline EnergyStatistics statistics(const EnergyRun& run, double duration) {
  const std::size_t n = std::min(run.error.size(), static_cast<std::size_t>(std::lround(duration / run.h)) + 1);
  EnergyStatistics s;
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    s.largest = std::max(s.largest, std::abs(run.error[k]));
    sum += run.error[k];
    squares += run.error[k] * run.error[k];
  }
  const double count = static_cast<double>(n), mean = sum / count;
  s.root_mean_square = std::sqrt(squares / count);
  double slope = 0, spread = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double t = (static_cast<double>(k) - (count - 1) / 2) * run.h;
    slope += t * (run.error[k] - mean);
    spread += t * t;
  }
  s.drift_per_minute = spread > 0 ? 60 * slope / spread : 0;
  return s;
}

}  // namespace experiments
