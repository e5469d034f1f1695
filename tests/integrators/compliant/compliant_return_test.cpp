// SPDX-License-Identifier: BSD-3-Clause
// Joints that start beyond the rigid ends of their ranges return gently, and loops that do not let them return stay closed.
#include <cmath>

#include "actio/integrators/compliant.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"

namespace compliant_return_test {

using namespace actio;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A parallelogram whose first crank may have turned by at most `most`, the second by at least `least` [rad].
Model<double> parallelogram(double most, double least) {
  return test::parallelogram(0.1, 5, {0, 1, 0}, {.upper = most}, {.lower = least}).with_enforced({.limits = true});
}

struct Run {
  State<double> state;
  DiagnosticsSample<double> end;
  double largest_gap = 0, most_kinetic = 0, fastest = 0;
};

Run run(const Model<double>& model, Factorization factorization, double seconds) {
  CompliantOptions<double> options;
  options.factorization = factorization;
  CompliantIntegrator integrator(model, options);
  integrator.reset(rest_state(model));
  Diagnostics<double> diagnostics(model);
  Run run{rest_state(model), {}};
  const auto watch = [&](auto& node) {
    run.state = node.state();
    run.largest_gap = std::max(run.largest_gap, diagnostics.now().gap);
    run.most_kinetic = std::max(run.most_kinetic, diagnostics.now().energy.kinetic);
    run.fastest = std::max(run.fastest, node.state().v.cwiseAbs().maxCoeff());
  };
  const SimulationSummary<double> summary = simulate(integrator, 1e-3, Seconds{seconds}, diagnostics, watch);
  CHECK(describe(summary.status) == describe(Status::converged));
  run.end = diagnostics.now();
  return run;
}

TEST_CASE("compliant: loops stay closed where they do not let joints return into their ranges", "[integrators][compliant][fast]") {
  const Model<double> jammed = parallelogram(-0.3, 0.3);  // one must turn back, the other on, and they turn alike
  for (const Factorization way : {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::blocks}) {
    CAPTURE(name(way));
    const Run run = compliant_return_test::run(jammed, way, 0.5);
    CHECK(run.largest_gap < 1e-6);
    CHECK(run.most_kinetic < 1e-3);
    CHECK(run.state.q.cwiseAbs().maxCoeff() < 1e-3);
  }
}

TEST_CASE("compliant: what hangs on a joint beyond its range is brought back at the rate of recovery, and its energy is accounted for",
          "[integrators][compliant][fast]") {
  const Model<double> model = parallelogram(-0.3, -infinity);
  for (const Factorization way : {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::blocks}) {
    CAPTURE(name(way));
    const Run run = compliant_return_test::run(model, way, 0.7);
    CHECK(run.state.q[0] < -0.3 + 1e-6);
    CHECK(run.fastest < CompliantOptions<double>{}.recovery * (1 + 1e-6));
    CHECK(run.largest_gap < 1e-5);
    CHECK(run.end.corrections > 0.9 * run.most_kinetic);
    CHECK(run.end.dissipated > -1e-6 * run.end.corrections);
    CHECK(std::abs(run.end.balance) < 0.05 * run.end.corrections);
  }
}

}  // namespace compliant_return_test
