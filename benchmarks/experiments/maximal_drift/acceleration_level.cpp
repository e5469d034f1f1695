// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"
#include "support/acceleration_level_loops.hpp"

using experiments::AccelerationLevelLoops;

namespace {
std::string named(const std::string& name, double alpha) {
  return alpha == 0 ? name : name + ", Baumgarte " + std::to_string(static_cast<int>(alpha)) + "/s";
}
}  // namespace

maximal_drift::Run maximal_drift::heun(const Model& model, const State& start, double h, double duration, double alpha) {
  return run(named("Heun", alpha), AccelerationLevelLoops(model, alpha, actio::Heun{}), start, h, duration);
}
maximal_drift::Run maximal_drift::rk4(const Model& model, const State& start, double h, double duration, double alpha) {
  return run(named("Runge-Kutta 4", alpha), AccelerationLevelLoops(model, alpha, actio::RungeKutta4{}), start, h, duration);
}
