// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace diagnostics_test {

using namespace actio;
using Eigen::VectorXd;
using V3 = Vector3<double>;
using V6 = Vector6<double>;

const double g = 9.81;

/// A box of 2 kg on one joint.
template <class J>
Model<double> box_on(const J& joint, const JointProperties<double>& properties = {}, const V3& gravity = V3::Zero()) {
  ModelBuilder<double> builder("box");
  builder.gravity(gravity).add_body("box", Inertia<double>::box(2, V3(0.2, 0.2, 0.2)));
  builder.add_joint("joint", "world", "box", Pose<double>::identity(), joint, properties);
  builder.add_shape({.name = "skin", .geometry = Box<double>{{0.2, 0.2, 0.2}}}, "box");
  return builder.build();
}
State<double> moving(const Model<double>& model, const VectorXd& v, double z = 0) {
  State<double> x = rest_state(model);
  if (model.nq() == 7) x.q[2] = z;
  x.v = v;
  return x;
}
using OnGround = CompliantIntegrator<Model<double>, PlaneContacts<double>>;
OnGround on_ground(const Model<double>& model, const ContactMaterial<double>& material, Factorization bodies = Factorization::automatic) {
  PlaneContacts<double> plane(material);
  plane.add_shapes_of(model);
  CompliantOptions<double> options;
  options.factorization = bodies;
  return OnGround(model, options, plane);
}

TEST_CASE("diagnostics: a damped oscillator matches its closed form", "[simulation][fast]") {
  const double m = 2, k = 50, d = 1.2, v0 = 3, h = 1e-3;
  const Model<double> model = box_on(Prismatic<double>(V3::UnitX()), {.damping = d, .stiffness = k});
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset(moving(model, VectorXd::Constant(1, v0)));
  Diagnostics diagnostics(model);
  const double a = d / (2 * m), w = std::sqrt(k / m - a * a);
  double worst = 0;
  const auto compare = [&](auto& node) {
    const double t = node.time(), x = v0 / w * std::exp(-a * t) * std::sin(w * t);
    const double v = v0 * std::exp(-a * t) * (std::cos(w * t) - a / w * std::sin(w * t));
    const DiagnosticsSample<double>& now = diagnostics.now();
    const double kinetic = m * v * v / 2, elastic = k * x * x / 2, all = m * v0 * v0 / 2;
    worst = std::max({worst, std::abs(now.energy.kinetic - kinetic), std::abs(now.energy.elastic - elastic),
                      std::abs(now.dissipated - (all - kinetic - elastic))});
  };
  REQUIRE(simulate(integrator, h, Seconds{3}, diagnostics, compare));
  CHECK(worst < 1e-4);  // of 9 J: h^2
  CHECK(diagnostics.now().dissipated > 7);
  CHECK(diagnostics.now().input == 0);
  CHECK(diagnostics.now().energy.potential == 0);
  CHECK(diagnostics.largest_balance() < 1e-12);
}

// Friction takes f per metre until the slider hits its limit, and the plastic impact takes the rest.
TEMPLATE_TEST_CASE("diagnostics: what friction and a limit take in a rigid step is dissipated", "[simulation][fast]",
                   VariationalIntegrator<Model<double>>, MaximalIntegrator<Model<double>>) {
  const double m = 2, f = 3, v0 = 1, limit = 0.05;
  const Model<double> model =
      box_on(Prismatic<double>(V3::UnitX()), {.friction = f, .upper = limit}).with_enforced({.limits = true, .friction = true});
  typename TestType::Options exact;
  exact.tolerance = 0;
  TestType integrator(model, exact);
  integrator.reset(moving(model, VectorXd::Constant(1, v0)));
  Diagnostics diagnostics(model);
  double worst = 0;
  const auto compare = [&](auto& node) {
    const double x = node.state().q[0];
    const double dissipated = x < limit - 1e-9 ? f * x : m * v0 * v0 / 2;
    worst = std::max(worst, std::abs(diagnostics.now().dissipated - dissipated));
  };
  REQUIRE(simulate(integrator, 1e-3, Seconds{0.1}, diagnostics, compare));
  CHECK(worst < 1e-12);
  CHECK(diagnostics.now().energy.kinetic < 1e-20);
  CHECK(diagnostics.largest_balance() < 1e-12);
}

// A slider falls on its limit, between two nodes. It comes to rest there, or sinks into a damper at the rate g m / C that its steps resolve or
// not: see section 5 of variational_contact.md.
TEMPLATE_TEST_CASE("diagnostics: what a limit takes from what falls on it, and sinks, is dissipated", "[simulation][fast]",
                   VariationalIntegrator<Model<double>>, MaximalIntegrator<Model<double>>) {
  const double m = 2, weight = m * 9.81, drop = 0.05;
  const double C = GENERATE(0.0, 1e2, 1e4, 1e6);  // h C / 2 m from 0.025 to 250; 0: rigid
  const double joint_damping = GENERATE(0.0, 0.5);
  CAPTURE(C, joint_damping);
  const Model<double> model = box_on(Prismatic<double>(V3::UnitZ()), {.damping = joint_damping, .lower = -drop}, V3(0, 0, -9.81))
                                  .with_enforced({.limits = true});
  typename TestType::Options exact;
  exact.tolerance = 0;
  if (C > 0) exact.limit = Compliance<double>{.stiffness = 1, .damping = C};
  TestType integrator(model, exact);
  integrator.reset(rest_state(model));
  Diagnostics diagnostics(model);
  REQUIRE(simulate(integrator, 1e-3, Seconds{0.3}, diagnostics));
  CHECK(diagnostics.largest_balance() < 1e-12);
  const DiagnosticsSample<double>& end = diagnostics.now();
  CHECK(end.dissipated == Approx(-weight * integrator.configuration()[0] - end.energy.kinetic - end.energy.elastic).margin(1e-12));
  CHECK((integrator.configuration()[0] < -drop - 1e-9) == (C > 0));
}

TEST_CASE("diagnostics: the work of a motor is its torque times the angle of rotation", "[simulation][fast]") {
  const Model<double> model = box_on(Revolute<double>(V3::UnitZ()));
  const Input<double> torque(VectorXd::Constant(1, 0.4));
  const double inertia = model.inertia(1).I_com(2, 2), T = 2;
  const auto check = [&](auto integrator, double tolerance) {
    integrator.reset(moving(model, VectorXd::Constant(1, -5)));
    Diagnostics diagnostics(model);
    REQUIRE(simulate(integrator, torque, 1e-2, Seconds{T}, diagnostics));
    const DiagnosticsSample<double>& end = diagnostics.now();
    CHECK(end.input == Approx(0.4 * integrator.configuration()[0]).epsilon(1e-12));
    CHECK(end.input == Approx(0.4 * (-5 * T + 0.4 / inertia * T * T / 2)).epsilon(tolerance));
    CHECK(end.angular_momentum[2] == Approx(inertia * -5 + 0.4 * T).epsilon(1e-12));  // L = L_0 + tau t
    CHECK(end.spin[2] == Approx(end.angular_momentum[2]).epsilon(1e-12));
    CHECK(diagnostics.relative_balance() < tolerance);
    CHECK(end.dissipated == 0);
  };
  check(VariationalIntegrator(model, {.tolerance = 0}), 1e-11);
  check(SemiImplicitEuler(model), 0.02);
}

TEST_CASE("diagnostics: a pushed body gains the impulse as momentum, about every point", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>());
  VariationalIntegrator integrator(model, {.tolerance = 0});
  State<double> start = rest_state(model);
  start.q.head<3>() = V3(1, 2, 3);
  integrator.reset(start);
  Input<double> push;
  push.wrench_begin = BodyArray<V6>(2, (V6() << 0, 0, 0, 5, 0, -3).finished());  // through its centre of mass: it does not rotate
  Diagnostics diagnostics(model);
  REQUIRE(simulate(integrator, push, 1e-2, Seconds{1}, diagnostics));
  const DiagnosticsSample<double>& end = diagnostics.now();
  const V3 f(5, 0, -3);
  CHECK((end.linear_momentum - f).norm() < 1e-11);
  CHECK((end.angular_momentum - V3(1, 2, 3).cross(f)).norm() < 1e-10);
  CHECK(end.spin.norm() < 1e-11);
  CHECK(end.input == Approx(f.squaredNorm() / 4).epsilon(1e-11));  // (F t)^2 / 2 m
  CHECK(end.energy.kinetic == Approx(f.squaredNorm() / 4).epsilon(1e-11));
}

TEST_CASE("diagnostics: momenta of many bodies are summed, and gravity changes them", "[simulation][fast]") {
  const Model<double> model = models::humanoid();
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset({models::random_configuration(model, 1), models::random_velocity(model, 2), 0});
  Diagnostics diagnostics(model, 1);
  REQUIRE(simulate(integrator, 2e-3, Steps{100}, diagnostics));
  const DiagnosticsSample<double>&begin = diagnostics.samples().front(), &end = diagnostics.samples().back();
  CHECK((end.linear_momentum - begin.linear_momentum - 0.2 * model.mass() * model.gravity()).norm() < 1e-10 * model.mass());
  CHECK((end.spin - begin.spin).norm() < 1e-11 * begin.spin.norm());
  CHECK((end.angular_momentum - begin.angular_momentum).norm() > 1e-3 * begin.spin.norm());
}

TEST_CASE("diagnostics: without dissipation and input the balance is the error of the energy meter", "[simulation][fast]") {
  const Model<double> model = models::spherical_chain(4);
  VariationalIntegrator integrator(model);
  integrator.reset({models::random_configuration(model, 1), models::random_velocity(model, 2), 0});
  EnergyMeter<double> energy;
  Diagnostics diagnostics(model);
  bool same = true;
  std::int64_t iterations = 0, substeps = 0;
  const auto compare = [&](auto& node) {
    same = same && diagnostics.now().balance == energy.error() && diagnostics.now().energy.total() == energy.now().total() &&
           diagnostics.now().step == node.step() && diagnostics.now().time == node.time();
    iterations += diagnostics.now().iterations;
    substeps += diagnostics.now().substeps;
  };
  const auto run = simulate(integrator, 1e-2, Steps{200}, energy, diagnostics, compare);
  REQUIRE(run);
  CHECK(same);
  CHECK(diagnostics.largest_balance() == energy.largest_error());
  CHECK(diagnostics.relative_balance() == energy.relative_error());
  CHECK(energy.largest_error() > 1e-6);  // the error is large enough to compare
  CHECK(iterations == run.iterations);
  CHECK(substeps == run.substeps);
  CHECK(diagnostics.now().gap == 0);
}

TEST_CASE("diagnostics: the spin of flying bodies excludes masses that are fixed to the world", "[simulation][fast]") {
  ModelBuilder<double> builder("tower");
  builder.gravity(V3::Zero())
      .add_body("tower", Inertia<double>::box(1000, V3(1, 1, 9)))
      .add_body("box", Inertia<double>::box(2, V3(0.1, 0.2, 0.4)));
  builder.add_joint("foot", "world", "tower", Pose<double>::translation(5, 0, 0), Fixed());
  builder.add_joint("flight", "world", "box", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  VariationalIntegrator integrator(model, {.tolerance = 0});  // to rounding
  integrator.reset(moving(model, (V6() << 1, -2, 3, 4, 5, -6).finished()));
  Diagnostics diagnostics(model, 1);
  REQUIRE(simulate(integrator, 1e-3, Steps{1000}, diagnostics));
  const V3 spin = diagnostics.samples().front().spin;
  CHECK(spin.norm() > 0.05);
  // The part that is subtracted, of the flight about the origin, is some 2000 times the spin: its rounding is 5e-13 of the spin, and grows
  // over the steps.
  for (const DiagnosticsSample<double>& sample : diagnostics.samples()) CHECK((sample.spin - spin).norm() < 1e-11 * spin.norm());
}

TEST_CASE("diagnostics: the number of samples is bounded, reset starts anew, and a missed node is reported", "[simulation][fast]") {
  const Model<double> model = models::revolute_chain(3);
  VariationalIntegrator integrator(model);
  integrator.reset(moving(model, VectorXd::Ones(3)));
  Diagnostics diagnostics(model, 10);
  diagnostics.reserve(3);
  std::size_t at_second_step = 0, at_end = 0;
  const test::AllocationCounter allocations;
  const auto count = [&](auto& node) { (node.step() <= 1 ? at_second_step : at_end) = allocations.count(); };
  REQUIRE(simulate(integrator, 1e-2, Steps{29}, diagnostics, count));
  CHECK(at_end == at_second_step);
  REQUIRE(diagnostics.samples().size() == 3);
  CHECK(diagnostics.samples()[1].step == 10);
  CHECK(diagnostics.samples()[2].time == 20 * 1e-2);

  std::vector<int> iterations;
  integrator.reset(moving(model, 20 * VectorXd::Ones(3)));
  REQUIRE(simulate(integrator, 1e-2, Steps{30}, diagnostics, [&](auto&) { iterations.push_back(diagnostics.now().iterations); }));
  REQUIRE(diagnostics.samples().size() == 4);
  CHECK(diagnostics.samples()[0].iterations == 0);
  bool hidden = false;  // whether the hardest step was not among the stored ones
  for (std::size_t k = 1; k <= 3; ++k) {
    const auto end = iterations.begin() + static_cast<std::ptrdiff_t>(10 * k + 1);
    const int most = *std::max_element(end - 10, end);
    hidden = hidden || most > *(end - 1);
    CHECK(diagnostics.samples()[k].iterations == most);
  }
  CHECK(hidden);

  const Input<double> push(VectorXd::Ones(3));
  REQUIRE(simulate(integrator, push, 1e-2, Steps{5}, diagnostics));
  CHECK(diagnostics.samples().size() == 1);
  CHECK(diagnostics.samples()[0].energy.total() != 0);
  CHECK(diagnostics.samples()[0].balance == 0);
  CHECK(diagnostics.now().input != 0);

  REQUIRE(simulate(integrator, push, 1e-2, Steps{6}, every(2, diagnostics)));
  CHECK(std::isnan(diagnostics.now().input));
  CHECK(std::isnan(diagnostics.now().dissipated));
  CHECK(std::isinf(diagnostics.largest_balance()));
  CHECK(std::isfinite(diagnostics.now().energy.total()));
}

TEST_CASE("diagnostics: a motor and dampers on a closed loop are balanced with every scheme", "[simulation][fast]") {
  const Model<double> chain = models::closed_chain(5);
  ModelProperties<double> properties = chain.properties();
  properties.damping.setConstant(0.2);
  const Model<double> model = chain.with_properties(properties);
  const Input<double> torque(VectorXd(3 * VectorXd::Unit(model.nv(), 0)));
  const auto run = [&](auto integrator, double h) {
    integrator.reset(rest_state(model));
    Diagnostics diagnostics(model);
    GapMeter<double> gap;
    double largest_gap = 0;
    const auto widen = [&](auto&) { largest_gap = std::max(largest_gap, diagnostics.now().gap); };
    REQUIRE(simulate(integrator, torque, h, Seconds{0.5}, diagnostics, gap, widen));
    CHECK(largest_gap == gap.largest());
    CHECK(largest_gap > 0);
    CHECK(std::abs(diagnostics.now().input) > 0.5);
    CHECK(diagnostics.now().dissipated > 0.5);
    return diagnostics.largest_balance();
  };
  const auto check = [&](const auto& integrator) {
    const double coarse = run(integrator, 4e-3), fine = run(integrator, 2e-3);
    CAPTURE(coarse, fine);
    CHECK(std::abs(std::log2(coarse / fine) - integrator.order) < 0.2);
    CHECK(fine < 0.2);
  };
  check(VariationalIntegrator(model));
  check(MaximalIntegrator<Model<double>>(model));
  check(CompliantIntegrator(model));
}

TEST_CASE("diagnostics: a box that falls on soft ground and comes to rest is balanced", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>(), {}, V3(0, 0, -g)).with_enforced({.contact = true});
  const double stiffness = GENERATE(std::numeric_limits<double>::infinity(), 2e3, 2e4);
  const double damping = std::isfinite(stiffness) ? 0.02 * stiffness : 0.0;
  const auto run = [&](double h) {
    OnGround integrator = on_ground(model, {Compliance<double>{stiffness, damping}, 0.5});
    integrator.reset(moving(model, VectorXd::Zero(6), 0.6));
    Diagnostics diagnostics(model);
    REQUIRE(simulate(integrator, h, Seconds{2}, diagnostics));
    const DiagnosticsSample<double>& end = diagnostics.now();
    CAPTURE(stiffness, h, end.energy.kinetic, end.energy.potential, end.energy.elastic, end.dissipated, end.balance,
            diagnostics.largest_balance());
    CHECK(end.energy.kinetic < 1e-12);
    const double lost = 2 * g * (0.6 - integrator.configuration()[2]);
    CHECK(lost > 2 * g * 0.5 - 1e-9);
    CHECK(end.energy.elastic == Approx(std::isfinite(stiffness) ? 4 * g * g / (8 * stiffness) : 0.0).epsilon(1e-6));  // at four corners
    CHECK(end.dissipated + end.energy.elastic == Approx(lost).epsilon(1e-2));
    return diagnostics.largest_balance();
  };
  const double coarse = run(2e-3), fine = run(1e-3);
  CAPTURE(coarse, fine);
  CHECK(fine < 0.05);  // of 10 J
  CHECK(std::abs(std::log2(coarse / fine) - 1) < 0.15);
}

TEST_CASE("diagnostics: a box that tumbles over the ground is balanced for every contact law", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>(), {}, V3(0, 0, -g)).with_enforced({.contact = true});
  const auto run = [&](const ContactMaterial<double>& material, double h) {
    OnGround integrator = on_ground(model, material);
    State<double> start = moving(model, (VectorXd(6) << 1, -2, 0.5, 1, 0, 0).finished());
    start.q = model.integrate(start.q, (VectorXd(6) << 0.6, 0.4, 0.9, 0, 0, 0).finished());
    start.q[2] = 0.8;
    integrator.reset(start);
    Diagnostics diagnostics(model);
    REQUIRE(simulate(integrator, h, Seconds{2}, diagnostics));
    const DiagnosticsSample<double>& end = diagnostics.now();
    CHECK(end.energy.kinetic < 0.1);
    CHECK(end.dissipated > 10);
    CHECK(std::abs(end.balance) < 5 * h);
    return diagnostics.largest_balance();
  };
  const ContactMaterial<double> rigid{Compliance<double>{}, 0.5}, soft{Compliance<double>{1e4, 100}, 0.5};
  const ContactMaterial<double> round{PowerLaw<double>::hertz(1e6, 0.1, 0.5), 0.5};
  for (const ContactMaterial<double>& material : {rigid, soft, round}) {
    const double coarse = run(material, 2e-3), fine = run(material, 1e-3);
    CAPTURE(coarse, fine);
    CHECK(fine < 0.05);  // of 15 J
    CHECK(std::abs(std::log2(coarse / fine) - 1) < 0.1);
  }
}

TEST_CASE("diagnostics: a box that slides to rest has dissipated its kinetic energy", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>(), {}, V3(0, 0, -g)).with_enforced({.contact = true});
  const Factorization bodies = GENERATE(Factorization::dense, Factorization::sparse, Factorization::blocks);
  const double mu = 0.4, v = 2;
  const auto run = [&](double h) {
    OnGround integrator = on_ground(model, {Compliance<double>{}, mu}, bodies);
    integrator.reset(moving(model, v * VectorXd::Unit(6, 3), 0.1));
    Diagnostics diagnostics(model);
    std::size_t at_second_step = 0, at_end = 0;
    const test::AllocationCounter allocations;
    const auto count = [&](auto& node) { (node.step() <= 1 ? at_second_step : at_end) = allocations.count(); };
    REQUIRE(simulate(integrator, h, Seconds{1}, diagnostics, count));
    CHECK(at_end == at_second_step);
    CHECK(diagnostics.now().energy.kinetic < 1e-12);
    CHECK(diagnostics.now().dissipated == Approx(v * v).epsilon(1e-6));  // m v^2 / 2
    CHECK(diagnostics.largest_balance() < 1e-6);
    return std::abs(diagnostics.now().dissipated - mu * 2 * g * integrator.configuration()[0]);  // mu m g times the distance
  };
  const double coarse = run(2e-3), fine = run(1e-3);
  CAPTURE(coarse, fine);
  CHECK(fine < 0.01);
  CHECK(fine < 0.6 * coarse);
}

TEST_CASE("diagnostics: the energy stored in springs of joint limits and loops is counted", "[simulation][fast]") {
  SECTION("a slider against its stop") {
    const Model<double> model =
        box_on(Prismatic<double>(V3::UnitX()), {.friction = 1.5, .upper = 0.25}).with_enforced({.limits = true, .friction = true});
    CompliantOptions<double> options;
    options.limit = {800, 0};
    const auto run = [&](double h) {
      CompliantIntegrator integrator(model, options);
      integrator.reset(moving(model, VectorXd::Constant(1, 2)));
      Diagnostics diagnostics(model);
      double largest = 0, rubbed = 0, deepest = 0;
      REQUIRE(simulate(integrator, h, Seconds{0.4}, diagnostics, [&](auto& node) {
        if (diagnostics.now().energy.elastic <= largest) return;
        largest = diagnostics.now().energy.elastic;
        deepest = node.configuration()[0];
        rubbed = diagnostics.now().dissipated;
      }));
      CHECK(largest == Approx(800 * (deepest - 0.25) * (deepest - 0.25) / 2));
      CHECK(largest == Approx(4 - 1.5 * deepest).epsilon(1e-2));
      CHECK(diagnostics.now().energy.elastic == 0);
      CHECK(integrator.configuration()[0] < 0.2);
      CHECK(diagnostics.largest_balance() < 1e-10);
      return rubbed - 1.5 * deepest;
    };
    const double coarse = run(2e-4), fine = run(1e-4);  // energy that the step dissipates in the spring
    CHECK(fine > 0);
    CHECK(std::abs(std::log2(coarse / fine) - 1) < 0.1);
    CHECK(fine < 0.02);
  }
  SECTION("a chain on a compliant loop") {
    const Model<double> model = models::closed_chain(3);
    CompliantOptions<double> options;
    options.closure = {5e3, 20};
    CompliantIntegrator integrator(model, options);
    integrator.reset(rest_state(model));
    Diagnostics diagnostics(model);
    double worst = 0, largest = 0;
    REQUIRE(simulate(integrator, 1e-3, Seconds{0.5}, diagnostics, [&](auto&) {
      const double gap = diagnostics.now().gap, elastic = diagnostics.now().energy.elastic;
      largest = std::max(largest, elastic);
      worst = std::max(worst, std::abs(elastic - 5e3 * gap * gap / 2));
    }));
    CHECK(largest > 1e-3);
    CHECK(worst < 1e-12);
  }
}

}  // namespace diagnostics_test
