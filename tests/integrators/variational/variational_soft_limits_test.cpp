// SPDX-License-Identifier: BSD-3-Clause
// Joint limits with springs and dampers in a variational step: against contacts and against compliant; energy, rest, order, loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace variational_soft_limits_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("variational soft limits: a lower limit is a ground under a ball", "[integrators][variational][fast]") {
  ModelBuilder<double> builder("ball");
  builder.gravity({0, 0, -9.81});
  add_slider(builder, 0, 1, {0, 0, 1}, {.lower = 0});
  const Model<double> over_ground = builder.build(), with_limit = over_ground.with_enforced({.limits = true});
  for (const double K : {1e2, 1e4, 1e6, 1e10, 1e14}) {
    for (const double C : {0., 20., 2e4}) {  // the last is too stiff for the step
      CAPTURE(K, C);
      const Compliance<double> law{K, C};
      VariationalIntegrator one(over_ground, {.tolerance = 0},
                                PlaneContacts<double>(ContactMaterial<double>{law}).add(1, Pose<double>::identity(), Sphere<double>{0}));
      VariationalIntegrator other(with_limit, {.tolerance = 0, .limit = law});
      one.reset(at(over_ground, {0.05}));
      other.reset(at(with_limit, {0.05}));
      double deepest = 0;
      for (int k = 0; k < 400; ++k) {
        REQUIRE(one.step({}, 0.005));
        REQUIRE(other.step({}, 0.005));
        REQUIRE(std::abs(one.configuration()[0] - other.configuration()[0]) < 1e-11);
        REQUIRE(std::abs(one.momentum()[0] - other.momentum()[0]) < 1e-9);
        REQUIRE(std::abs(one.row_energy() - other.row_energy()) < 1e-10);
        deepest = std::max(deepest, -other.configuration()[0]);
      }
      if (C < 1e3) CHECK(deepest > 4 / K);  // less than the weight presses
    }
  }
}

TEST_CASE("variational soft limits: no stiffness adds energy where the mass matrix is constant", "[integrators][variational][fast]") {
  models::Random random(3);
  for (double K = 1e2; K < 2e14; K *= 10) {
    for (const double C : {0., 5., 5e3}) {
      CAPTURE(K, C);
      const Model<double> model = random_gantry(random, 4);
      VariationalIntegrator integrator(model, {.tolerance = 0, .limit = {K, C}});
      State<double> state = at(model, {}, {});
      state.v = VectorXd::NullaryExpr(4, [&] { return random.uniform(-2, 2); });
      integrator.reset(state);
      double before = energy_at(model, state), scale = std::abs(before), stored = 0;
      for (int k = 0; k < 300; ++k) {
        const StepResult<double> result = integrator.step({}, 0.01);
        CAPTURE(k);
        REQUIRE(describe(result.status) == describe(Status::converged));
        CHECK_FALSE(result.relaxed);
        state = read(integrator);
        const double now = energy_at(model, state) + integrator.row_energy();
        scale = std::max(scale, std::abs(now));
        stored = std::max(stored, integrator.row_energy());
        REQUIRE(now <= before + 1e-12 * scale);
        before = now;
      }
      CHECK(stored > 0);
    }
  }
}

TEST_CASE("variational soft limits: a rod rests as far beyond its limit as its weight presses it", "[integrators][variational][fast]") {
  const Model<double> model = rods(1, {.lower = 0.5});
  const double inertia = 1. / 48 + 0.0625;
  for (double K = 1e2; K < 2e12; K *= 100) {  // with this inertia, a limit of 1e14 N m/rad is as stiff as a rigid one
    CAPTURE(K);
    VariationalIntegrator integrator(model, {.limit = {K, 2 * std::sqrt(K * inertia)}});
    const State<double> end = run(integrator, at(model, {0.6}), 0.01, 20);
    double beyond = 0;
    for (int k = 0; k < 50; ++k) beyond = 9.81 * 0.25 * std::sin(0.5 - beyond) / K;
    CHECK(std::abs((0.5 - end.q[0]) / beyond - 1) < 1e-3);
    CHECK(std::abs(end.v[0]) <= 1e-10);
    CHECK(std::abs(integrator.row_energy() / (K * beyond * beyond / 2) - 1) < 1e-2);
  }
}

TEST_CASE("variational soft limits: second order while they act, and the motion of compliant in short steps",
          "[integrators][variational][fast]") {
  const JointProperties<double> hinge{.lower = 0.5};
  const Model<double> model = rods(2, hinge, {});
  const Compliance<double> law{80, 1};
  const State<double> start = at(model, {0.33, 0.1}, {0, 1});  // close to where the joint's torque presses it
  const Input<double> pressing(VectorXd{{-10, 0}});
  const double T = 0.2;
  const auto end = [&](double h) {
    VariationalIntegrator integrator(model, {.limit = law});
    const State<double> state = run(integrator, start, h, T, pressing);
    return VectorXd((VectorXd(4) << state.q, state.v).finished());
  };
  std::vector<double> errors;
  const VectorXd best = end(T / 3200);
  for (const int steps : {25, 50, 100, 200}) errors.push_back((end(T / steps) - best).norm());
  CAPTURE(errors[0], errors[1], errors[2], errors[3]);
  const double order = std::log2(errors.front() / errors.back()) / 3;
  CHECK(order >= 1.9);
  CHECK(order < 2.2);
  CompliantOptions<double> options;
  options.limit = law;
  CompliantIntegrator other(model, options);
  const auto of_compliant = [&](double h) {
    const State<double> state = run(other, start, h, T, pressing);
    return VectorXd((VectorXd(4) << state.q, state.v).finished());
  };
  const VectorXd extrapolated = 2 * of_compliant(T / 8000) - of_compliant(T / 4000);
  CHECK((extrapolated - best).norm() < 1e-5);
}

TEST_CASE("variational soft limits: infinite stiffness is the rigid limit bitwise, great stiffness nearly",
          "[integrators][variational][fast]") {
  const Model<double> model = rods(2, {.lower = -0.3, .upper = 0.4}, {.lower = -0.2, .upper = 0.3});
  const State<double> start = at(model, {0, 0}, {4, -3});
  VariationalIntegrator rigid(model, {.tolerance = 0}), same(model, {.tolerance = 0, .limit = {infinity, 10}});
  rigid.reset(start);
  same.reset(start);
  int pushes = 0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(rigid.step({}, 0.005));
    REQUIRE(same.step({}, 0.005));
    CHECK(equal_bits(rigid.configuration(), same.configuration()));
    pushes += !rigid.bound_impulses().isZero();
  }
  CHECK(pushes > 5);
  CHECK(same.row_energy() == 0);
  double before = 1;
  for (const double K : {1e6, 1e8, 1e10}) {
    VariationalIntegrator stiff(model, {.tolerance = 0, .limit = {K, 10}});
    rigid.reset(start);
    stiff.reset(start);
    double off = 0;
    for (int k = 0; k < 100; ++k) {
      REQUIRE(rigid.step({}, 0.005));
      REQUIRE(stiff.step({}, 0.005));
      off = std::max(off, (rigid.configuration() - stiff.configuration()).cwiseAbs().maxCoeff());
    }
    CAPTURE(K, off);
    CHECK(off <= before);
    before = off / 50;  // the depth under a force is proportional to 1/K
  }
}

TEST_CASE("variational soft limits: the laws of an integrator hold, with loops too", "[integrators][variational][fast]") {
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v = VectorXd::Constant(4, -1);
  for (const double K : {1e2, 1e5, 1e9}) {
    CAPTURE(K);
    check_integrator_laws(VariationalIntegrator(chain, {.limit = {K, 1}}), start, 0.005);
  }
  const Model<double> closed = falling_parallelogram(0.4, 0.2);
  check_integrator_laws(VariationalIntegrator(closed, {.limit = {1e4, 10}}), {VectorXd{{0.4, -0.4, 0.4}}, VectorXd::Zero(3), 0}, 0.005,
                        {.velocity_tolerance = 1e-10});
}

TEST_CASE("variational soft limits: a mechanism swings against its stop and back, closed and without more energy",
          "[integrators][variational][fast]") {
  const Model<double> model = falling_parallelogram(0.4, 0);
  VariationalIntegrator integrator(model, {.tolerance = 0, .limit = {500, 0}});
  integrator.reset(at(model, {0}, {8, -8, 8}));
  const double before = energy_at(model, read(integrator));
  double open = 0, beyond = 0, highest = before, lowest = before;
  for (int k = 0; k < 1000; ++k) {
    const StepResult<double> result = integrator.step({}, 0.002);
    REQUIRE(result);
    CHECK_FALSE(result.relaxed);
    open = std::max(open, loop_gap(model, integrator.configuration()));
    beyond = std::max(beyond, integrator.configuration()[0] - 0.4);
    const double now = energy_at(model, read(integrator)) + integrator.row_energy();
    highest = std::max(highest, now);
    lowest = std::min(lowest, now);
  }
  CAPTURE(open, beyond, highest - before, before - lowest);
  CHECK(open < 1e-12);
  CHECK(beyond > 0.05);
  // the error of order h^2 of the free motion, which is not kept by limits better than by gravity
  CHECK(highest - before < 1e-3);
  CHECK(before - lowest < 1e-3);
}

TEST_CASE("variational soft limits: diagnostics count what the springs store and the dampers take", "[integrators][variational][fast]") {
  const Model<double> model = sliders({2}, {.upper = 0.25});
  for (const double C : {0., 20.}) {
    CAPTURE(C);
    VariationalIntegrator integrator(model, {.tolerance = 0, .limit = {800, C}});
    integrator.reset(at(model, {0}, {2}));
    Diagnostics diagnostics(model);
    double stored = 0;
    const auto summary = simulate(integrator, 1e-3, Seconds{0.4}, diagnostics, [&](auto& node) {
      const double beyond = std::max(node.state().q[0] - 0.25, 0.);
      stored = std::max(stored, beyond * beyond * 400);
      CHECK(std::abs(node.energy().elastic - beyond * beyond * 400) < 1e-12);
    });
    CHECK(summary.status == Status::converged);
    CHECK(integrator.configuration()[0] < 0.2);
    CHECK(diagnostics.largest_balance() < 1e-11);
    if (C > 0) CHECK(diagnostics.now().dissipated > 1);
    else CHECK((stored > 3.99 && std::abs(diagnostics.now().dissipated) < 1e-6));
  }
}

TEST_CASE("variational soft limits: constants out of range are refused by name", "[integrators][variational][fast]") {
  const Model<double> model = rods(1, {.lower = 0.5});
  const auto refused = [&](const Compliance<double>& law) {
    return refusal<OptionsError>([&] { return VariationalIntegrator(model, {.limit = law}); });
  };
  CHECK(refused({-1, 0}).find("limit.stiffness") != std::string::npos);
  CHECK(refused({std::nan(""), 0}).find("limit.stiffness") != std::string::npos);
  CHECK(refused({1e5, -1}).find("limit.damping") != std::string::npos);
}

}  // namespace variational_soft_limits_test
