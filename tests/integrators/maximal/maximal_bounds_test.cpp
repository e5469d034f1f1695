// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction of joints in a step in maximal coordinates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/dynamics/momentum.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace maximal_bounds_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
using InJoints = VariationalIntegrator<Model<double>, Drnea<Quat>>;

/// The largest differences between runs in joint and in maximal coordinates, and what happened in the latter.
struct Comparison {
  double q = 0, v = 0;
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
    REQUIRE(in_joints.step(input, h));
    const StepResult<double> result = maximal.step(input, h);
    REQUIRE(describe(result.status) == describe(Status::converged));
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
  for (const double h : {0.001, 0.005, 0.01}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      models::Random random(seed);
      const Model<double> model = random_bounded_chain(random, 10);
      const ModelProperties<double>& joints = model.properties();
      State<double> start = rest_state(model);
      for (Eigen::Index k = 0; k < model.nv(); ++k) start.q[k] = random.uniform(joints.lower[k], joints.upper[k]);
      start.v = models::random_velocity(model, random, 3);
      const Comparison found = compare(model, start, h, 200);
      CAPTURE(h, seed, found.q, found.v, found.on_limits);
      CHECK(found.q < 1e-10);
      CHECK(found.v < 1e-10);
      CHECK(found.on_limits > 20);
    }
  }
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

TEST_CASE("maximal bounds: a pendulum that falls on its limit stays there for 1e4 steps", "[integrators][maximal][fast]") {
  const Model<double> model = rods(1, {.lower = 0.5, .upper = infinity});
  MaximalIntegrator integrator(model);
  (void)run(integrator, at(model, {1.3}), 0.01, 1);
  double off = 0;
  for (int k = 0; k < 10000; ++k) {
    REQUIRE(integrator.step({}, 0.01));
    off = std::max(off, std::abs(integrator.configuration()[0] - 0.5));
  }
  CHECK(off < 1e-12);
  CHECK(std::abs(read(integrator).v[0]) < 1e-12);
}

TEST_CASE("maximal bounds: an impact on a limit is plastic and keeps the momentum", "[integrators][maximal][fast]") {
  const Model<double> model = sliders({2, 3}, {}, {.lower = -0.1, .upper = infinity});  // the second slides on the first
  MaximalIntegrator integrator(model, {.tolerance = 0});
  for (const double h : {0.03, 0.01, 0.001}) {
    const State<double> end = run(integrator, at(model, {0, 0}, {1, -2}), h, 0.12);
    CHECK(std::abs(end.v[0] - (1 + 3. / 5 * -2)) < 1e-13);  // the momentum 5 v0 + 3 v1 is kept
    CHECK(std::abs(end.v[1]) < 1e-13);
    CHECK(std::abs(end.q[1] + 0.1) < 1e-13);
    CHECK(std::abs(5 * end.q[0] + 3 * end.q[1] - 0.12 * (5 - 6)) < 1e-13);  // the centre of mass moves on
  }
}

TEST_CASE("maximal bounds: an oscillator that slips is of order 2 between reversals", "[integrators][maximal][fast]") {
  const Model<double> model = sliders({1}, {.stiffness = 100, .friction = 4});
  MaximalIntegrator integrator(model);
  std::vector<double> q, v;
  for (double h = 0.02; h > 1e-3; h /= 2) {  // x = c + (1 - c) cos(10 t), c = 4 / 100, until it reverses
    const State<double> end = run(integrator, at(model, {1}), h, 0.28);
    q.push_back(std::abs(end.q[0] - (0.04 + 0.96 * std::cos(2.8))));
    v.push_back(std::abs(end.v[0] + 9.6 * std::sin(2.8)));
  }
  CAPTURE(q, v);
  CHECK(fitted_order(q) > 1.9);
  CHECK(fitted_order(v) > 1.9);
}

TEST_CASE("maximal bounds: they never add energy", "[integrators][maximal][fast]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {  // with a constant mass matrix and gravity the free step keeps it exactly
    models::Random random(seed);
    const Model<double> model = random_gantry(random, 5);
    MaximalIntegrator integrator(model, {.tolerance = 0});  // what a tolerance leaves is work of its size
    State<double> state = rest_state(model);
    state.v = models::random_velocity(model, random, 2);
    integrator.reset(state);
    double before = energy_at(model, state), rise = 0;
    const double scale = std::abs(before) + 1;
    for (int k = 0; k < 300; ++k) {
      REQUIRE(integrator.step({}, 0.01));
      const double now = energy_at(model, read(integrator));
      rise = std::max(rise, now - before);
      before = now;
    }
    CAPTURE(seed, rise / scale);
    CHECK(rise < 1e-12 * scale);
    CHECK((integrator.configuration() - model.properties().lower).minCoeff() > -1e-12);
    CHECK((model.properties().upper - integrator.configuration()).minCoeff() > -1e-12);
  }
}

TEST_CASE("maximal bounds: a joint beyond its limit returns at the rate of recovery", "[integrators][maximal][fast]") {
  const Model<double> model = rods(1, {.lower = 0.5, .upper = infinity});
  MaximalIntegrator integrator(model, {.tolerance = 0, .recovery = 0.2});
  integrator.reset(at(model, {0.4}));
  double fastest = 0;
  for (int k = 0; k < 100; ++k) {
    const double before = integrator.configuration()[0];
    REQUIRE(integrator.step({}, 0.01));
    fastest = std::max(fastest, integrator.configuration()[0] - before);
    if (k == 24) CHECK(std::abs(integrator.configuration()[0] - 0.45) < 1e-12);
  }
  CHECK(std::abs(fastest - 0.002) < 1e-12);
}

TEST_CASE("maximal bounds: where none is active the step is bitwise that of a free model", "[integrators][maximal][fast]") {
  for (const bool floating : {false, true}) {
    const Model<double> tree = models::random_tree<double>(5, 8, {.floating = floating});
    ModelProperties<double> properties = tree.properties();
    for (BodyIndex i = 1; i < tree.num_bodies(); ++i) {
      visit_joint(tree, i, [&]<JointType J>(const J&) {
        if (!joints::is_flat<J>()) return;
        properties.lower.segment(tree.v_index(i), J::nv).setConstant(-1e3);
        properties.upper.segment(tree.v_index(i), J::nv).setConstant(1e3);
      });
    }
    const Model<double> limited = tree.with_properties(properties).with_enforced({.limits = true, .friction = true});
    MaximalIntegrator bounded(limited), free(tree);
    const State<double> start{models::random_configuration(tree, 1), models::random_velocity(tree, 2), 0};
    bounded.reset(start);
    free.reset(start);
    for (int k = 0; k < 50; ++k) {
      const StepResult<double> a = bounded.step({}, 5e-3), b = free.step({}, 5e-3);
      REQUIRE(a);
      CHECK((a.iterations == b.iterations && a.evaluations == b.evaluations && a.factorizations == b.factorizations));
    }
    CHECK(bounded.configuration() == free.configuration());
    CHECK(read(bounded).v == read(free).v);
    CHECK(bounded.bound_impulses().isZero(0));
  }
}

TEST_CASE("maximal bounds: internal limits and friction keep the momentum of a robot in flight", "[integrators][maximal][fast]") {
  const Model<double> robot = models::humanoid<double>();
  ModelProperties<double> properties = robot.properties();
  for (BodyIndex i = 2; i < robot.num_bodies(); ++i) properties.friction.segment(robot.v_index(i), robot.nv(i)).setConstant(0.3);
  const Model<double> model = robot.with_properties(properties).with_gravity({0, 0, 0}).with_enforced({.limits = true, .friction = true});
  MaximalIntegrator integrator(model);
  State<double> start = rest_state(model);
  start.v = models::random_velocity(model, 4, 2);
  integrator.reset(start);
  const auto momentum = [&] {
    const State<double> state = read(integrator);
    KinematicsData<double> data(model);
    forward_kinematics(model, data, state.q, state.v);
    return Vector6<double>(spatial_momentum(model, data));
  };
  const Vector6<double> before = momentum();
  int on_limits = 0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(integrator.step({}, 5e-3));
    for (Eigen::Index j = 6; j < model.nv(); ++j) on_limits += integrator.configuration()[j + 1] < model.properties().lower[j] + 1e-9;
  }
  CAPTURE((momentum() - before).norm() / before.norm());
  CHECK(on_limits > 0);
  CHECK((momentum() - before).norm() < 1e-10 * before.norm());
}

}  // namespace maximal_bounds_test
