// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include <cmath>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/forced_run.hpp"
#include "support/integrator_laws.hpp"
#include "support/oracle.hpp"
#include "support/refusal.hpp"

namespace maximal_test {

using namespace actio;
using Eigen::VectorXd;

static_assert(Integrator<MaximalIntegrator<Model<double>>> && Integrator<MaximalIntegrator<Model<float>>>);

State<double> random_state(const Model<double>& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
}

TEST_CASE("maximal: the laws of an integrator hold on a tree of all joint types", "[integrators][maximal][fast]") {
  const bool damped = GENERATE(false, true);  // without damping it can step backward
  const Model<double> model = models::random_tree(5, 8, {.damping = damped, .springs = true, .armature = true});
  State<double> start = random_state(model, 5);
  start.time = 0.5;
  test::check_integrator_laws(MaximalIntegrator(model), start, 1e-3);
}

TEST_CASE("maximal: the laws of an integrator hold with closed loops", "[integrators][maximal][fast]") {
  const Model<double> model = models::closed_chain(5);
  test::check_integrator_laws(MaximalIntegrator(model), rest_state(model), 1e-3, {.velocity_tolerance = 1e-10});
}

TEST_CASE("maximal: the laws of an integrator hold where steps are halved", "[integrators][maximal][fast]") {
  const Model<double> model = models::random_tree(9, 6);
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 6, 2.0), 0};
  test::check_integrator_laws(MaximalIntegrator(model, {.max_iterations = 2}), start, 2e-2, {.reversal_tolerance = 1e-4});
}

TEST_CASE("maximal: with all kinds of joint forces, inputs and a force field it is of order 2", "[integrators][maximal][long]") {
  test::check_order_with_all_forces(test::Field{}, [](const Model<double>& model, SpringRule rule) {
    MaximalOptions<double> options;
    options.springs = rule;
    return MaximalIntegrator(model, options, test::Field{});
  });
}

TEST_CASE("maximal: bodies without full inertia are refused by name", "[integrators][maximal][fast]") {
  const auto message = [](const Inertia<double>& inertia) {
    ModelBuilder<double> builder("two");
    builder.add_body("upper", inertia).add_body("lower", Inertia<double>::sphere(1, 0.1));
    builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
    builder.add_joint("elbow", "upper", "lower", Pose<double>::translation(0, 0, -1), Revolute<double>({1, 0, 0}));
    const Model<double> model = builder.build();
    return test::refusal<ModelError>([&] { return MaximalIntegrator(model).time(); });
  };
  CHECK(test::missing(message(Inertia<double>::zero()), {"maximal", "'upper'", "no mass", "joint coordinates"}).empty());
  CHECK(test::missing(message(Inertia<double>::point(1, {0, 0, -1})), {"maximal", "'upper'", "no moment of inertia"}).empty());
  CHECK(test::missing(message(Inertia<double>::rod(1, 1, {0, 0, 1})), {"maximal", "'upper'", "one of its axes"}).empty());
  const Model<double> touching = models::revolute_chain(2).with_enforced({.contact = true});
  CHECK(test::missing(test::refusal<ModelError>([&] { return MaximalIntegrator(touching).time(); }), {"maximal", "contact"}).empty());
}

TEST_CASE("maximal: options out of range are refused by name", "[integrators][maximal][fast]") {
  const Model<double> model = models::revolute_chain(2);
  const auto message = [&](auto change) {
    MaximalOptions<double> options;
    change(options);
    return test::refusal<OptionsError>([&] { return MaximalIntegrator(model, options).time(); });
  };
  CHECK(test::missing(message([](auto& o) { o.tolerance = -1; }), {"MaximalOptions", "tolerance", ">= 0"}).empty());
  CHECK(test::missing(message([](auto& o) { o.max_iterations = 0; }), {"max_iterations", ">= 1"}).empty());
  CHECK(test::missing(message([](auto& o) { o.max_halvings = 21; }), {"max_halvings", "0 ... 20"}).empty());
  CHECK(test::missing(message([](auto& o) { o.closure_tolerance = 0; }), {"closure_tolerance", "> 0"}).empty());
}

TEST_CASE("maximal: a start with open loops is refused by name and changes nothing", "[integrators][maximal][fast]") {
  const Model<double> model = models::four_link_segments(1);
  MaximalIntegrator integrator(model);
  State<double> state = rest_state(model);
  models::open_segment(model, 0, 0.4, 0.1, state.q);
  integrator.reset(state);
  const State<double> closed = state;
  state.q[0] += 0.1;
  CHECK(test::missing(test::refusal<OptionsError>([&] {
                        integrator.reset(state);
                        return 0;
                      }),
                      {"loop 'loop_1'", "has a constraint violation of", "close_loops"})
            .empty());
  CHECK(integrator.configuration() == closed.q);
  // Velocities that the loop does not allow are projected: the velocity that is read satisfies the loop, and is read again unchanged.
  state = closed;
  state.v = VectorXd::LinSpaced(model.nv(), 1, 2);
  integrator.reset(state);
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK((state.v - VectorXd::LinSpaced(model.nv(), 1, 2)).norm() > 0.1);
  const State<double> projected = state;
  integrator.reset(projected);
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK((state.v - projected.v).norm() < 1e-13);
}

TEST_CASE("maximal: a model with an added load is continued in the same integrator", "[integrators][maximal][fast]") {
  const Model<double> light = models::revolute_chain(3);
  Inertia<double> loaded = light.inertia(3);
  loaded += Inertia<double>::sphere(5, 0.2);
  const Model<double> heavy = light.with_inertia(3, loaded);
  const State<double> start = random_state(light, 1);
  MaximalIntegrator one(light), other(heavy);
  one.reset(heavy, start);
  other.reset(start);
  for (int k = 0; k < 5; ++k) {
    REQUIRE(one.step({}, 1e-3));
    REQUIRE(other.step({}, 1e-3));
  }
  CHECK(test::equal_bits(one.configuration(), other.configuration()));
}

TEST_CASE("maximal: gears accelerate as one wheel with their combined inertia", "[integrators][maximal][fast]") {
  // Wheels on parallel shafts, the second geared to the first: (I_1 + r^2 I_2) a = tau about the first shaft.
  const double ratio = -2.5, torque = 0.7;
  ModelBuilder<double> builder("gears");
  builder.gravity(Vector3<double>::Zero());
  builder.add_body("first", Inertia<double>::cylinder(2, 0.3, 0.05)).add_body("second", Inertia<double>::cylinder(1, 0.12, 0.05));
  builder.add_joint("shaft", "world", "first", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("driven", "world", "second", Pose<double>::translation(0.42, 0, 0), Revolute<double>({0, 0, 1}));
  builder.add_coupling("driven", "shaft", ratio, 0.1);
  const Model<double> model = builder.build();
  const double inertia = 2 * 0.09 / 2 + ratio * ratio * 0.0144 / 2;
  MaximalIntegrator integrator(model);
  State<double> state = rest_state(model);
  state.q << 0, 0.1;
  integrator.reset(state);
  const double h = 1e-2;
  VectorXd tau(2);
  tau << torque, 0;
  for (int k = 1; k <= 200; ++k) {
    REQUIRE(integrator.step(Input<double>(tau), h));
    const double t = k * h;
    REQUIRE(std::abs(integrator.configuration()[1] - ratio * integrator.configuration()[0] - 0.1) < 1e-10);  // after several turns
    // The quaternion map slows a spin w by (h w)^2 / 24 relative.                                [vi_math.md, section 14.1]
    const double angle = torque / inertia * t * t / 2, turn = h * ratio * torque / inertia * t;
    REQUIRE(std::abs(integrator.configuration()[0] - angle) < 1e-10 + turn * turn / 24 * angle);
  }
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(std::abs(state.v[1] - ratio * state.v[0]) < 1e-10);
  CHECK(std::abs(state.v[0] - torque / inertia * 2.0) < 1e-10);  // momentum is exact
}

TEST_CASE("maximal: a body that rotates too fast for a step is named, and nothing changes", "[integrators][maximal][fast]") {
  const Model<double> model = models::spherical_chain(1).with_gravity(Vector3<double>::Zero());
  MaximalIntegrator integrator(model, {.max_halvings = 0});
  State<double> state = rest_state(model);
  state.v << 0, 0, 500;
  integrator.reset(state);
  const StepResult<double> result = integrator.step({}, 1e-2);
  CHECK(describe(result.status) == describe(Status::rotation_too_large));
  CHECK(result.culprit == Culprit::body(1));
  CHECK(describe(model, result).starts_with("at body '"));
  CHECK(test::equal_bits(integrator.configuration(), state.q));
  CHECK(MaximalIntegrator(model).step({}, 1e-2));
}

}  // namespace maximal_test
