// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction of joints in a step in maximal coordinates, compared with joint coordinates; failures and refusals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/oracle.hpp"
#include "support/refusal.hpp"

namespace maximal_bounds_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
using InJoints = VariationalIntegrator<Model<double>, Drnea<Quat>>;

/// The largest differences between runs in joint and in maximal coordinates, and what happened in the latter. They end where only one of
/// them makes a step in substeps, which leads to another discrete motion.
struct Comparison {
  double q = 0, v = 0;
  int steps = 0;
  int on_limits = 0;  // nodes
};
Comparison compare(const Model<double>& model, const State<double>& start, double h, int steps, const Input<double>& input = {}) {
  InJoints in_joints(model, {.tolerance = 1e-13});
  MaximalIntegrator maximal(model, {.tolerance = 1e-13});
  in_joints.reset(start);
  maximal.reset(start);
  const ModelProperties<double>& joints = model.properties();
  Comparison found;
  for (int k = 0; k < steps; ++k) {
    CAPTURE(k, h);
    const StepResult<double> expected = in_joints.step(input, h), result = maximal.step(input, h);
    REQUIRE(expected);
    REQUIRE(describe(result.status) == describe(Status::converged));
    if (result.substeps != expected.substeps) break;
    ++found.steps;
    const State<double> a = read(in_joints), b = read(maximal);
    found.q = std::max(found.q, model.difference(a.q, b.q).cwiseAbs().maxCoeff());
    found.v = std::max(found.v, (a.v - b.v).cwiseAbs().maxCoeff());
    if (model.nq() == model.nv()) found.on_limits += ((b.q - joints.lower).array() < 1e-9 || (joints.upper - b.q).array() < 1e-9).any();
  }
  return found;
}

TEST_CASE("maximal bounds: a pendulum with dry friction moves and stops as the reference run, up to the error of the map",
          "[integrators][maximal][fast]") {
  const Json file = read_json(ACTIO_TEST_DATA "/reference/variational_joint_dry_friction.json");
  const Model<double> model = rods(1, {.friction = file["model"]["torque"].get<double>()});
  const State<double> start = at(model, {file["model"]["start"].get<double>()});
  MaximalIntegrator integrator(model, {.tolerance = 0});
  for (const Json& one : file["discrete"]) {
    const auto h = one["h"].get<double>();
    integrator.reset(start);
    int done = 0;
    State<double> state = start;
    for (const Json& sample : one["samples"]) {
      for (; done < sample["step"].get<int>(); ++done) REQUIRE(integrator.step({}, h));
      state = read(integrator);
      CAPTURE(done, h);
      // The reference run has the kinetic kind Split, this one Quat. Their rotations differ by (h w)^2 / 24 of themselves, w up to 7 rad/s.
      CHECK(std::abs(state.q[0] - sample["q"][0].get<double>()) < 5 * h * h);
    }
    CHECK(std::abs(state.q[0] - file["analytic"]["rest_angle"].get<double>()) < 5 * h * h);
    CHECK(std::abs(state.v[0]) < 1e-11);
    const Comparison found = compare(model, start, h, done);
    CAPTURE(found.q, found.v);
    CHECK(found.q < 1e-11);
    CHECK(found.v < 1e-11);
  }
}

TEST_CASE("maximal bounds: a chain of ten with limits and friction moves as in joint coordinates", "[integrators][maximal][fast]") {
  int steps = 0, on_limits = 0;
  for (const double h : {0.001, 0.005, 0.01}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      models::Random random(seed);
      const Model<double> model = random_bounded_chain(random, 10);
      const ModelProperties<double>& joints = model.properties();
      State<double> start = rest_state(model);
      for (Eigen::Index k = 0; k < model.nv(); ++k) start.q[k] = random.uniform(joints.lower[k], joints.upper[k]);
      start.v = models::random_velocity(model, random, 3);
      const Comparison found = compare(model, start, h, 200);
      CAPTURE(h, seed, found.q, found.v, found.steps, found.on_limits);
      CHECK(found.q < 1e-10);
      CHECK(found.v < 5e-9);  // impacts let differences of rounding grow: up to 1.8e-9 in eight seeds of two compilers, most below 1e-10
      steps += found.steps;
      on_limits += found.on_limits;
    }
  }
  CHECK(steps > 1200);  // of 1800; the models depend on the compiler, which chooses the order of arguments
  CHECK(on_limits > 200);
}

TEST_CASE("maximal bounds: a four-bar that falls against a limit moves as in joint coordinates, and its loop stays closed",
          "[integrators][maximal][fast]") {
  for (const double friction : {0., 0.2}) {
    const Model<double> model = falling_parallelogram(0.4, friction);
    const State<double> start = at(model, {0}, {8, -8, 8});
    CAPTURE(friction);
    const Comparison found = compare(model, start, 0.01, 200);
    CAPTURE(found.q, found.v, found.on_limits);
    CHECK(found.q < 1e-10);
    CHECK(found.v < 1e-10);
    CHECK(found.on_limits > 0);
    MaximalIntegrator integrator(model);
    integrator.reset(start);
    double open = 0, beyond = 0, fastest = 0;
    for (int k = 0; k < 300; ++k) {
      REQUIRE(integrator.step({}, 0.01));
      const State<double> state = read(integrator);
      open = std::max(open, loop_gap(model, state.q));
      beyond = std::max(beyond, state.q[0] - 0.4);
      fastest = std::max(fastest, std::abs(state.v[0] - state.v[2]));
    }
    CHECK(open < 1e-12);
    CHECK(beyond < 1e-12);
    CHECK(fastest < 1e-9);
    if (friction == 0) continue;
    const VectorXd there = integrator.configuration();
    for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 0.01));
    const double crept = (integrator.configuration() - there).cwiseAbs().maxCoeff();
    CAPTURE(crept);
    CHECK(crept < 1e-12);
  }
}

TEST_CASE("maximal bounds: geared joints against a limit move as in joint coordinates", "[integrators][maximal][fast]") {
  ModelBuilder<double> builder("geared");
  builder.gravity({0, 0, -9.81});
  for (const char* name : {"first", "second"}) {
    builder.add_body(name, {1, {0, 0, -0.25}, Vector3<double>(1. / 48, 1. / 48, 1e-3).asDiagonal()});
    builder.add_joint(name, name[0] == 'f' ? "world" : "first", name, Pose<double>::translation(0, 0, name[0] == 'f' ? 0 : -0.5),
                      Revolute<double>({0, -1, 0}), {.friction = 0.05, .lower = -0.4, .upper = infinity});
  }
  builder.add_coupling("second", "first", 0.7, 0.1);
  const Model<double> model = builder.build().with_enforced({.limits = true, .friction = true});
  const Comparison found = compare(model, at(model, {1, 0.8}), 0.005, 200);
  CAPTURE(found.q, found.v, found.on_limits);
  CHECK(found.q < 1e-10);
  CHECK(found.v < 1e-10);
  CHECK(found.on_limits > 0);
}

TEST_CASE("maximal bounds: dry friction on joints of all types acts as in joint coordinates", "[integrators][maximal][fast]") {
  for (const bool floating : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Model<double> tree = models::random_tree<double>(seed, 8, {.floating = floating, .damping = true, .springs = true, .armature = true});
      ModelProperties<double> properties = tree.properties();
      properties.friction.setConstant(0.5);
      const Model<double> model = tree.with_properties(properties).with_enforced({.friction = true});
      models::Random random(seed);
      const State<double> start{models::random_configuration(model, seed), models::random_velocity(model, random), 0};
      const Comparison found = compare(model, start, 0.005, 60);
      CAPTURE(floating, seed, found.q, found.v);
      CHECK(found.q < 1e-10);
      CHECK(found.v < 1e-10);
    }
  }
}

TEST_CASE("maximal bounds: a ball joint with dry friction swings as in joint coordinates, stops and never creeps",
          "[integrators][maximal][fast]") {
  ModelBuilder<double> builder("ball");
  builder.gravity({0, 0, -9.81}).add_body("bob", {1, {0, 0, -0.5}, Vector3<double>(0.02, 0.03, 0.01).asDiagonal()});
  builder.add_joint("socket", "world", "bob", Pose<double>::identity(), Spherical<double>(), {.friction = 0.6});
  const Model<double> model = builder.build().with_enforced({.friction = true});
  State<double> start = rest_state(model);
  start.q = model.integrate(start.q, VectorXd{{0.9, 0.5, 0.2}});
  start.v = VectorXd{{1, -2, 3}};
  const Comparison found = compare(model, start, 0.005, 100);
  CAPTURE(found.q, found.v);
  CHECK(found.q < 1e-10);
  CHECK(found.v < 1e-10);
  MaximalIntegrator integrator(model);
  (void)run(integrator, start, 0.005, 10);
  const VectorXd there = integrator.configuration();
  for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 0.005));
  CHECK(model.difference(there, integrator.configuration()).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(read(integrator).v.cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE("maximal bounds: a step that fails names a joint, and changes nothing", "[integrators][maximal][fast]") {
  const Model<double> model = rods(2, {.friction = 1, .lower = -1, .upper = 1});
  MaximalIntegrator integrator(model, {.max_iterations = 1, .max_halvings = 0});
  const State<double> start = at(model, {0, 1}, {0, 10});
  integrator.reset(start);
  const StepResult<double> result = integrator.step({}, 0.01);
  CAPTURE(describe(model, result));
  REQUIRE_FALSE(result);
  CHECK((result.culprit == Culprit::body(1) || result.culprit == Culprit::body(2)));
  CHECK(equal_bits(integrator.configuration(), start.q));
  CHECK(integrator.time() == 0);
}

TEST_CASE("maximal bounds: a model with limits cannot go back in time", "[integrators][maximal][fast]") {
  const Model<double> model = rods(1, {.lower = -1, .upper = 1});
  MaximalIntegrator integrator(model);
  CHECK(describe(integrator.step({}, -0.01).status) == describe(Status::invalid_step));
  CHECK(missing(refusal<OptionsError>([&] { return MaximalIntegrator(model, {.recovery = 0}).time(); }), {"recovery", "> 0"}).empty());
}

}  // namespace maximal_bounds_test
