// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/reversible_steps.hpp"
#include "actio/integrators/variational.hpp"

namespace step_control {

namespace {

using namespace actio;
using Inner = VariationalIntegrator<Model>;

/// Processor time in units of residual evaluations, measured on this pendulum: of the rest of a step, of reading v with one sweep, and of
/// reading v with a forward dynamics and three sweeps.
constexpr double worth_of_step = 3, worth_of_density = 2, worth_of_control = 3;

class Recorder {
 public:
  Recorder(const char* name, double parameter, const Model& model, const State& start)
      : model_(model), kinematics_(model), begun_(std::clock()) {
    run.name = name;
    run.parameter = parameter;
    add(start);
  }
  void add(const State& x) {
    const double now = energy(model_, kinematics_, x.q, x.v).total();
    if (run.t.empty()) initial_ = now;
    run.h.push_back(run.t.empty() ? 0 : x.time - run.t.back());
    run.t.push_back(x.time);
    run.error.push_back(now - initial_);
  }
  Run finish() {
    run.seconds = static_cast<double>(std::clock() - begun_) / CLOCKS_PER_SEC;
    return std::move(run);
  }
  Run run;

 private:
  const Model& model_;
  KinematicsData<double> kinematics_;
  double initial_ = 0;
  std::clock_t begun_;
};

/// Steps whose lengths are next(state).
template <class Next>
Run march(const char* name, double parameter, const Model& model, const State& start, double duration, double worth, Next next) {
  Inner integrator(model);
  integrator.reset(start);
  State x = start;
  Recorder recorder(name, parameter, model, start);
  while (integrator.time() < duration && recorder.run.complete) {
    const StepResult<double> result = integrator.step({}, next(x));
    recorder.run.work += result.evaluations + worth_of_step + worth;
    recorder.run.complete = result && integrator.read(x) == Status::converged;
    if (recorder.run.complete) recorder.add(x);
  }
  return recorder.finish();
}

}  // namespace

Run equal_steps(const Model& model, const State& start, double duration, double h) {
  return march("equal steps", h, model, start, duration, 0, [&](const State&) { return h; });
}

Run one_sided(const Model& model, const State& start, double duration, double epsilon) {
  const RotationRate<double> density(model);
  KinematicsData<double> kinematics(model);
  return march("density, one-sided", epsilon, model, start, duration, worth_of_density, [&](const State& x) {
    forward_kinematics(model, kinematics, x.q, x.v);
    return epsilon / density(model, kinematics, x);
  });
}

Run error_based(const Model& model, const State& start, double duration, double tolerance) {
  Inner integrator(model);
  integrator.reset(start);
  auto before = integrator.make_memory();
  State x = start;
  Recorder recorder("error-based", tolerance, model, start);
  double h = 1e-2;
  while (integrator.time() < duration && recorder.run.complete) {
    integrator.save(before);
    StepResult<double> result = integrator.step({}, 2 * h);
    recorder.run.work += result.evaluations + worth_of_step;
    bool converged = static_cast<bool>(result);
    const VectorX<double> q = integrator.configuration();
    integrator.restore(before);
    for (int half = 0; half < 2 && converged; ++half) {
      result = integrator.step({}, h);
      recorder.run.work += result.evaluations + worth_of_step;
      converged = static_cast<bool>(result);
    }
    const double difference = converged ? model.difference(q, integrator.configuration()).norm() : 1e9;
    if (difference <= tolerance) {
      recorder.run.complete = integrator.read(x) == Status::converged;
      recorder.add(x);
    } else {
      integrator.restore(before);
      ++recorder.run.rejected;
    }
    h *= std::clamp(0.9 * std::cbrt(tolerance / std::max(difference, 1e-300)), 0.2, 2.0);  // the error is of third order
    recorder.run.complete = recorder.run.complete && h > 1e-9;
  }
  return recorder.finish();
}

Run reversible(const Model& model, const State& start, double duration, double epsilon) {
  ReversibleSteps steps(Inner(model), epsilon);
  steps.reset(start);
  Recorder recorder("reversible", epsilon, model, start);
  while (steps.time() < duration && recorder.run.complete) {
    const StepResult<double> result = steps.step();
    recorder.run.work += result.evaluations + worth_of_step + worth_of_control;
    recorder.run.complete = static_cast<bool>(result);
    if (result) recorder.add(steps.state());
  }
  return recorder.finish();
}

}  // namespace step_control
