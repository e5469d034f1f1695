// SPDX-License-Identifier: BSD-3-Clause
// Rolling and cutting bodies against closed forms and the equations of a sleigh.
#include <array>
#include <cmath>
#include <numbers>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace {

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

TEST_CASE("nonholonomic: a ball rolls down a slope with 5/7 of what it would slide with", "[integrators][maximal][fast]") {
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

TEST_CASE("nonholonomic: a sleigh on a blade moves as its equations say, with order 2", "[integrators][maximal][fast]") {
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

TEST_CASE("nonholonomic: a coin rolls in a circle at the lean of its steady motion, and wobbles without losing energy", "[integrators][maximal][fast]") {
  // A thin disk that leans by theta from the vertical, turns about the vertical with rate p and about its axle with s, its center on a
  // circle: (5/4) p cos(theta) (-p sin(theta)) r ... the balance of moments about the contact point,
  //   (3/2) r p s' cos(theta) + (1/4) r p^2 sin(theta) cos(theta) = g sin(theta),  s' = s + p sin(theta) taken along the axle.
  const double r = 0.5, m = 1.3, g = 9.81;
  const Model<double> model = one_body(Inertia<double>{m, Vector3<double>::Zero(), Vector3<double>(m * r * r / 4, m * r * r / 2, m * r * r / 4).asDiagonal()}, Free<double>());
  Rolling<double> rolling;
  rolling.name = "coin";
  rolling.body = 1;
  rolling.radius = r;
  rolling.axle = Vector3<double>::UnitY();
  const auto run = [&](int steps, double& energy_error) {
    MaximalIntegrator integrator(model, with(rolling));
    State<double> state = rest_state(model);
    const double lean = 0.4;
    const Quaternion<double> turn = quaternion::about<double>({1, 0, 0}, lean);
    state.q << 0, 0, r * std::cos(lean), turn.coeffs();
    state.v << 0.3, 5.0, 0.5, 0, 0, 0;
    // the center's velocity that rolls: v = -w x arm, arm = -r z of the disk at this turn
    const Vector3<double> w = state.v.head<3>();
    state.v.tail<3>() = -w.cross(Vector3<double>(0, 0, -r));
    integrator.reset(state);
    State<double> read = state;
    REQUIRE(integrator.read(read) == Status::converged);
    CHECK((read.v - state.v).norm() < 1e-12);
    KinematicsData<double> data(model);
    const double initial = energy(model, data, state.q, state.v).total();
    energy_error = 0;
    for (int k = 0; k < steps; ++k) {
      REQUIRE(integrator.step({}, 2.0 / steps));
      REQUIRE(integrator.read(state) == Status::converged);
      energy_error = std::max(energy_error, std::abs(energy(model, data, state.q, state.v).total() - initial));
      // at every node the rim is on the ground and its lowest point at rest
      const Matrix3<double> R = quaternion::rotation_matrix<double>(Quaternion<double>(state.q[6], state.q[3], state.q[4], state.q[5]));
      const Vector3<double> axle = R.col(1), arm = -r * (Vector3<double>::UnitZ() - axle[2] * axle).normalized();
      REQUIRE(std::abs(state.q[2] + arm[2]) < 1e-11);
      const Vector3<double> w_W = R * state.v.head<3>(), v_W = R * state.v.tail<3>();
      REQUIRE((v_W + w_W.cross(arm)).norm() < 1e-10);
    }
    return state;
  };
  double coarse_energy = 0, fine_energy = 0, finest_energy = 0;
  const State<double> coarse = run(400, coarse_energy), fine = run(800, fine_energy), finest = run(1600, finest_energy);
  CAPTURE(coarse_energy, fine_energy, g);
  CHECK(std::abs(std::log2(coarse_energy / fine_energy) - 2) < 0.2);
  const double ratio = model.difference(coarse.q, fine.q).norm() / model.difference(fine.q, finest.q).norm();
  CHECK(std::abs(std::log2(ratio) - 2) < 0.2);
}

TEST_CASE("nonholonomic: the laws of an integrator", "[integrators][maximal][fast]") {
  const Model<double> model = one_body(Inertia<double>{2, {0.1, 0, 0}, Vector3<double>(0.1, 0.2, 0.3).asDiagonal()}, Planar<double>());
  KnifeEdge<double> blade;
  blade.body = 1;
  State<double> state = rest_state(model);
  state.v << 1, 0, 0.5;
  test::check_integrator_laws(MaximalIntegrator(model, with(blade)), state, 1e-2, {.velocity_tolerance = 1e-10});
}

TEST_CASE("nonholonomic: what cannot be is refused by name", "[integrators][maximal][fast]") {
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
  CHECK(test::missing(message(KnifeEdge<double>(), [](auto& c) { c.across.setZero(); }), {"'wheel'", "across"}).empty());
  Rolling<double> ball;
  ball.name = "ball";
  ball.body = 1;
  ball.radius = 0.1;
  MaximalIntegrator integrator(model, with(ball));
  CHECK(test::missing(test::refusal<OptionsError>([&] { integrator.reset(rest_state(model)); return 0; }), {"constraint 'ball'", "is open by"}).empty());
}

}  // namespace
