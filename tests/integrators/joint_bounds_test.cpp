// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction of joints in variational steps, in joint and in maximal coordinates.
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

namespace joint_bounds_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;
using InJoints = VariationalIntegrator<Model<double>>;
using InBodies = MaximalIntegrator<Model<double>>;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEMPLATE_TEST_CASE("joint bounds: a slider with dry friction decelerates uniformly, stops where it should, and never creeps",
                   "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = sliders({2}, {.friction = 3});
  TestType integrator(model, {.tolerance = 0});
  const double v0 = 1.2345, a = 1.5;
  for (const double h : {0.02, 0.01, 0.005}) {
    CHECK(std::abs(run(integrator, at(model, {0}, {v0}), h, 0.5).q[0] - (v0 * 0.5 - a * 0.125)) < 1e-13);
    const State<double> end = run(integrator, at(model, {0}, {v0}), h, 2);
    CHECK(std::abs(end.q[0] - v0 * v0 / (2 * a)) < a * h * h / 2);  // v = 0 at the end of the last step, whenever it stops in between
    CHECK(std::abs(end.v[0]) < 1e-13);
    const double there = integrator.configuration()[0];
    for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step(Input<double>(VectorXd::Constant(1, 2.9)), h));
    CHECK(std::abs(integrator.configuration()[0] - there) < 1e-13);
    for (int k = 0; k < 10; ++k) REQUIRE(integrator.step(Input<double>(VectorXd::Constant(1, 3.1)), h));
    CHECK(std::abs(integrator.configuration()[0] - there - 0.05 * (10 * h) * (10 * h) / 2) < 1e-13);  // (3.1 - 3) / 2 kg
  }
}

TEMPLATE_TEST_CASE("joint bounds: an oscillator that slips is of order 2 between reversals", "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = sliders({1}, {.stiffness = 100, .friction = 4});
  TestType integrator(model);
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

TEMPLATE_TEST_CASE("joint bounds: an impact on a limit is plastic", "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = sliders({2, 3}, {}, {.lower = -0.1, .upper = infinity});  // the second slides on the first
  TestType integrator(model, {.tolerance = 0});
  for (const double h : {0.03, 0.01, 0.001}) {
    const State<double> end = run(integrator, at(model, {0, 0}, {1, -2}), h, 0.12);
    CHECK(std::abs(end.v[0] - (1 + 3. / 5 * -2)) < 1e-13);  // the momentum 5 v0 + 3 v1 is kept
    CHECK(std::abs(end.v[1]) < 1e-13);
    CHECK(std::abs(end.q[1] + 0.1) < 1e-13);
    CHECK(std::abs(5 * end.q[0] + 3 * end.q[1] - 0.12 * (5 - 6)) < 1e-13);  // the centre of mass moves on
  }
}

TEMPLATE_TEST_CASE("joint bounds: a pendulum that falls on its limit stays there for 1e5 steps",
                   "[integrators][long]", InJoints, InBodies) {
  const Model<double> model = rods(1, {.lower = 0.5, .upper = infinity});
  TestType integrator(model);
  (void)run(integrator, at(model, {1.3}), 0.01, 1);
  double off = 0;
  for (int k = 0; k < 100000; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    REQUIRE(result);
    off = std::max(off, std::abs(integrator.configuration()[0] - 0.5));
  }
  CHECK(off < 1e-12);
  CHECK(std::abs(read(integrator).v[0]) < 1e-12);
}

TEMPLATE_TEST_CASE("joint bounds: the motion on a limit that is held is of order 2", "[integrators][fast]", InJoints, InBodies) {
  // The elbow rests on its limit and is pressed on: the two rods swing as one.
  const Model<double> model = rods(2, {}, {.lower = -infinity, .upper = 0.6});
  TestType integrator(model, {.tolerance = 0});
  Input<double> press(VectorXd{{0, 2}});
  std::vector<State<double>> ends;
  for (double h = 0.02; h > 5e-4; h /= 2) {
    ends.push_back(run(integrator, at(model, {1.2, 0.6}, {0.5}), h, 0.8, press));
    CHECK(std::abs(ends.back().q[1] - 0.6) < 1e-12);
    CHECK(std::abs(ends.back().v[1]) < 1e-11);
  }
  std::vector<double> q, v;
  for (std::size_t k = 0; k + 2 < ends.size(); ++k) {
    q.push_back(std::abs(ends[k].q[0] - ends[k + 1].q[0]));
    v.push_back(std::abs(ends[k].v[0] - ends[k + 1].v[0]));
  }
  CAPTURE(q, v);
  CHECK(fitted_order(q) > 1.9);
  CHECK(fitted_order(v) > 1.9);
}

TEMPLATE_TEST_CASE("joint bounds: they never add energy", "[integrators][fast]", InJoints, InBodies) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {  // with a constant mass matrix and gravity the free step keeps it exactly
    models::Random random(seed);
    const Model<double> model = random_gantry(random, 5);
    TestType integrator(model, {.tolerance = 0});  // what a tolerance leaves is work of its size
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
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      CHECK(integrator.configuration()[k] > model.properties().lower[k] - 1e-12);
      CHECK(integrator.configuration()[k] < model.properties().upper[k] + 1e-12);
    }
  }
}

TEMPLATE_TEST_CASE("joint bounds: a joint beyond its limit returns at the rate of recovery and is thrown no further than by that",
                   "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = rods(1, {.lower = 0.5, .upper = infinity});
  TestType integrator(model, {.tolerance = 0, .recovery = 0.2});
  integrator.reset(at(model, {0.4}));
  double fastest = 0, highest = 0;
  for (int k = 0; k < 100; ++k) {
    const double before = integrator.configuration()[0];
    REQUIRE(integrator.step({}, 0.01));
    highest = std::max(highest, integrator.configuration()[0]);
    fastest = std::max(fastest, integrator.configuration()[0] - before);
    if (k == 24) CHECK(std::abs(integrator.configuration()[0] - 0.45) < 1e-12);
  }
  CHECK(std::abs(fastest - 0.002) < 1e-12);
  CHECK(highest < 0.5 + 0.2 * 0.2 / (2 * 29.43 * std::sin(0.5)));
}

TEMPLATE_TEST_CASE("joint bounds: joints beyond limits that a loop does not let return stay where they are", "[integrators][fast]", InJoints,
                   InBodies) {
  // Both cranks turn alike, and have to return in opposite directions.
  const Model<double> model = parallelogram(0.5, 1, {0, -1, 0}, {.lower = 0.1, .upper = infinity}, {.lower = -infinity, .upper = -0.1})
                                  .with_gravity({0, 0, -9.81})
                                  .with_enforced({.limits = true});
  TestType integrator(model);
  integrator.reset(rest_state(model));
  for (int k = 0; k < 50; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    REQUIRE(result);
    CHECK_FALSE(result.relaxed);
    CHECK(result.substeps == 1);
  }
  CHECK(integrator.configuration().cwiseAbs().maxCoeff() < 1e-12);
  CHECK(loop_gap(model, integrator.configuration()) < 1e-12);
}

TEMPLATE_TEST_CASE("joint bounds: where none is active the step is bitwise that of a free model",
                   "[integrators][fast]", InJoints, InBodies) {
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
    TestType bounded(limited), free(tree);
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

TEMPLATE_TEST_CASE("joint bounds: friction stronger than all forces holds every joint, of any type",
                   "[integrators][fast]", InJoints, InBodies) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model<double> tree = models::random_tree<double>(seed, 8, {.damping = true, .springs = true, .armature = true});
    ModelProperties<double> properties = tree.properties();
    properties.friction.setConstant(1e3);
    const Model<double> model = tree.with_properties(properties).with_enforced({.friction = true});
    TestType integrator(model);
    const State<double> start{models::random_configuration(tree, seed), VectorXd::Zero(tree.nv()), 0};
    (void)run(integrator, start, 0.01, 1);
    CAPTURE(seed);
    CHECK(model.difference(start.q, integrator.configuration()).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEMPLATE_TEST_CASE("joint bounds: internal limits and friction keep the momentum of a robot in flight",
                   "[integrators][fast]", InJoints, InBodies) {
  const Model<double> robot = models::humanoid<double>();
  ModelProperties<double> properties = robot.properties();
  for (BodyIndex i = 2; i < robot.num_bodies(); ++i) properties.friction.segment(robot.v_index(i), robot.nv(i)).setConstant(0.3);
  const Model<double> model = robot.with_properties(properties).with_gravity({0, 0, 0}).with_enforced({.limits = true, .friction = true});
  TestType integrator(model);
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
  CHECK(on_limits > 0);
  CHECK((momentum() - before).norm() < 1e-11 * before.norm());  // 4e-12 without limits and friction
}

}  // namespace joint_bounds_test
