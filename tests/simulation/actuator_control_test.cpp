// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/actuator_control.hpp"

#include <cmath>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/composition.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/actuator.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/hold.hpp"
#include "actio/simulation/rate_meter.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace actio;

namespace actuator_control_test {

using V3 = Vector3<double>;
using Chain = Model<double>;

/// A box of 2 kg on a slide without gravity, or with it along the slide.
Chain slider(double gravity = 0, JointProperties<double> properties = {}) {
  ModelBuilder<double> builder("slider");
  builder.gravity(V3(0, 0, -gravity));
  builder.add_body("box", Inertia<double>::box(2, V3::Ones()));
  builder.add_joint("slide", "world", "box", Pose<double>::identity(), Prismatic<double>(V3::UnitZ()), properties);
  return builder.build();
}
/// A rod of 3 kg and 1 m, horizontal, on a hinge.
Chain pendulum(JointProperties<double> properties = {}) {
  ModelBuilder<double> builder("pendulum");
  builder.add_body(
      "rod", Inertia<double>::capsule(3, 0.05, 1).seen_from_parent(Pose<double>{so3::rotation<double>(V3::UnitY(), 1.5), V3(0.5, 0, 0)}));
  builder.add_joint("hinge", "world", "rod", Pose<double>::identity(), Revolute<double>(V3::UnitY()), properties);
  return builder.build();
}
Actuator<double> servo(double stiffness, double damping) {
  Actuator<double> a;
  a.name = "servo";
  a.body = 1;
  a.gain = a.stiffness = stiffness;
  a.damping = damping;
  return a;
}
State<double> at(double q, double v) { return {VectorX<double>::Constant(1, q), VectorX<double>::Constant(1, v), 0.0}; }

TEST_CASE("actuator: its force is affine, within its ranges and free of allocations", "[simulation][fast]") {
  Actuator<double> a = servo(5, 0.5);
  a.constant = 1;
  a.gear = 2;
  a.gain = 3;
  a.ctrl_lower = -1;
  a.ctrl_upper = 4;
  a.force_lower = -30;
  a.reference = VectorX<double>::Constant(1, 0.1);
  const Chain model = slider();
  const std::vector<Actuator<double>> actuators{a, a};
  const auto tau = [&](double ctrl, double q, double v) {
    VectorX<double> sum = VectorX<double>::Constant(1, 100);
    const VectorX<double> both = VectorX<double>::Constant(2, ctrl);
    const State<double> x = at(q, v);
    test::AllocationCounter allocations;
    add_actuator_forces(model, actuators, both, x.q, x.v, sum);
    CHECK(allocations.count() == 0);
    return (sum[0] - 100) / 2;
  };
  CHECK(tau(2, 0.3, 0.7) == Approx(2 * (3 * 2 + 1 - 5 * 2 * (0.3 - 0.1) - 0.5 * 2 * 0.7)));
  CHECK(tau(9, 0.1, 0) == Approx(2 * (3 * 4 + 1)));  // the control is limited
  CHECK(tau(0, 100, 0) == Approx(2 * -30));          // the force is limited
}

TEST_CASE("actuator: on a ball joint it measures the rotation from its reference", "[simulation][fast]") {
  const Chain model = models::spherical_chain(1);
  Actuator<double> a = servo(5, 0);
  a.entry = 2;
  const VectorX<double> turned = model.integrate(model.neutral(), V3(0, 0, 0.3)), half = model.integrate(model.neutral(), V3(0, 0, 0.1));
  CHECK(a.length(model, turned) == Approx(0.3));
  a.reference = half;
  CHECK(a.length(model, turned) == Approx(0.2));
  VectorX<double> tau = VectorX<double>::Zero(3);
  add_actuator_forces(model, std::vector{a}, VectorX<double>::Zero(1), turned, VectorX<double>::Zero(3), tau);
  CHECK((tau - V3(0, 0, -1)).norm() < 1e-14);
}

TEST_CASE("actuator control: a servo follows the closed form of a damped oscillator", "[simulation][fast]") {
  const Chain model = slider();
  const double k = 800, d = 16, m = 2, target = 0.25, rate = d / (2 * m), w = std::sqrt(k / m - rate * rate);
  ActuatorControl control(model, {servo(k, d)}, VectorX<double>::Constant(1, target));
  const auto exact = [&](double t) { return target * (1 - std::exp(-rate * t) * (std::cos(w * t) + rate / w * std::sin(w * t))); };
  VariationalIntegrator integrator(control.model());
  integrator.reset(at(0, 0));
  double error = 0;
  REQUIRE(simulate(integrator, control, 1e-3, Seconds{0.5},
                   [&](auto& node) { error = std::max(error, std::abs(node.state().q[0] - exact(node.time()))); }));
  CHECK(error < 1e-4);

  // As an input it has the velocity of the beginning of each step, which delays the damper by half a step.
  ActuatorControl input(model, {servo(k, d)}, VectorX<double>::Constant(1, target), ActuatorUse::inputs);
  CHECK(input.model().properties().stiffness.isZero(0));
  VariationalIntegrator other(input.model());
  other.reset(at(0, 0));
  error = 0;
  REQUIRE(simulate(other, input, 1e-4, Seconds{0.5},
                   [&](auto& node) { error = std::max(error, std::abs(node.state().q[0] - exact(node.time()))); }));
  CHECK(error < 1e-3);
}

TEST_CASE("actuator control: in the compliant integrator a servo of any stiffness is the implicit step", "[simulation][fast]") {
  const Chain model = slider(9.81);
  const double k = 1e9, d = 1e7, m = 2, h = 1e-2;
  ActuatorControl control(model, {servo(k, d)});
  CompliantIntegrator integrator(control.model());
  integrator.reset(at(0.1, 0.3));
  double q = 0.1, v = 0.3;
  for (int step = 0; step < 50; ++step) {
    REQUIRE(simulate(integrator, control, h, Steps{1}));
    v = (m * v - h * (k * q + m * 9.81)) / (m + h * d + h * h * k);
    q += h * v;
    REQUIRE(integrator.configuration()[0] == Approx(q).epsilon(1e-9));
  }
}

TEST_CASE("actuator control: changed controls and limits of the force act through the input", "[simulation][fast]") {
  const Chain model = slider();
  Actuator<double> a = servo(1e3, 0);
  ActuatorControl control(model, {a});
  Input<double> input;
  VariationalIntegrator still(control.model());
  still.reset(at(0, 0));
  const auto first_input = [&](ActuatorControl<double>& c) {
    (void)simulate(
        still,
        [&](auto& node, Input<double>& in) {
          c(node, in);
          input = in;
        },
        1e-3, Steps{1});
    return input.tau_begin[0];
  };
  CHECK(first_input(control) == 0);
  still.reset(at(0, 0));
  control.ctrl()[0] = 0.02;
  CHECK(first_input(control) == Approx(20));

  a.force_lower = -5;
  a.force_upper = 5;
  ActuatorControl limited(model, {a}, VectorX<double>::Constant(1, 1e3));  // far away: it pushes with 5 N
  const auto push = [&](auto pushed, double tolerance, double of_work) {
    pushed.reset(at(0, 0));
    Diagnostics diagnostics(limited.model());
    REQUIRE(simulate(pushed, limited, 1e-3, Seconds{1}, diagnostics));
    CHECK(pushed.configuration()[0] == Approx(0.5 * 5 / 2.0).epsilon(tolerance));  // F t^2 / (2 m)
    const double stored = diagnostics.now().energy.elastic - limited.elastic_energy(VectorX<double>::Zero(1));
    CHECK(diagnostics.now().input - stored == Approx(5 * pushed.configuration()[0]).epsilon(of_work));  // of the actuator
  };
  push(VariationalIntegrator(limited.model()), 3e-4, 3e-4);  // (h w)^2 / 2 with w^2 = k / m
  push(MaximalIntegrator(limited.model()), 3e-4, 3e-4);
  push(RungeKutta<Chain>(limited.model()), 3e-4, 3e-4);
  // Of first order: h / t; and the spring, which acts at one end of the step, takes or gives k x^2 / 2 in each, in total h k / 2 times the
  // integral of v^2, 1.04 J of 6.25 J.
  push(SemiImplicitEuler(limited.model()), 6e-3, 0.18);
  push(CompliantIntegrator(limited.model()), 6e-3, 0.18);
}

TEST_CASE("actuator control: as servos of the model, actuators of any gain have the forces of their ranges", "[simulation][fast]") {
  Actuator<double> a = servo(1e6, 2e5);
  a.gear = -2;
  a.force_lower = -5;
  a.force_upper = 3;
  Actuator<double> free = servo(10, 1);
  ActuatorControl control(slider(), {a, free}, VectorX<double>::Constant(2, 0.0), ActuatorUse::servos);
  CHECK(control.model().servos().size() == 1);
  CHECK(control.model().properties().stiffness[0] == 10);  // without limits it is a spring
  ActuatorControl alone(slider(), {a}, VectorX<double>::Constant(1, 1e3), ActuatorUse::servos);
  VariationalIntegrator integrator(alone.model());
  integrator.reset(at(0, 0));
  Diagnostics diagnostics(alone.model());
  REQUIRE(simulate(integrator, alone, 1e-3, Seconds{0.5}, diagnostics));
  const double q = -0.5 * 3 * 0.25;  // -2 * 3 N on 2 kg
  CHECK(integrator.configuration()[0] == Approx(q));
  CHECK(diagnostics.now().input == Approx(-6 * q));
  CHECK(diagnostics.largest_balance() < 1e-9);
  alone.ctrl()[0] = -1e3;
  State<double> x = at(0, 0);
  REQUIRE(integrator.read(x) == Status::converged);
  CHECK(x.v[0] == Approx(-1.5));
  REQUIRE(simulate(integrator, alone, 1e-3, Seconds{0.5}));
  CHECK(integrator.configuration()[0] == Approx(q - 1.5 * 0.5 + 0.5 * 5 * 0.25).margin(0.004 * 0.5));  // the change takes a step: 8 N h
  alone.ctrl()[0] = -2 * 0.2;  // it goes there, and stays
  REQUIRE(simulate(integrator, alone, 1e-3, Seconds{5}));
  CHECK(integrator.configuration()[0] == Approx(0.2));
}

TEST_CASE("actuator control: as a servo of the model on a ball joint", "[simulation][fast]") {
  ModelBuilder<double> builder("ball");
  builder.gravity(V3::Zero()).add_body("ball", Inertia<double>::sphere(1, 0.1));
  builder.add_joint("joint", "world", "ball", Pose<double>::identity(), Spherical<double>());
  Actuator<double> a = servo(0.5, 50);
  a.entry = 2;
  a.force_lower = -0.01;
  a.force_upper = 0.01;
  ActuatorControl control(builder.build(), {a}, VectorX<double>::Zero(1), ActuatorUse::servos);
  VariationalIntegrator integrator(control.model());
  State<double> x = rest_state(control.model());
  x.v = V3(0, 0, 1);
  integrator.reset(x);
  REQUIRE(simulate(integrator, control, 1e-3, Seconds{0.1}));
  REQUIRE(integrator.read(x) == Status::converged);
  CHECK((x.v - V3(0, 0, 1 - 0.01 / 0.004 * 0.1)).norm() < 1e-9);
}

TEST_CASE("actuator control: it works with every kind of integrator", "[simulation][fast]") {
  const Chain model = pendulum();
  const HeldPose<double> held = hold_pose(model, {}, {}, model.neutral());
  REQUIRE(held.actuators.size() == 1);
  const double k = held.actuators[0].stiffness, torque = 3 * 9.81 * 0.5;
  double droop = torque / k;  // less than the cosine of its own angle
  for (int i = 0; i < 20; ++i) droop = torque * std::cos(droop) / k;
  const auto ends = [&](auto integrator, ActuatorControl<double>& control) {
    REQUIRE(simulate(integrator, control, 1e-3, Seconds{3}));
    CHECK(integrator.configuration()[0] == Approx(droop).epsilon(1e-6));
  };
  ActuatorControl control(model, held.actuators, held.ctrl), input(model, held.actuators, held.ctrl, ActuatorUse::inputs);
  ends(SemiImplicitEuler(control.model()), control);
  ends(RungeKutta<Chain>(control.model()), control);
  ends(VariationalIntegrator(control.model()), control);
  ends(MaximalIntegrator(control.model()), control);
  ends(CompliantIntegrator(control.model()), control);
  ends(VariationalIntegrator(input.model()), input);
  ends(CompliantIntegrator(input.model()), input);
  CHECK(test::refusal<ModelError>([&] { return Composition(VariationalIntegrator(control.model())); }) != "");
  ends(Composition(VariationalIntegrator(input.model())), input);
}

TEST_CASE("actuator control: it allocates before the first step only", "[simulation][fast]") {
  const Chain model = pendulum();
  const HeldPose<double> held = hold_pose(model, {}, {}, model.neutral());
  ActuatorControl control(model, held.actuators, held.ctrl);
  VariationalIntegrator integrator(control.model());
  const test::AllocationCounter allocations;
  std::size_t first = 0, last = 0;
  REQUIRE(simulate(integrator, control, 1e-3, Steps{20}, [&](auto& node) {
    (void)node.energy();
    (node.step() == 1 ? first : last) = allocations.count();
  }));
  CHECK(last == first);
}

TEST_CASE("actuator control: two springs of a joint act as one", "[simulation][fast]") {
  const Chain model = slider(0, {.damping = 3, .stiffness = 50, .rest = 0.3});
  Actuator<double> a = servo(200, 4);
  a.constant = 7;
  a.gear = -2;
  a.reference = VectorX<double>::Constant(1, -0.1);
  ActuatorControl control(model, {a, a}, VectorX<double>::Constant(2, 0.6));
  const auto& p = control.model().properties();
  CHECK(p.stiffness[0] == Approx(50 + 2 * 4 * 200));
  CHECK(p.damping[0] == Approx(3 + 2 * 4 * 4));
  VectorX<double> both = VectorX<double>::Zero(1), each = both, missing = both;
  const State<double> x = at(0.7, -0.2);
  add_spring_forces(control.model(), x.q, both);
  add_damping_forces(control.model(), x.v, both);
  add_spring_forces(model, x.q, each);
  add_damping_forces(model, x.v, each);
  add_actuator_forces(model, control.actuators(), control.ctrl(), x.q, x.v, each);
  CHECK(both[0] == Approx(each[0]));
  control.add_missing_forces(x.q, x.v, 0.01, missing);
  CHECK(missing[0] == 0);
}

TEST_CASE("actuator control: it refuses what is not on the model", "[simulation][fast]") {
  const Chain model = slider();
  Actuator<double> a = servo(1, 1);
  CHECK(test::missing(test::refusal<OptionsError>([&] { return ActuatorControl(model, {a}, VectorX<double>::Zero(2)); }),
                      {"2 controls, expected 1"}) == "");
  a.entry = 1;
  CHECK(test::missing(test::refusal<ModelError>([&] { return ActuatorControl(model, {a}); }), {"actuator 'servo'", "'slider'"}) == "");
}

TEST_CASE("hold: gains follow from inertia and weight, forces from limits", "[simulation][fast]") {
  const double I = 2, weight = 2 * 9.81;
  const HeldPose<double> heavy = hold_pose(slider(9.81), {}, {}, VectorX<double>::Constant(1, 0.4));
  REQUIRE(heavy.actuators.size() == 1);
  CHECK(heavy.actuators[0].stiffness == Approx(weight / 0.01));
  CHECK(heavy.actuators[0].damping == Approx(2 * std::sqrt(weight / 0.01 * I)));
  CHECK(heavy.actuators[0].reference[0] == 0.4);
  CHECK(std::isinf(heavy.actuators[0].force_upper));
  CHECK(hold_pose(slider(), {}, {}, VectorX<double>::Zero(1)).actuators[0].stiffness == Approx(I * 400));
  const auto refused = [](const HoldOptions<double>& options) {
    return test::refusal<OptionsError>([&] { (void)hold_pose(slider(), {}, {}, VectorX<double>::Zero(1), options); });
  };
  CHECK(refused({.frequency = 0}) == "HoldOptions: frequency is 0, expected a finite number > 0");
  CHECK(refused({.droop = -0.01}) == "HoldOptions: droop is -0.01, expected > 0");
  const HeldPose<double> weak = hold_pose(slider(9.81, {.effort_limit = 12}), {}, {}, VectorX<double>::Zero(1));
  CHECK((weak.actuators[0].force_lower == -12 && weak.actuators[0].force_upper == 12));
  const HeldPose<double> none = hold_pose(slider(9.81, {.effort_limit = 0}), {}, {}, VectorX<double>::Zero(1));
  CHECK(none.actuators.empty());
  CHECK(none.not_held == std::vector<std::string>{"slide (effort limit 0)"});

  Actuator<double> motor = servo(0, 0);
  motor.gain = 2;
  motor.gear = -3;
  motor.ctrl_lower = -1;
  motor.ctrl_upper = 4;
  motor.force_upper = 7;
  const HeldPose<double> driven = hold_pose(slider(9.81), {motor}, {}, VectorX<double>::Zero(1));
  REQUIRE(driven.actuators.size() == 2);
  CHECK((driven.actuators[1].force_lower == -21 && driven.actuators[1].force_upper == 6));

  Actuator<double> given = servo(100, 0);
  given.gear = 2;
  given.constant = 5;
  const HeldPose<double> of_file = hold_pose(slider(9.81), {given}, {}, VectorX<double>::Constant(1, 0.4));
  REQUIRE(of_file.actuators.size() == 1);
  CHECK(of_file.ctrl[0] == Approx((100 * 0.8 - 5) / 100));
  CHECK(std::abs(given.force(of_file.ctrl[0], 0.8, 0)) < 1e-12);
}

TEST_CASE("hold: on the ground either side of a joint may carry the robot, and a free root is not held", "[simulation][fast]") {
  ModelBuilder<double> builder("hopper");
  builder.add_body("trunk", Inertia<double>::point(10, V3(0, 0, 1)));
  builder.add_body("foot", Inertia<double>::point(0.5, V3(0.1, 0, 0)));
  builder.add_joint("root", "world", "trunk", Pose<double>::identity(), Free<double>());
  builder.add_joint("ankle", "trunk", "foot", Pose<double>::identity(), Revolute<double>(V3::UnitY()));
  const Chain flying = builder.build(), model = flying.with_enforced({.contact = true});
  const HeldPose<double> held = hold_pose(model, {}, {}, model.neutral());
  REQUIRE(held.actuators.size() == 1);
  CHECK(hold_pose(flying, {}, {}, model.neutral()).actuators.at(0).stiffness == Approx(0.5 * 9.81 * 0.1 / 0.01));
  CHECK(held.actuators[0].body == model.find_joint("ankle"));
  CHECK(held.actuators[0].stiffness == Approx(10 * 9.81 * 1 / 0.01));
  CHECK(held.actuators[0].damping == Approx(2 * std::sqrt(held.actuators[0].stiffness * 10 * 1 * 1)));
  CHECK(held.not_held.empty());
}

TEST_CASE("rate meter: a spring that its damper keeps from oscillating does not count", "[simulation][fast]") {
  const auto frequency = [](double damping) {
    const Chain model = slider(0, {.damping = damping, .stiffness = 800});
    return largest_spring_frequency(model, model.neutral());
  };
  const double bound = std::sqrt(2 * 800 * 2.0);  // sqrt(2 k m)
  CHECK(frequency(0.99 * bound) == Approx(20));
  CHECK(frequency(1.01 * bound) == 0);
}

}  // namespace actuator_control_test
