// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One run of one root finder, with statistics of its steps.
#include <algorithm>
#include <cmath>
#include <string>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/variational.hpp"
#include "support/cpu_time.hpp"

namespace robustness {

using actio::Status;

struct Trial {
  std::string system;
  const actio::Model<double>* model;
  std::string start_name;
  actio::State<double> start;
  double h, duration;  ///< [s]
  double most_work;    ///< bodies times residual evaluations, at which the run is stopped
  bool compare_roots;  ///< with those found from the momentum guess: doubles the time
};

/// A step in which the root finder failed.
struct Trouble {
  int step = 0;  ///< counted from 1; 0: there was none
  actio::StepResult<double> result{};
};

struct Outcome {
  std::string finder;
  int steps = 0;                                                        ///< that succeeded
  int halved = 0;                                                       ///< of these: with halvings
  int pieces = 1;                                                       ///< largest number of substeps in a step
  int worst = 0;                                                        ///< residual evaluations in a step
  double evaluations = 0, factorizations = 0, updates = 0, seconds = 0;  ///< sums
  double energy_error = 0;                                              ///< |E - E_0| at the end [J]
  bool broken_off = false;
  int other_roots = 0;  ///< steps that converged, but to another root than the one from the momentum guess
  Trouble first_halving, failure, first_other_root;

  double per_step(double sum) const { return sum / std::max(steps, 1); }
};

/// Steps without halvings, in order to see why a step failed, and passes failed steps to an integrator that halves: the run is bitwise that
/// of the second alone. It ends if that one fails too, or at the limit of work.
template <class Root>
Outcome run(std::string finder, const Trial& trial) {
  using actio::VariationalIntegrator, actio::Drnea, actio::Split;
  const actio::Model<double>& model = *trial.model;
  VariationalIntegrator<actio::Model<double>, Drnea<Split>, Root> once(model, {.max_halvings = 0});
  VariationalIntegrator<actio::Model<double>, Drnea<Split>, Root> halving(model);
  VariationalIntegrator<actio::Model<double>, Drnea<Split>, Root> witness(model,
                                                                          {.max_halvings = 0, .guess = actio::InitialGuess::momentum});
  auto memory = once.make_memory();
  actio::KinematicsData<double> kinematics(model);
  const auto energy = [&](const actio::State<double>& state) { return actio::energy(model, kinematics, state.q, state.v).total(); };

  Outcome outcome;
  outcome.finder = std::move(finder);
  once.reset(trial.start);
  const int steps = static_cast<int>(std::lround(trial.duration / trial.h));
  for (int k = 1; k <= steps; ++k) {
    if (trial.compare_roots) {
      once.save(memory);
      witness.restore(memory);
    }
    const double begin = bench::cpu_seconds();
    actio::StepResult<double> result = once.step({}, trial.h);
    if (!result) {
      const actio::StepResult<double> why = result;
      once.save(memory);
      halving.restore(memory);
      result = halving.step({}, trial.h);
      if (!result) {
        outcome.failure = {k, result};
        break;
      }
      halving.save(memory);
      once.restore(memory);
      if (outcome.halved++ == 0) outcome.first_halving = {k, why};
      outcome.pieces = std::max(outcome.pieces, result.substeps);
    }
    outcome.seconds += bench::cpu_seconds() - begin;
    if (trial.compare_roots && result.substeps == 1 && witness.step({}, trial.h)) {
      const double apart = (once.configuration() - witness.configuration()).template lpNorm<Eigen::Infinity>();
      if (apart > 1e-4 && outcome.other_roots++ == 0) outcome.first_other_root = {k, result};
    }
    outcome.steps = k;
    outcome.evaluations += result.evaluations;
    outcome.factorizations += result.factorizations;
    outcome.updates += result.iterations;
    outcome.worst = std::max(outcome.worst, result.evaluations);
    if (outcome.evaluations * static_cast<double>(model.num_bodies()) > trial.most_work) {
      outcome.broken_off = k < steps;
      break;
    }
  }
  actio::State<double> end = trial.start;
  if (once.read(end) == Status::converged) outcome.energy_error = std::abs(energy(end) - energy(trial.start));
  return outcome;
}

// Each is compiled in a separate .cpp file.
Outcome automatic(const Trial& trial);
Outcome riqn(const Trial& trial);
Outcome newton(const Trial& trial);
Outcome simplified_newton(const Trial& trial);
Outcome dense_newton(const Trial& trial);
Outcome broyden(const Trial& trial);
Outcome anderson(const Trial& trial);
Outcome constant_cost(const Trial& trial);

}  // namespace robustness
