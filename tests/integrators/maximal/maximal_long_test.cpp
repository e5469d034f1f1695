// SPDX-License-Identifier: BSD-3-Clause
// Long runs of the maximal step: energy without trend, conserved momenta, closed loops, convergence on long chains.
#include <cmath>
#include <numbers>

#include "actio/integrators/maximal.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/long_runs.hpp"
#include "support/oracle.hpp"
#include "support/window_test.hpp"

namespace maximal_long_test {

using namespace actio;
using Eigen::VectorXd;

/// The ten-link chain of the reference, released from horizontal, and a closed four-bar.
void energy_has_no_trend(double duration) {
  const auto judge = [&](const test::Reference& reference, const char* name, double h) {
    const std::vector<double> error =
        test::energy_error(MaximalIntegrator(reference.model), {reference.q0(), reference.v0(), 0}, h, duration);
    const test::WindowTest result = test::window_test(error);
    std::cout << "maximal, " << name << ", h " << h << " s, " << error.size() - 1 << " steps [J]: " << result << '\n';
    CAPTURE(name, h, result);
    CHECK(error.size() == static_cast<std::size_t>(std::lround(duration / h)) + 1);
    CHECK(result.passed());
    return result;
  };
  const test::Reference chain = test::reference("chain10_x"), bars = test::reference("fourbar");
  const test::WindowTest coarse = judge(chain, "ten links", 1e-3), fine = judge(chain, "ten links", 5e-4);
  const double shrinks = fine.root_mean_square / coarse.root_mean_square;
  std::cout << "halving the step reduces the error to a fraction of " << shrinks << "\n";
  CHECK(std::abs(shrinks / 0.25 - 1) < 0.35);
  judge(bars, "four-bar", 1e-3);
}
TEST_CASE("maximal: over 60 s the energy error has no trend", "[integrators][maximal][long]") { energy_has_no_trend(60); }
TEST_CASE("maximal: over 360 000 steps the energy error has no trend", "[integrators][maximal][lab]") { energy_has_no_trend(360); }

TEST_CASE("maximal: a free tree without gravity conserves both momenta over 1e5 steps", "[integrators][maximal][long]") {
  test::check_momenta_stay([](const Model<double>& model, auto... tolerance) { return MaximalIntegrator(model, {tolerance...}); });
}

TEST_CASE("maximal: the reference mechanisms stay closed over 1e5 steps", "[integrators][maximal][long]") {
  for (const std::string& name : test::loop_reference_names()) {
    const test::Reference reference = test::reference(name);
    MaximalIntegrator integrator(reference.model);
    integrator.reset({reference.q0(), reference.v0(), 0});
    double gap = 0;
    int worst = 0;
    for (int k = 0; k < 100'000; ++k) {
      const StepResult<double> result = integrator.step({}, reference.json["dt"].get<double>());
      CAPTURE(name, k);
      REQUIRE(describe(result.status) == describe(Status::converged));
      gap = std::max(gap, integrator.gap());
      worst = std::max(worst, result.iterations);
    }
    std::cout << name << ": largest gap " << gap << " m, at most " << worst << " updates\n";
    CHECK(gap <= 1e-10);
  }
}

TEST_CASE("maximal: long chains converge at the default tolerance on every step", "[integrators][maximal][long]") {
  const double right_angle = std::numbers::pi / 2;
  for (const double h : {1e-3, 1e-2}) {
    for (int n = 1; n <= 1024; n *= 4) {
      for (const Model<double>& chain : {models::revolute_chain(n), models::spherical_chain(n)}) {
        MaximalIntegrator integrator(chain);
        const int steps = static_cast<int>(std::lround(2 / h));
        const test::ConvergenceRun falling = test::convergence_run(integrator, "horizontal", models::horizontal(chain), h, steps);
        const test::ConvergenceRun wild =
            test::convergence_run(integrator, "random q", models::random_configuration(chain, 1, right_angle), h, steps);
        CHECK(falling.mean_updates < 4);
        CHECK(wild.mean_updates < 4);
        CHECK(falling.halved == 0);
        CHECK(wild.halved <= (h < 5e-3 ? 0 : steps / 20));  // chains of ball joints whip: up to half a radian per step
      }
    }
  }
}

}  // namespace maximal_long_test
