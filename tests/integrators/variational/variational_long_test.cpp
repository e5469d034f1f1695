// SPDX-License-Identifier: BSD-3-Clause
// Long runs of the variational step: energy without trend, conserved momenta, and convergence on chains of
// up to a thousand links.
#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <numbers>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"
#include "support/long_runs.hpp"
#include "support/oracle.hpp"
#include "support/window_test.hpp"

namespace variational_long_test {

using namespace actio;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The chain of ten links of the paper, released from the horizontal.                       [Lee et al. 2016, section 6]
void energy_has_no_trend(double duration) {
  const test::Reference chain = test::reference("chain10_x");
  const State<double> start{chain.q0(), chain.v0(), 0};
  const auto judge = [&](const char* name, auto integrator, double h) {
    const std::vector<double> error = test::energy_error(std::move(integrator), start, h, duration);
    const test::WindowTest result = test::window_test(error);
    std::cout << name << ", h " << h << " s, " << static_cast<double>(error.size() - 1) * h << " s [J]: " << result << '\n';
    CAPTURE(name, h, result);
    CHECK(error.size() == static_cast<std::size_t>(std::lround(duration / h)) + 1);
    return result;
  };
  const test::WindowTest coarse = judge("variational", VariationalIntegrator(chain.model), 1e-3);
  const test::WindowTest fine = judge("variational", VariationalIntegrator(chain.model), 5e-4);
  CHECK(coarse.passed());
  CHECK(fine.passed());
  const double shrinks = fine.root_mean_square / coarse.root_mean_square;
  std::cout << "halving the step reduces the error to a fraction of " << shrinks << "\n";
  CHECK(std::abs(shrinks / 0.25 - 1) < 0.35);

  const test::WindowTest euler = judge("euler", SemiImplicitEuler(chain.model), 1e-3);
  CHECK(euler.root_mean_square > 10 * coarse.root_mean_square);
}

TEST_CASE("variational: over 60 s the energy error of the ten-link chain has no trend and is of second order",
          "[integrators][variational][long]") {
  energy_has_no_trend(60);
}
TEST_CASE("variational: over 600 s the energy error of the ten-link chain has no trend and is of second order",
          "[integrators][variational][lab]") {
  energy_has_no_trend(600);
}

/// A double pendulum, twenty links on ball joints, and a quadruped that floats without gravity, at 1 ms.
void energy_has_no_trend_on_others(double duration) {
  const auto judge = [&](const char* name, const Model<double>& model, double angle, double rate) {
    const State<double> start{models::random_configuration(model, 1, angle), models::random_velocity(model, 2, rate), 0};
    const std::vector<double> error = test::energy_error(VariationalIntegrator(model), start, 1e-3, duration);
    const test::WindowTest result = test::window_test(error);
    std::cout << name << ", " << duration << " s [J]: " << result << '\n';
    CAPTURE(name, result);
    CHECK(error.size() == static_cast<std::size_t>(std::lround(duration * 1e3)) + 1);
    CHECK(result.passed());
  };
  judge("double pendulum", models::revolute_chain(2), 2.0, 0.5);
  judge("20 spherical links", models::spherical_chain(20), 0.5, 0.2);
  if (duration < 1000) return;  // the beats of the quadruped last for tens of seconds: the error of ten windows of fewer steps is unknown
  judge("floating quadruped", models::quadruped().with_gravity(Vector3d::Zero()), 0.5, 1.0);
}

TEST_CASE("variational: over 200 s the energy errors of other models have no trend", "[integrators][variational][long]") {
  energy_has_no_trend_on_others(200);
}
TEST_CASE("variational: over 1e6 steps the energy errors of other models have no trend", "[integrators][variational][lab]") {
  energy_has_no_trend_on_others(1000);
}

/// With steps of 10 ms chains on ball joints, released from random angles, have several roots: the extrapolated guess can lead to a wrong
/// root of
/// the equation, or to none, and only the momentum identifies the right one.
TEST_CASE("variational: fast motions at long steps neither fail nor halve, and keep to the right root",
          "[integrators][variational][long]") {
  for (const int links : {10, 30, 100}) {
    const Model<double> model = models::spherical_chain(links);
    const State<double> start{models::random_configuration(model, 1, std::numbers::pi / 2), VectorXd::Zero(model.nv()), 0};
    VariationalIntegrator integrator(model);
    VariationalIntegrator by_momentum(model, {.guess = InitialGuess::momentum});
    integrator.reset(start);
    by_momentum.reset(start);
    CAPTURE(links);
    for (int k = 0; k < 200; ++k) {
      by_momentum.restore(integrator.make_memory());
      const StepResult<double> result = integrator.step({}, 10e-3);
      REQUIRE(result);
      REQUIRE(result.substeps == 1);
      REQUIRE(by_momentum.step({}, 10e-3).substeps == 1);
      CAPTURE(k);
      REQUIRE((integrator.configuration() - by_momentum.configuration()).norm() < 1e-6 * integrator.configuration().norm());
    }
  }
}

TEST_CASE("variational: a free tree without gravity conserves both momenta over 1e5 steps", "[integrators][variational][long]") {
  test::check_momenta_stay([](const Model<double>& model, auto... tolerance) { return VariationalIntegrator(model, {tolerance...}); });
}

TEST_CASE("variational: long chains converge at the default tolerance on every step", "[integrators][variational][long]") {
  const double right_angle = std::numbers::pi / 2;
  const auto converges = [](const Model<double>& model, const char* from, const VectorXd& q) {
    VariationalIntegrator integrator(model);
    const test::ConvergenceRun run = test::convergence_run(integrator, from, q, 1e-3, 2000);
    CHECK(run.halved == 0);
    CHECK(run.residual <= integrator.options().tolerance);
  };
  for (const int n : {10, 100, 1000}) {
    const Model<double> chain = models::revolute_chain(n);
    converges(chain, "horizontal", models::horizontal(chain));
    converges(chain, "random q", models::random_configuration(chain, 1, right_angle));
  }
  const Model<double> chain = models::spherical_chain(100);
  converges(chain, "horizontal", models::horizontal(chain));
  converges(chain, "random q", models::random_configuration(chain, 1, right_angle));
}

}  // namespace variational_long_test
