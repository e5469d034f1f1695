// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The time of a step, and of one evaluation of a residual.
#include <algorithm>
#include <limits>
#include <string>

#include "actio/integrators/variational.hpp"
#include "support/cpu_time.hpp"

namespace time_dof {

using Model = actio::Model<double>;
using State = actio::State<double>;

struct Timing {
  double seconds = std::numeric_limits<double>::infinity();  ///< of a step; the best of the repetitions
  double evaluations = 0;                                    ///< of the residual, a step
  bool complete = true;                                      ///< no step failed
};

constexpr double h = 1e-3;  ///< [s]

/// Repeats the steps of one motion from its start; each repetition lasts `spend`/5 or one step.
/// @param spend approximate total time [s].
template <class Residual, class Root>
Timing time_steps(const Model& model, const State& start, double spend, const actio::VariationalOptions<double>& options) {
  actio::VariationalIntegrator<actio::Model<double>, Residual, Root> integrator(model, options);
  Timing timing;
  double evaluations = 0, taken = 0;
  const auto run = [&](int steps) {
    integrator.reset(start);
    timing.complete = timing.complete && integrator.step({}, h);  // so that guesses have a history and caches are warm
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps; ++k) {
      const actio::StepResult<double> result = integrator.step({}, h);
      timing.complete = timing.complete && result;
      evaluations += result.evaluations;
    }
    taken += steps;
    return (bench::cpu_seconds() - begin) / steps;
  };
  const double first = run(1);
  const int steps = std::clamp(static_cast<int>(spend / 5 / first), 1, 500);
  for (int repetition = 0; repetition < 5; ++repetition) timing.seconds = std::min(timing.seconds, run(steps));
  timing.evaluations = evaluations / taken;
  return timing;
}

/// Returns the time of one evaluation of the left momentum, the best of five repetitions [s].
template <class Residual>
double time_evaluation(const Model& model, const State& start, double spend) {
  actio::TreePose<double> tree(model);
  actio::place(model, tree, start.q);
  typename Residual::template Data<double> data(model);
  const actio::VectorX<double> x = h * start.v;
  double sink = 0, best = std::numeric_limits<double>::infinity();
  const auto run = [&](int calls) {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      Residual::move(model, tree, data, x, h);
      sink += Residual::left_momentum(model, tree, data)[0];
    }
    return (bench::cpu_seconds() - begin) / calls;
  };
  const double first = std::max(run(1), 1e-8);
  const int calls = std::clamp(static_cast<int>(spend / 5 / first), 1, 100000);
  for (int repetition = 0; repetition < 5; ++repetition) best = std::min(best, run(calls));
  return sink == sink ? best : std::numeric_limits<double>::quiet_NaN();  // so that the calls are not optimised away
}

/// A combination as in the paper: the guess of its released code (IG3), no halving, our norm and tolerance.
template <class Residual, class Root>
Timing as_published(const Model& model, const State& start, double spend) {
  return time_steps<Residual, Root>(model, start, spend, {.max_halvings = 0, .guess = actio::InitialGuess::dynamics});
}

Timing svi_newton(const Model& model, const State& start, double spend);
Timing svi_broyden(const Model& model, const State& start, double spend);
Timing svi_riqn(const Model& model, const State& start, double spend);
Timing drnea_newton(const Model& model, const State& start, double spend);
Timing drnea_broyden(const Model& model, const State& start, double spend);
Timing drnea_riqn(const Model& model, const State& start, double spend);
Timing drnea_linear_newton(const Model& model, const State& start, double spend);  ///< exact Jacobian in O(n)
Timing our_default(const Model& model, const State& start, double spend);
double svi_evaluation(const Model& model, const State& start, double spend);
double drnea_evaluation(const Model& model, const State& start, double spend);

}  // namespace time_dof
