// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction of joints in a variational step.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace variational_bounds_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("variational bounds: the reference run of a pendulum with dry friction is reproduced", "[integrators][variational][fast]") {
  const Json file = read_json(ACTIO_TEST_DATA "/reference/variational_joint_dry_friction.json");
  const Model<double> model = rods(1, {.friction = file["model"]["torque"].get<double>()});
  VariationalIntegrator integrator(model, {.tolerance = 0});
  for (const Json& one : file["discrete"]) {
    integrator.reset(at(model, {file["model"]["start"].get<double>()}));
    int done = 0;
    for (const Json& sample : one["samples"]) {
      for (; done < sample["step"].get<int>(); ++done) REQUIRE(integrator.step({}, one["h"].get<double>()));
      const State<double> state = read(integrator);
      CAPTURE(done);
      CHECK(std::abs(state.q[0] - sample["q"][0].get<double>()) < 1e-11);
      CHECK(std::abs(state.v[0] - sample["v"][0].get<double>()) < 1e-11);
    }
  }
}

TEST_CASE("variational bounds: loops stay closed against a limit and with friction on all joints", "[integrators][variational][fast]") {
  for (const Factorization way : {Factorization::dense, Factorization::sparse, Factorization::iterated}) {
    for (const double friction : {0., 0.2}) {
      const Model<double> model = falling_parallelogram(0.4, friction);
      VariationalIntegrator integrator(model, {.factorization = way});
      integrator.reset(at(model, {0}, {8, -8, 8}));
      const double E0 = energy_at(model, read(integrator));
      CAPTURE(name(way), friction);
      double open = 0, beyond = -1, highest = E0, fastest = 0;
      for (int k = 0; k < 300; ++k) {
        const StepResult<double> result = integrator.step({}, 0.01);
        REQUIRE(result);
        CHECK_FALSE(result.relaxed);
        open = std::max(open, loop_gap(model, integrator.configuration()));
        beyond = std::max(beyond, integrator.configuration()[0] - 0.4);
        const State<double> state = read(integrator);
        highest = std::max(highest, energy_at(model, state));
        fastest = std::max(fastest, std::abs(state.v[0] - state.v[2]));
      }
      CHECK(open < 1e-12);
      CHECK(std::abs(beyond) < 1e-12);  // it was reached
      CHECK(fastest < 1e-9);
      CHECK(highest < E0 + 1e-3 * std::abs(E0));  // the free motion's own wave
      if (friction > 0) {
        const VectorXd there = integrator.configuration();
        for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 0.01));
        CHECK((integrator.configuration() - there).cwiseAbs().maxCoeff() < 1e-12);
      }
    }
  }
}

TEST_CASE("variational bounds: the motion converges to that of the compliant step", "[integrators][variational][fast]") {
  const Model<double> model =
      rods(2, {.friction = 0.1, .lower = -0.3, .upper = infinity}, {.friction = 0.1, .lower = -infinity, .upper = 0.6});
  VariationalIntegrator variational(model);
  CompliantIntegrator compliant(model);
  const State<double> start{VectorXd{{1.3, 0.2}}, VectorXd::Zero(2), 0};
  variational.reset(start);
  compliant.reset(start);
  for (int k = 0; k < 3000; ++k) {
    REQUIRE(variational.step({}, 2e-4));
    for (int j = 0; j < 4; ++j) REQUIRE(compliant.step({}, 5e-5));
  }
  CAPTURE(variational.configuration().transpose(), compliant.configuration().transpose());
  CHECK((variational.configuration() - compliant.configuration()).cwiseAbs().maxCoeff() < 2e-3);
}

TEST_CASE("variational bounds: a model with limits cannot go back in time", "[integrators][variational][fast]") {
  const Model<double> model = rods(1, {.lower = -1, .upper = 1});
  VariationalIntegrator integrator(model);
  CHECK(describe(integrator.step({}, -0.01).status) == describe(Status::invalid_step));
  CHECK_THROWS_AS((Composition(VariationalIntegrator(model))), ModelError);
}

TEST_CASE("variational bounds: constant cost refuses limits, which it would not solve by one update", "[integrators][variational][fast]") {
  const Model<double> model = rods(1, {.lower = -1, .upper = 1});
  using ConstantCostStep = VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost>;
  CHECK_THROWS_WITH(ConstantCostStep(model), test::contains("ConstantCost") && test::contains("limits"));
  const Model<double> free = model.with_enforced({});
  CHECK_NOTHROW(ConstantCostStep(free));
}

}  // namespace variational_bounds_test
