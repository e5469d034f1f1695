// SPDX-License-Identifier: BSD-3-Clause
// Long runs of variational loops: loops stay closed over 1e5 steps, the energy has no trend, and momenta are conserved.
#include <cmath>
#include <iostream>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/long_runs.hpp"
#include "support/mechanisms.hpp"
#include "support/stopwatch.hpp"
#include "support/window_test.hpp"

namespace mechanisms_long_test {

using namespace actio;
constexpr int steps = 100'000;

struct LongRun {
  std::vector<double> energy_error;  ///< at every node [J]
  double kinetic = 0;                ///< the largest [J]
};
/// Takes 1e5 steps of 1 ms, none of which may fail, checks that loops stay closed, and prints a summary.
LongRun run(const Model<double>& model, const State<double>& start, std::size_t attitude) {
  VariationalIntegrator integrator(model);
  integrator.reset(start);
  State<double> state = start;
  REQUIRE(integrator.read(state) == Status::converged);
  KinematicsData<double> data(model);
  const double initial = energy(model, data, state.q, state.v).total();
  test::ClosureWatch loops(model);
  LongRun run{{0}, 0};
  int halved = 0;
  const test::Stopwatch stopwatch;
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    CAPTURE(model.name(), attitude, k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE(integrator.read(state) == Status::converged);
    loops.add(result, state.q);
    halved += result.substeps > 1;
    const Energy<double> now = energy(model, data, state.q, state.v);
    run.energy_error.push_back(now.total() - initial);
    run.kinetic = std::max(run.kinetic, now.kinetic);
  }
  const auto largest = [&](std::size_t from, std::size_t to) {
    double error = 0;
    for (std::size_t k = from; k < to; ++k) error = std::max(error, std::abs(run.energy_error[k]));
    return error;
  };
  const std::size_t n = run.energy_error.size();
  std::cout << model.name() << ", attitude " << attitude << ": largest gap " << loops.widest() << ", softened " << loops.widest_softened()
            << ", " << loops.relaxed() << " steps relaxed, " << halved << " halved; largest energy error " << largest(0, n / 4)
            << " J in the first quarter, " << largest(n - n / 4, n) << " J in the last quarter, compared with a kinetic energy of "
            << run.kinetic << " J; " << stopwatch.seconds() << " s including diagnostics\n";
  CAPTURE(model.name(), attitude);
  loops.check();
  CHECK(loops.relaxed() == 0);
  return run;
}

TEST_CASE("mechanisms: over 1e5 steps at five attitudes loops stay closed and the energy error has no trend",
          "[integrators][variational][long]") {
  const std::vector<Matrix3<double>> attitudes = test::attitudes(5);
  for (std::size_t k = 0; k < attitudes.size(); ++k) {
    for (const auto& [model, start] : test::mechanisms(attitudes[k])) {
      const LongRun seen = run(model, start, k);
      const test::WindowTest result = test::window_test(seen.energy_error);
      std::cout << "  [J]: " << result << '\n';
      CAPTURE(model.name(), k, result);
      CHECK(result.passed());
      CHECK(result.band < 1e-3 * seen.kinetic);
    }
  }
}

/// Near singular poses the energy deviates by up to joules and returns, to second order in the step: that has no band.
TEST_CASE("mechanisms: over 1e5 steps a freely swinging ring of eight links stays closed", "[integrators][variational][long]") {
  const std::vector<Matrix3<double>> attitudes = test::attitudes(5);
  for (std::size_t k = 0; k < attitudes.size(); ++k) {
    const Model<double> ring = models::eight_bar(attitudes[k]);
    run(ring, rest_state(ring), k);
  }
}

/// A square of rods. At its flat poses the root finder selects the exact Jacobian, whose norm must not overlook a gap.
TEST_CASE("mechanisms: over 1e5 steps a parallelogram passes its flat pose and stays closed", "[integrators][variational][long]") {
  const std::vector<Matrix3<double>> attitudes = test::attitudes(5);
  for (std::size_t k = 0; k < attitudes.size(); ++k) {
    const Model<double> square = models::ladder(1).with_gravity(attitudes[k].transpose() * Vector3<double>(0, 0, -9.81));
    State<double> start = rest_state(square);
    start.q = models::sheared(square, Eigen::VectorXd::Constant(1, 0.3));
    start.v[0] = 6;
    const LongRun seen = run(square, start, k);
    const test::WindowTest result = test::window_test(seen.energy_error);
    CAPTURE(k, result);
    CHECK(result.passed());
  }
}

TEST_CASE("mechanisms: a floating four-bar conserves its momenta over 1e5 steps", "[integrators][variational][long]") {
  const Model<double> model = test::floating_four_bar();
  const test::FloatingRun run = test::run_floating(model, {model.neutral(), models::random_velocity(model, 1, 2), 0}, 1e-3, steps);
  std::cout << model.name() << ": error of the linear momentum " << run.linear << " of " << run.first.linear.norm()
            << " N s, of the angular " << run.angular << " of " << run.first.angular.norm() << " N m s; largest gap " << run.loops.widest()
            << ", " << run.loops.relaxed() << " steps relaxed\n";
  run.loops.check();
  CHECK(run.linear < 1e-10);
  CHECK(run.angular < 1e-9);
}

}  // namespace mechanisms_long_test
