// SPDX-License-Identifier: BSD-3-Clause
// Rolling bodies and knife edges together with contacts and loops, against closed forms and other models of the same motion.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/cast.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/integrator_laws.hpp"

namespace maximal_rolling_contact_test {

using namespace actio;
using namespace actio::test;

const Nonholonomic<double> blade{.name = "blade", .type = KnifeEdge<double>{}};

/// A frame of 10 kg on three wheels that roll.
constexpr double wheel_radius = 0.2, wheel_mass = 1.5, wheel_inertia = 0.03;
constexpr double car_mass = 10 + 3 * wheel_mass + 3 * wheel_inertia / (wheel_radius * wheel_radius);  // along its way
void add_car(ModelBuilder<double>& builder, const JointProperties<double>& rear = {}) {
  const double base = 0.8, track = 0.5;
  builder.add_body("frame", Inertia<double>{10, Vector3<double>::Zero(), Vector3<double>(0.5, 1, 1.2).asDiagonal()});
  builder.add_joint("base", "world", "frame", Pose<double>::identity(), Free<double>());
  for (const auto& [name, where] : {std::pair("left", Vector3<double>(0, track, 0)), std::pair("right", Vector3<double>(0, -track, 0)),
                                    std::pair("rear", Vector3<double>(-base, 0, 0))}) {
    const bool is_rear = where[0] < 0;
    builder.add_body(name, {wheel_mass, Vector3<double>::Zero(), Vector3<double>(0.015, wheel_inertia, 0.015).asDiagonal()});
    builder.add_joint(name, "frame", name, Pose<double>::translation(where), Revolute<double>({0, 1, 0}),
                      is_rear ? rear : JointProperties<double>{});
    builder.add_nonholonomic({.name = name, .type = Rolling<double>{.radius = wheel_radius, .axle = Vector3<double>::UnitY()}}, name);
  }
}
State<double> driving(const Model<double>& car, double speed) {
  State<double> start = rest_state(car);
  start.q[2] = wheel_radius;
  start.v[3] = speed;
  start.v.segment<3>(6).setConstant(speed / wheel_radius);
  return start;
}

TEST_CASE("maximal rolling: a car pushes a block over rough ground", "[integrators][maximal][fast]") {
  const double block_mass = 2, mu = 0.3, u = 1, T = 0.5;
  const Vector3<double> block(0.2, 0.6, 0.2);
  ModelBuilder<double> builder("plough");
  add_car(builder);
  builder.add_body("block", Inertia<double>::box(block_mass, block));
  builder.add_joint("free", "world", "block", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  const BodyIndex last = model.find_body("block");
  PlaneContacts<double> ground(rigid(mu));
  ground.add(last, Pose<double>::identity(), Box<double>{block});
  BodyContacts<double> bumper(rigid(0));
  bumper.add(1, Pose<double>::translation(0.5, 0, -0.1), Sphere<double>{0.05}).add(last, Pose<double>::identity(), Box<double>{block});
  MaximalIntegrator integrator(model, {}, ContactSources(ground, bumper));
  State<double> start = driving(model, u);
  start.q.segment<3>(10) = Vector3<double>(0.65, 0, 0.1);
  start.v[12] = u;
  const double a = mu * block_mass * 9.81 / (car_mass + block_mass);
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005}) {
    const State<double> x = run(integrator, start, h, T);
    CHECK(integrator.contacts().size() == 5);
    CHECK(integrator.gap() < 1e-12);
    CHECK(std::abs(x.v[3] - x.v[12]) < 1e-13);
    CHECK(std::abs(x.v[3] - wheel_radius * x.v[7]) < 1e-14);
    errors.push_back(std::max(std::abs(x.q[0] - (u * T - a * T * T / 2)), std::abs(x.v[3] - (u - a * T))));
  }
  CAPTURE(errors, fitted_order(errors));
  CHECK(errors.front() < 1e-3);
  CHECK(fitted_order(errors) > 1.9);
}

TEST_CASE("maximal rolling: a servo on a wheel drives a car", "[integrators][maximal][fast]") {
  ModelBuilder<double> builder("car");
  add_car(builder);
  const Model<double> car = builder.build();
  const double J = car_mass * wheel_radius * wheel_radius, aim = 1.5, T = 1;  // seen by the wheel
  const BodyIndex rear = car.find_body("rear");
  // theta'' + 2 theta' + 10 (theta - aim) = 0
  const Model<double> driven = car.with_servos({{rear, 0, 10 * J, 2 * J, aim, 1e3}});
  const double expected = aim * (1 - std::exp(-T) * (std::cos(3 * T) + std::sin(3 * T) / 3));
  std::vector<double> errors;
  for (const double h : {0.01, 0.005, 0.0025}) {  // 20 ms do not resolve a servo on the wheel alone
    MaximalIntegrator integrator(driven, {});
    const State<double> x = run(integrator, driving(driven, 0), h, T);
    CHECK(integrator.gap() < 1e-12);
    errors.push_back(std::max(std::abs(x.q[0] - wheel_radius * expected), std::abs(x.q[9] - expected)));
  }
  CAPTURE(errors, fitted_order(errors));
  CHECK(errors.front() < 1e-3);
  CHECK(fitted_order(errors) > 1.9);
  // At its limit the torque is constant.
  const Model<double> weak = car.with_servos({{rear, 0, 10 * J, 2 * J, 100, 0.5}});
  MaximalIntegrator integrator(weak, {});
  const State<double> x = run(integrator, driving(weak, 0), 0.01, T);
  CHECK(std::abs(x.q[0] - 0.5 * wheel_radius / J / 2 * T * T) < 1e-5);
}

TEST_CASE("maximal rolling: a car returns from a soft limit of a wheel", "[integrators][maximal][fast]") {
  ModelBuilder<double> builder("car");
  add_car(builder, {.upper = 1});
  const Model<double> car = builder.build().with_enforced({.limits = true});
  const double J = car_mass * wheel_radius * wheel_radius, omega = 20, u = 0.5;
  MaximalIntegrator integrator(car, {.limit = {J * omega * omega, 0}});
  double deepest = 0;
  integrator.reset(driving(car, u));
  for (int k = 0; k < 200; ++k) {
    REQUIRE(integrator.step({}, 0.005));
    deepest = std::max(deepest, integrator.configuration()[9] - 1);
  }
  const State<double> x = read(integrator);
  CHECK(std::abs(x.v[3] + u) < 1e-4);
  CHECK(std::abs(deepest - u / wheel_radius / omega) < 0.002);  // a half period of the spring, seen every 5 ms
  CHECK(integrator.gap() < 1e-12);
}

TEST_CASE("maximal rolling: a wheel that rolls against a wall with restitution rolls back", "[integrators][maximal][fast]") {
  const double r = 0.2, e = 0.7, u = 1.5;
  ModelBuilder<double> builder("wheel");
  builder.add_body("wheel", {1.5, Vector3<double>::Zero(), Vector3<double>(0.015, 0.03, 0.015).asDiagonal()});
  builder.add_joint("base", "world", "wheel", Pose<double>::identity(), Free<double>());
  builder.add_nonholonomic({.name = "tread", .type = Rolling<double>{.radius = r, .axle = Vector3<double>::UnitY()}}, "wheel");
  const Model<double> model = builder.build();
  ContactMaterial<double> bouncing = rigid(0);
  bouncing.restitution = e;
  PlaneContacts<double> wall(bouncing, {-1, 0, 0}, -1);  // x <= 1
  wall.add(1, Pose<double>::identity(), Sphere<double>{r});
  State<double> start = rest_state(model);
  start.q[2] = r;
  start.v[1] = u / r;
  start.v[3] = u;
  const double hit = (1 - r) / u;
  for (const Impacts impacts : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(impacts));
    MaximalIntegrator integrator(model, {.tolerance = 0, .impacts = impacts}, wall);
    const State<double> x = run(integrator, start, 0.007, 1.4);
    const double late = x.q[0] - ((1 - r) - e * u * (1.4 - hit));
    CHECK(std::abs(late) < (impacts == Impacts::located ? 2e-4 : 0.02));  // rolling in steps of 0.05 rad; up to one step late
    CHECK(std::abs(x.v[1] + e * u / r) < 1e-11);
    CHECK(integrator.gap() < 1e-12);
  }
}

/// A runner on a blade that carries a load: with a free base on the ground, and the load fastened by a loop; or as one body in the plane.
const Vector3<double> size(0.6, 0.3, 0.1);
const Inertia<double> runner_inertia{3, {0.05, 0, 0}, Vector3<double>(0.1, 0.2, 0.3).asDiagonal()};
const Inertia<double> load{1, {0, 0, 0}, Vector3<double>(0.02, 0.03, 0.04).asDiagonal()};
const Vector3<double> carried(0.2, 0.05, 0.1);
Model<double> loaded_runner(bool on_loop) {
  ModelBuilder<double> builder("runner");
  builder.add_body("runner", runner_inertia).add_body("load", load);
  builder.add_joint("base", "world", "runner", Pose<double>::identity(), Free<double>());
  builder.add_joint("load", on_loop ? "world" : "runner", "load", Pose<double>::translation(carried), Free<double>());
  builder.add_loop({.name = "straps", .type = LoopType::fixed, .T_A = Pose<double>::translation(carried)}, "runner", "load");
  builder.add_nonholonomic(blade, "runner");
  return builder.build();
}
/// The ground under the corners of the runner.
template <class S = double>
PlaneContacts<S> under(S friction) {
  ContactMaterial<S> material;
  material.friction = friction;
  PlaneContacts<S> ground(material, Vector3<S>::UnitZ(), S(-0.05));
  return ground.add(1, Pose<S>::identity(), Box<S>{size.cast<S>()});
}
Model<double> flat_runner() {
  ModelBuilder<double> builder("flat");
  Inertia<double> there = load;
  there.com = carried;
  builder.add_body("runner", runner_inertia + there);
  builder.add_joint("base", "world", "runner", Pose<double>::identity(), Planar<double>()).add_nonholonomic(blade, "runner");
  return builder.build();
}

TEST_CASE("maximal rolling: a runner on the ground that carries a load by a loop moves as one body in the plane",
          "[integrators][maximal][fast]") {
  const Model<double> flat = flat_runner();
  for (const bool on_loop : {false, true}) {
    const Model<double> model = loaded_runner(on_loop);
    MaximalIntegrator integrator(model, {.tolerance = 1e-13}, under(0.));
    MaximalIntegrator reference(flat, {.tolerance = 1e-13});
    State<double> start = rest_state(model);
    start.v[2] = 1.5, start.v[3] = 1;
    const Vector3<double> v_load = Vector3<double>(1, 0, 0) + 1.5 * Vector3<double>::UnitZ().cross(carried);
    if (on_loop) start.v[8] = 1.5, start.v.tail<3>() = v_load;
    integrator.reset(start);
    reference.reset(at(flat, {}, {1, 0, 1.5}));
    const double energy = energy_at(model, read(integrator));
    double apart = 0, off = 0, rises = 0;
    for (int k = 0; k < 200; ++k) {
      CAPTURE(k, on_loop);
      const StepResult<double> result = integrator.step({}, 0.01);
      REQUIRE(describe(result.status) == describe(Status::converged));
      REQUIRE(reference.step({}, 0.01));
      REQUIRE(integrator.contacts().size() == 4);
      const State<double> x = read(integrator), y = read(reference);
      const Quaternion<double> turn(x.q[6], x.q[3], x.q[4], x.q[5]);
      const double yaw = 2 * std::atan2(turn.z(), turn.w());
      apart = std::max({apart, (x.q.head<2>() - y.q.head<2>()).norm(), std::abs(std::remainder(yaw - y.q[2], 2 * M_PI)),
                        (x.v.segment<2>(3) - y.v.head<2>()).norm(), std::abs(x.v[2] - y.v[2])});
      off = std::max({off, std::abs(x.v[4]), integrator.gap(), std::abs(x.q[2])});
      rises = std::max(rises, energy_at(model, x) - energy);
    }
    CAPTURE(on_loop, apart, off, rises);
    CHECK(apart < 1e-12);
    CHECK(off < 1e-12);
    CHECK(rises < 1e-13 * energy);  // what the tolerance of one step leaves
  }
}

TEST_CASE("maximal rolling: a runner on springs comes close to one on rigid ground as they get stiff", "[integrators][maximal][fast]") {
  const Model<double> model = loaded_runner(true);
  State<double> start = rest_state(model);
  start.v[2] = start.v[8] = 1.5;
  start.v[3] = 1;
  start.v.tail<3>() = Vector3<double>(1, 0, 0) + 1.5 * Vector3<double>::UnitZ().cross(carried);
  MaximalIntegrator rigid_ground(model, {}, under(0.));
  const State<double> expected = run(rigid_ground, start, 0.01, 1);
  double before = 1;
  for (const double stiffness : {1e4, 1e5, 1e6}) {
    CAPTURE(stiffness);
    ContactMaterial<double> soft;
    soft.friction = 0;
    soft.normal = Compliance<double>{stiffness, stiffness / 100};
    PlaneContacts<double> ground(soft, Vector3<double>::UnitZ(), -0.05);
    ground.add(1, Pose<double>::identity(), Box<double>{size});
    MaximalIntegrator integrator(model, {}, ground);
    integrator.reset(start);
    double energy = energy_at(model, start) + integrator.row_energy(), rise = 0;
    for (int k = 0; k < 100; ++k) {
      REQUIRE(integrator.step({}, 0.01));
      CHECK(integrator.gap() < 1e-12);
      const double now = energy_at(model, read(integrator)) + integrator.row_energy();
      rise = std::max(rise, now - std::exchange(energy, now));
    }
    const double apart = (read(integrator).q.head<3>() - expected.q.head<3>()).norm();
    CAPTURE(apart, rise);
    CHECK(apart < 0.2 * before);
    CHECK(rise < 1e-4);
    before = apart;
  }
}

TEST_CASE("maximal rolling: a ball that hits a runner on a blade pushes it along the blade only", "[integrators][maximal][fast]") {
  const double radius = 0.1, M = 3, m = 0.7, speed = 1.3, forward = 0.2;
  ModelBuilder<double> builder("hit");
  builder.gravity({0, 0, 0}).add_body("runner", Inertia<double>::sphere(M, radius)).add_body("ball", Inertia<double>::sphere(m, radius));
  builder.add_joint("base", "world", "runner", Pose<double>::identity(), Free<double>());
  builder.add_joint("free", "world", "ball", Pose<double>::identity(), Free<double>());
  builder.add_nonholonomic(blade, "runner");
  const Model<double> model = builder.build();
  BodyContacts<double> balls(rigid(0));
  balls.add(1, Pose<double>::identity(), Sphere<double>{radius}).add(2, Pose<double>::identity(), Sphere<double>{radius});
  const ContactSources source(PlaneContacts<double>(rigid(0)), balls);  // the type of the test above: nothing touches the plane
  for (const double angle : {0., 0.7, 1.5}) {  // between the blade and the line of the centres
    const Vector3<double> n(std::cos(angle), std::sin(angle), 0), e = Vector3<double>::UnitX();
    State<double> start = rest_state(model);
    start.q.segment<3>(7) = -(2 * radius + 0.045) * n;
    start.v.segment<3>(3) = forward * e;
    start.v.tail<3>() = forward * e + speed * n;
    // Plastic, with the mobility of the runner along the blade:  impulse (1/m + n_x^2 / M) = speed
    const double impulse = speed / (1 / m + n[0] * n[0] / M);
    const Vector3<double> runner_after = (forward + impulse * n[0] / M) * e, ball_after = forward * e + (speed - impulse / m) * n;
    MaximalIntegrator integrator(model, {}, source);
    double error = 0;
    for (const double h : {0.01, 0.001}) {
      CAPTURE(angle, h);
      integrator.reset(start);
      const double along = M * forward + m * (forward + speed * n[0]);
      double kinetic = energy_at(model, start);
      for (int k = 0; k < std::lround(0.04 / h); ++k) {
        REQUIRE(integrator.step({}, h));
        const State<double> x = read(integrator);
        const Vector3<double> runner = x.v.segment<3>(3), ball = x.v.tail<3>();
        CHECK(std::abs(runner[1]) < 1e-14);
        CHECK(std::abs(M * runner[0] + m * ball[0] - along) < 1e-13);
        const double now = energy_at(model, x);
        CHECK(now < kinetic + 1e-13);
        kinetic = now;
        if (integrator.contacts().empty()) continue;
        const Vector3<double> apart = x.q.head<3>() - x.q.segment<3>(7);
        CHECK(apart.norm() > 2 * radius - 1e-12);
        const double rate = apart.normalized().dot(runner - ball);
        CHECK(rate > -1e-12);
        CHECK(rate < 1e-9);  // a gap of -1e-13 m that the landing left is closed in the next step
        error = (runner - runner_after).norm() + (ball - ball_after).norm();
      }
      CHECK(error < (angle == 0 ? 1e-9 : 0.5 * h));  // while the ball slides round the runner, the line of the centres turns
    }
    CHECK(error > 0);  // it hit
  }
}

TEST_CASE("maximal rolling: contacts that stay open change nothing", "[integrators][maximal][fast]") {
  const Model<double> model = loaded_runner(true);
  State<double> start = rest_state(model);
  start.v[3] = start.v[9] = 1;
  PlaneContacts<double> below(rigid(0.5), Vector3<double>::UnitZ(), -50);
  check_open_contacts(MaximalIntegrator(model, {}, below.add(1, Pose<double>::identity(), Box<double>{size})), MaximalIntegrator(model), start);
}

TEST_CASE("maximal rolling: the laws of an integrator hold with contacts", "[integrators][maximal][fast]") {
  const Model<double> model = loaded_runner(true);
  check_integrator_laws(MaximalIntegrator(model, {}, under(0.5)), rest_state(model), 0.005, {.velocity_tolerance = 1e-10});
}

}  // namespace maximal_rolling_contact_test
