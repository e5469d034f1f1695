// SPDX-License-Identifier: BSD-3-Clause
// Rolling and cutting bodies against closed forms and the equations of a sleigh.
#include <array>
#include <cmath>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace maximal_nonholonomic_test {

using namespace actio;
using Eigen::VectorXd;

template <class J>
Model<double> one_body(const Inertia<double>& inertia, const J& joint, const Vector3<double>& gravity = {0, 0, -9.81}) {
  ModelBuilder<double> builder("one");
  builder.gravity(gravity).add_body("body", inertia);
  builder.add_joint("joint", "world", "body", Pose<double>::identity(), joint);
  return builder.build();
}
MaximalOptions<double> with(const Nonholonomic<double>& constraint) {
  MaximalOptions<double> options;
  options.nonholonomic.push_back(constraint);
  return options;
}

TEST_CASE("nonholonomic: a ball rolls down a slope with 5/7 of what it would slide with", "[integrators][maximal][long]") {
  const double radius = 0.2, slope = 0.3, g = 9.81;
  const Model<double> model = one_body(Inertia<double>::sphere(3, radius), Free<double>(), {g * std::sin(slope), 0, -g * std::cos(slope)});
  Rolling<double> rolling;
  rolling.name = "ball";
  rolling.body = 1;
  rolling.radius = radius;
  MaximalIntegrator integrator(model, with(rolling));
  State<double> state = rest_state(model);
  state.q[2] = radius;
  state.v << 0, 1, 0, radius, 0, 0;  // rolling already
  integrator.reset(state);
  const double a = 5. / 7 * g * std::sin(slope), h = 1e-3;
  for (int k = 1; k <= 1000; ++k) {
    REQUIRE(integrator.step({}, h));
    const double t = k * h;
    REQUIRE(std::abs(integrator.configuration()[2] - radius) < 1e-12);
    REQUIRE(std::abs(integrator.configuration()[1]) < 1e-12);
    // the quaternion map makes spins up to (h w)^2 / 24 faster for their momentum, of which 2/7 is the ball's
    REQUIRE(std::abs(integrator.configuration()[0] - radius * t - a * t * t / 2) < 1e-5 * t * t);
  }
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(std::abs(state.v[1] * radius - (radius + a)) < 1e-5);  // the spin at t = 1 s
}

/// Chaplygin's sleigh: mass m at a distance a ahead of the blade, u along it and w about it:  u' = a w^2,  w' = -m a u w / (I + m a^2).
std::array<double, 5> sleigh(double m, double I, double a, double u, double w, double T) {
  std::array<double, 5> x{0, 0, 0, u, w};  // the blade's position, heading, u, w
  const auto rate = [&](const std::array<double, 5>& s) {
    return std::array<double, 5>{s[3] * std::cos(s[2]), s[3] * std::sin(s[2]), s[4], a * s[4] * s[4], -m * a * s[3] * s[4] / (I + m * a * a)};
  };
  const auto moved = [](std::array<double, 5> s, const std::array<double, 5>& r, double h) {
    for (std::size_t k = 0; k < 5; ++k) s[k] += h * r[k];
    return s;
  };
  constexpr int steps = 20000;
  const double h = T / steps;
  for (int k = 0; k < steps; ++k) {
    const auto k1 = rate(x), k2 = rate(moved(x, k1, h / 2)), k3 = rate(moved(x, k2, h / 2)), k4 = rate(moved(x, k3, h));
    for (std::size_t e = 0; e < 5; ++e) x[e] += h / 6 * (k1[e] + 2 * k2[e] + 2 * k3[e] + k4[e]);
  }
  return x;
}

TEST_CASE("nonholonomic: a sleigh on a blade moves as its equations say, with order 2", "[integrators][maximal][long]") {
  const double m = 2, I = 0.3, a = 0.4, T = 2;
  Inertia<double> inertia{m, {a, 0, 0}, Vector3<double>(0.1, 0.2, I).asDiagonal()};
  const Model<double> model = one_body(inertia, Planar<double>());
  KnifeEdge<double> blade;
  blade.name = "blade";
  blade.body = 1;
  const std::array<double, 5> exact = sleigh(m, I, a, 1.0, 1.5, T);
  const auto error = [&](int steps) {
    MaximalIntegrator integrator(model, with(blade));
    State<double> state = rest_state(model);
    state.v << 1.0, 0, 1.5;
    integrator.reset(state);
    for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, T / steps));
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(std::abs(state.v[1]) < 1e-12);  // across the blade
    return std::max({std::abs(state.q[0] - exact[0]), std::abs(state.q[1] - exact[1]), std::abs(state.q[2] - exact[2]), std::abs(state.v[0] - exact[3]),
                     std::abs(state.v[2] - exact[4])});
  };
  const double coarse = error(100), fine = error(200);
  CAPTURE(coarse, fine);
  CHECK(coarse < 2e-2);
  CHECK(std::abs(std::log2(coarse / fine) - 2) < 0.15);
}

constexpr double coin_mass = 1.3, coin_radius = 0.5;
Model<double> coin() {
  const double across = coin_mass * coin_radius * coin_radius / 4;
  return one_body(Inertia<double>{coin_mass, Vector3<double>::Zero(), Vector3<double>(across, 2 * across, across).asDiagonal()}, Free<double>());
}
Rolling<double> rolling_coin() {
  Rolling<double> rolling;
  rolling.name = "coin";
  rolling.body = 1;
  rolling.radius = coin_radius;
  rolling.axle = Vector3<double>::UnitY();
  return rolling;
}
Quaternion<double> turn_of(const State<double>& x) { return {x.q[6], x.q[3], x.q[4], x.q[5]}; }
/// From the centre to the point of the rim that touches the ground.
Vector3<double> coin_arm(const Quaternion<double>& turn) {
  const Vector3<double> axle = turn * Vector3<double>::UnitY();
  return -coin_radius * (Vector3<double>::UnitZ() - axle[2] * axle).normalized();
}
/// A coin over the origin that rolls with the angular velocity w (world).
State<double> rolling_state(const Model<double>& model, const Quaternion<double>& turn, const Vector3<double>& w) {
  State<double> state = rest_state(model);
  const Vector3<double> arm = coin_arm(turn);
  state.q << 0, 0, -arm[2], turn.coeffs();
  state.v << turn.conjugate() * w, turn.conjugate() * Vector3<double>(-w.cross(arm));
  return state;
}

TEST_CASE("nonholonomic: a coin rolls in the circles of its steady motion, with order 2", "[integrators][maximal][long]") {
  // The axle A leans by the angle whose sine is c and precesses about the vertical n at the rate p. Balance of moments about the point that
  // touches gives the spin w_a = w . A:   p w_a (I_a + m r^2) - I_t p^2 c + m g r c / s = 0.
  const double lean = 0.35, c = std::sin(lean), s = std::cos(lean), precession = -1.7, g = 9.81, m = coin_mass, r = coin_radius;
  const double I_t = m * r * r / 4, I_a = 2 * I_t;
  const double w_a = (I_t * precession * precession * c - m * g * r * c / s) / (precession * (I_a + m * r * r)), spin = w_a - precession * c;
  const Vector3<double> n = Vector3<double>::UnitZ();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), lean);
  const Vector3<double> A = turn * Vector3<double>::UnitY();
  const Model<double> model = coin();
  const State<double> start = rolling_state(model, turn, precession * n + spin * A);
  const Vector3<double> center = start.q.head<3>(), v = turn * Vector3<double>(start.v.tail<3>()), from_axis = -n.cross(v) / precession;
  CHECK(std::abs(from_axis.norm() - r * std::abs(w_a / precession)) < 1e-12);
  const auto error = [&](int steps) {
    MaximalIntegrator integrator(model, with(rolling_coin()));
    integrator.reset(start);
    State<double> state = start;
    double largest = 0;
    const double T = 4, h = T / steps;  // one turn of the circle and a bit
    for (int k = 1; k <= steps; ++k) {
      REQUIRE(integrator.step({}, h));
      REQUIRE(integrator.read(state) == Status::converged);
      const Quaternion<double> precessed = quaternion::about<double>(n, precession * k * h), rolled = quaternion::about<double>(A, spin * k * h);
      const Vector3<double> expected = center - from_axis + precessed * from_axis;
      largest = std::max({largest, (state.q.head<3>() - expected).norm(), (precessed * rolled * turn).angularDistance(turn_of(state))});
    }
    return largest;
  };
  const double coarse = error(800), fine = error(1600);
  CAPTURE(coarse, fine, w_a);
  CHECK(coarse < 2e-3);
  CHECK(std::abs(std::log2(coarse / fine) - 2) < 0.1);
}

TEST_CASE("nonholonomic: a wobbling coin rolls at every node, and its energy errs with order 2", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 0.4);
  const State<double> start = rolling_state(model, turn, turn * Vector3<double>(0.3, 5.0, 0.5));
  const auto run = [&](int steps, double& energy_error) {
    MaximalIntegrator integrator(model, with(rolling_coin()));
    integrator.reset(start);
    State<double> state = start;
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK((state.v - start.v).norm() < 1e-12);
    KinematicsData<double> data(model);
    const double initial = energy(model, data, state.q, state.v).total();
    energy_error = 0;
    for (int k = 0; k < steps; ++k) {
      REQUIRE(integrator.step({}, 2.0 / steps));
      REQUIRE(integrator.read(state) == Status::converged);
      energy_error = std::max(energy_error, std::abs(energy(model, data, state.q, state.v).total() - initial));
      const Vector3<double> arm = coin_arm(turn_of(state));
      REQUIRE(std::abs(state.q[2] + arm[2]) < 1e-11);
      const Vector3<double> w = turn_of(state) * Vector3<double>(state.v.head<3>()), v = turn_of(state) * Vector3<double>(state.v.tail<3>());
      REQUIRE((v + w.cross(arm)).norm() < 1e-10);  // of the point that touches
    }
    return state;
  };
  double coarse_energy = 0, fine_energy = 0, finest_energy = 0;
  const State<double> coarse = run(400, coarse_energy), fine = run(800, fine_energy), finest = run(1600, finest_energy);
  CAPTURE(coarse_energy, fine_energy);
  CHECK(std::abs(std::log2(coarse_energy / fine_energy) - 2) < 0.2);
  const double ratio = model.difference(coarse.q, fine.q).norm() / model.difference(fine.q, finest.q).norm();
  CHECK(std::abs(std::log2(ratio) - 2) < 0.2);
}

TEST_CASE("nonholonomic: the laws of an integrator", "[integrators][maximal][long]") {
  const Model<double> model = one_body(Inertia<double>{2, {0.1, 0, 0}, Vector3<double>(0.1, 0.2, 0.3).asDiagonal()}, Planar<double>());
  KnifeEdge<double> blade;
  blade.body = 1;
  State<double> state = rest_state(model);
  state.v << 1, 0, 0.5;
  test::check_integrator_laws(MaximalIntegrator(model, with(blade)), state, 1e-2, {.velocity_tolerance = 1e-10});
}

TEST_CASE("nonholonomic: what cannot be is refused by name", "[integrators][maximal][long]") {
  const Model<double> model = one_body(Inertia<double>::sphere(1, 0.1), Free<double>());
  const auto message = [&](auto constraint, auto change) {
    constraint.name = "wheel";
    constraint.body = 1;
    change(constraint);
    return test::refusal<OptionsError>([&] { return MaximalIntegrator(model, with(constraint)).time(); });
  };
  CHECK(test::missing(message(Rolling<double>(), [](auto& c) { c.body = 2; }), {"'wheel'", "body", "2"}).empty());
  CHECK(test::missing(message(Rolling<double>(), [](auto& c) { c.radius = 0; }), {"'wheel'", "radius", "> 0"}).empty());
  CHECK(test::missing(message(Rolling<double>(), [](auto& c) { c.normal.setZero(); }), {"'wheel'", "normal"}).empty());
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(test::missing(message(Rolling<double>(), [&](auto& c) { c.radius = std::numeric_limits<double>::infinity(); }), {"'wheel'", "radius", "> 0"}).empty());
  CHECK(test::missing(message(Rolling<double>(), [&](auto& c) { c.center[1] = none; }), {"'wheel'", "center"}).empty());
  CHECK(test::missing(message(Rolling<double>(), [&](auto& c) { c.axle[1] = none; }), {"'wheel'", "axle"}).empty());
  CHECK(test::missing(message(Rolling<double>(), [&](auto& c) { c.height = none; }), {"'wheel'", "height"}).empty());
  CHECK(test::missing(message(KnifeEdge<double>(), [&](auto& c) { c.point[0] = none; }), {"'wheel'", "point"}).empty());
  CHECK(test::missing(message(KnifeEdge<double>(), [](auto& c) { c.across.setZero(); }), {"'wheel'", "across"}).empty());
  Rolling<double> ball;
  ball.name = "ball";
  ball.body = 1;
  ball.radius = 0.1;
  MaximalIntegrator integrator(model, with(ball));
  CHECK(test::missing(test::refusal<OptionsError>([&] { integrator.reset(rest_state(model)); return 0; }), {"constraint 'ball'", "has a constraint violation of"}).empty());
}

}  // namespace maximal_nonholonomic_test
