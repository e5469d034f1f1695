// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction in a step in maximal coordinates: the laws of an integrator, float, failures, and what is refused.
#include "actio/integrators/maximal.hpp"
#include "actio/model/cast.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace maximal_bounds_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

TEST_CASE("maximal bounds: the laws of an integrator hold", "[integrators][maximal][fast]") {
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v = VectorXd::Constant(4, -1);
  check_integrator_laws(MaximalIntegrator(chain), start, 0.005);
  const Model<float> in_float = cast<float>(chain);
  check_integrator_laws(MaximalIntegrator(in_float), State<float>{start.q.cast<float>(), start.v.cast<float>(), 0.F}, 0.005F);
  const Model<double> closed = falling_parallelogram(0.4, 0.2);
  const State<double> on_limit{VectorXd{{0.4, -0.4, 0.4}}, VectorXd::Zero(3), 0};
  check_integrator_laws(MaximalIntegrator(closed), on_limit, 0.005, {.velocity_tolerance = 1e-10});
  MaximalIntegrator impatient(chain, {.tolerance = 1e-14, .max_iterations = 1, .max_halvings = 0});
  start.v = VectorXd::Constant(4, 5);
  check_failing_step(impatient, start, {}, 0.05, Status::max_iterations);
}

TEST_CASE("maximal bounds: a run in float follows that in double", "[integrators][maximal][fast]") {
  models::Random random(7);
  const Model<double> model = random_bounded_chain(random, 5);
  const Model<float> in_float = cast<float>(model);
  MaximalIntegrator exact(model);
  MaximalIntegrator rounded(in_float);
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

TEST_CASE("maximal bounds: a step that fails names a joint whose range excludes the others, and changes nothing",
          "[integrators][maximal][fast]") {
  // The cranks of a parallelogram turn alike, but their ranges exclude each other.
  const JointProperties<double> below{.upper = 0.1}, above{.lower = 0.2};
  const Model<double> model = parallelogram(0.5, 1, {0, -1, 0}, below, above).with_enforced({.limits = true});
  MaximalIntegrator integrator(model);
  const State<double> start{VectorXd{{0.1, -0.1, 0.1}}, VectorXd::Zero(3), 0};
  integrator.reset(start);
  const StepResult<double> result = integrator.step({}, 0.01);
  CAPTURE(describe(model, result), loop_gap(model, integrator.configuration()));
  REQUIRE_FALSE(result);
  CHECK((result.culprit == Culprit::body(1) || result.culprit == Culprit::body(2)));  // the cranks
  CHECK(same_bits(integrator.configuration(), start.q));
  CHECK(integrator.time() == 0);
}

TEST_CASE("maximal bounds: a model with limits cannot go back in time, nor have rolling contacts", "[integrators][maximal][fast]") {
  const Model<double> model = rods(1, {.lower = -1, .upper = 1});
  MaximalIntegrator integrator(model);
  CHECK(describe(integrator.step({}, -0.01).status) == describe(Status::invalid_step));
  ModelBuilder<double> builder("skates");
  builder.add_body("runner", Inertia<double>::box(1, {0.2, 0.1, 0.1})).add_body("arm", Inertia<double>::box(1, {0.1, 0.1, 0.1}));
  builder.add_joint("base", "world", "runner", Pose<double>::identity(), Free<double>());
  builder.add_joint("elbow", "runner", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}), {.friction = 1});
  builder.add_nonholonomic({.name = "skate", .type = KnifeEdge<double>{.point = {0.1, 0, 0}, .across = {0, 1, 0}}}, "runner");
  const Model<double> skates = builder.build();
  CHECK(MaximalIntegrator(skates).time() == 0);
  const Model<double> rubbing = skates.with_enforced({.friction = true});
  CHECK(missing(refusal<ModelError>([&] { return MaximalIntegrator(rubbing).time(); }), {"maximal", "'skate'", "friction"}).empty());
  CHECK(missing(refusal<OptionsError>([&] { return MaximalIntegrator(model, {.recovery = 0}).time(); }), {"recovery", "> 0"}).empty());
}

}  // namespace maximal_bounds_laws_test
