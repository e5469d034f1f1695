// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction in a variational step: the laws of an integrator, float, other integrators, and what is refused.
#include <limits>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace variational_bounds_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("variational bounds: the laws of an integrator hold", "[integrators][variational][fast]") {
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v = VectorXd::Constant(4, -1);
  check_integrator_laws(VariationalIntegrator(chain), start, 0.005);
  const Model<float> in_float = cast<float>(chain);
  check_integrator_laws(VariationalIntegrator(in_float), State<float>{start.q.cast<float>(), start.v.cast<float>(), 0.F}, 0.005F);
  const Model<double> closed = falling_parallelogram(0.4, 0.2);
  const State<double> on_limit{VectorXd{{0.4, -0.4, 0.4}}, VectorXd::Zero(3), 0};
  check_integrator_laws(VariationalIntegrator(closed), on_limit, 0.005, {.velocity_tolerance = 1e-10});
  VariationalIntegrator impatient(chain, {.tolerance = 1e-14, .max_iterations = 1, .max_halvings = 0});
  start.v = VectorXd::Constant(4, 30);
  check_failing_step(impatient, start, {}, 0.05, Status::max_iterations);
}

TEST_CASE("variational bounds: a run in float follows that in double", "[integrators][variational][fast]") {
  models::Random random(7);
  const Model<double> model = random_bounded_chain(random, 5);
  const Model<float> in_float = cast<float>(model);
  VariationalIntegrator exact(model);
  VariationalIntegrator rounded(in_float);
  State<double> start = rest_state(model);
  start.v = VectorXd::Constant(5, 1);
  exact.reset(start);
  rounded.reset({start.q.cast<float>(), start.v.cast<float>(), 0.F});
  for (int k = 0; k < 100; ++k) {
    REQUIRE(exact.step({}, 0.005));
    REQUIRE(rounded.step({}, 0.005F));
  }
  // A hundred steps, impacts among them, double rounding errors of 1e-7 now and then.
  CHECK((exact.configuration() - rounded.configuration().cast<double>()).cwiseAbs().maxCoeff() < 1e-3);
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

}  // namespace variational_bounds_laws_test
