// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include <cmath>
#include <string>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"
#include "support/loop_gap.hpp"

namespace maximal_drift {

using Model = actio::Model<double>;
using State = actio::State<double>;

struct Run {
  std::string name;
  double h = 0;               ///< [s]
  std::vector<double> gap;    ///< of the loops at the nodes [m]; shorter than requested if a step failed
  std::vector<double> error;  ///< E - E_0 at the nodes [J]

  double duration() const { return static_cast<double>(gap.size() - 1) * h; }
};

/// Runs an integrator from a state; the run ends if a step fails, or if the energy error reaches a kilojoule, before numbers overflow.
template <actio::Integrator I>
Run run(std::string name, I integrator, const State& start, double h, double duration) {
  const Model& model = integrator.model();
  actio::KinematicsData<double> kinematics(model);
  State state = start;
  integrator.reset(start);
  const double initial = actio::energy(model, kinematics, state.q, state.v).total();
  Run run{std::move(name), h, {experiments::loop_gap(model, kinematics)}, {0}};
  const auto steps = static_cast<std::size_t>(std::lround(duration / h));
  while (run.gap.size() <= steps) {
    if (!integrator.step({}, h) || integrator.read(state) != actio::Status::converged) break;
    const double error = actio::energy(model, kinematics, state.q, state.v).total() - initial;
    if (!(std::abs(error) < 1000)) break;
    run.error.push_back(error);
    run.gap.push_back(experiments::loop_gap(model, kinematics));
  }
  return run;
}

Run maximal(const Model& model, const State& start, double h, double duration);
Run heun(const Model& model, const State& start, double h, double duration, double alpha);
Run rk4(const Model& model, const State& start, double h, double duration, double alpha);

/// Returns the state with velocities that satisfy its loops.
State allowed(const Model& model, const State& start);

/// A law of the baseline, with its bound and the measured value.
struct Law {
  std::string claim;
  bool holds;
};
std::vector<Law> check_baseline();

}  // namespace maximal_drift
