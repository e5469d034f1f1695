// SPDX-License-Identifier: BSD-3-Clause
// Contacts with a tangential spring: they yield by F / K_t below the limit of friction, return, and slide beyond it.
#include <algorithm>
#include <cmath>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace compliant_tangential_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;

const double g = 9.81, m = 1, mu = 0.6, K_n = 1e8;

/// A flat box of 1 kg on four corners, as deep in the ground as its weight demands.
struct Block {
  Model<double> model;
  CompliantIntegrator<Model<double>, PlaneContacts<double>> integrator;

  explicit Block(double K_t, double C_t, const Vector3d& up = Vector3d::UnitZ())
      : model(build(up)), integrator(model, {.contact_margin = 0.01}, ground(model, K_t, C_t, up)) {
    State<double> state = rest_state(model);
    state.q.head<3>() = (0.01 - m * g / (4 * K_n)) * up;
    state.q.segment<4>(3) = Quaternion<double>::FromTwoVectors(Vector3d::UnitZ(), up).coeffs();
    integrator.reset(state);
  }
  static Model<double> build(const Vector3d& up) {
    ModelBuilder<double> builder("block");
    builder.gravity(-g * up).add_body("block", Inertia<double>::box(m, {0.2, 0.2, 0.02}));
    builder.add_joint("free", "world", "block", Pose<double>::identity(), Free<double>());
    return builder.add_shape({.name = "skin", .geometry = Box<double>{{0.2, 0.2, 0.02}}}, "block").build().with_enforced({.contact = true});
  }
  static PlaneContacts<double> ground(const Model<double>& model, double K_t, double C_t, const Vector3d& up) {
    const Compliance<double> normal{K_n, 1e4};
    PlaneContacts<double> plane({.normal = normal, .friction = mu, .tangential_damping = C_t, .tangential_stiffness = K_t}, up);
    plane.add_shapes_of(model);
    return plane;
  }
  /// Takes a step with a force at the centre along the x axis of the block.
  void push(double force, double h) {
    VectorX<double> tau = VectorX<double>::Zero(6);
    tau[3] = force;
    const StepResult<double> result = integrator.step(Input<double>(tau), h);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE(!result.relaxed);
  }
  double x() const { return integrator.configuration()[0]; }
  double v() {
    State<double> state = rest_state(model);
    REQUIRE(integrator.read(state) == Status::converged);
    return state.v[3];
  }
};

TEST_CASE("compliant: tangential springs below the limit of friction are an oscillator with implicit steps",
          "[integrators][compliant][fast]") {
  for (const double C_t : {0., 2., 100.}) {
    Block block(1e3, C_t);
    const double k = 4e3, c = 4 * C_t, h = 1e-3;
    double x = 0, v = 0, worst = 0;
    for (int n = 0; n < 200; ++n) {
      const double force = n < 100 ? 2 : 0;  // released at an arbitrary phase
      block.push(force, h);
      v = (m * v + h * (force - k * x)) / (m + h * c + h * h * k);
      x += h * v;
      worst = std::max(worst, std::abs(block.x() - x));
    }
    CAPTURE(C_t, worst);
    CHECK(worst < 1e-5 * 2 / k);
  }
}

TEST_CASE("compliant: tangential springs yield by F / K_t and return", "[integrators][compliant][fast]") {
  // 3 N, though the limit of friction is mu m g = 5.9 N in all: a sudden push F is opposed by 1.14 F at first (damping ratio 0.95) and tips
  // the box,
  // which takes F/40 off each of the two trailing feet. At 5 N each of these would have to carry 1.42 N where its limit is 1.39 N, and
  // slip.
  Block block(1e3, 30);
  for (int n = 0; n < 2000; ++n) block.push(3, 1e-3);
  CHECK(std::abs(block.x() / (3 / 4e3) - 1) < 1e-6);  // tipping gives 1e-7, here and in the energy of the normal springs
  CHECK(std::abs(block.integrator.row_energy() - 9 / 8e3 - m * m * g * g / (8 * K_n)) < 1e-6 * 9 / 8e3);
  for (int n = 0; n < 2000; ++n) block.push(0, 1e-3);
  CHECK(std::abs(block.x()) < 1e-6 * 3 / 4e3);
  for (const TangentialStretch<double>& spring : block.integrator.forces().stretches()) CHECK(spring.s_A.norm() < 1e-7);
  for (int n = 0; n < 100; ++n) block.push(3, 1e-3);
  block.integrator.reset(rest_state(block.model));
  CHECK(block.integrator.forces().stretches().empty());
}

TEST_CASE("compliant: tangential springs are integrated with order 1", "[integrators][compliant][fast]") {
  const double T = 0.05, k = 4e3, omega = std::sqrt(k / m), exact = 2 / k * (1 - std::cos(omega * T));
  const auto error = [&](int steps) {
    Block block(1e3, 0);
    for (int n = 0; n < steps; ++n) block.push(2, T / steps);
    return std::abs(block.x() - exact);
  };
  const double coarse = error(200), fine = error(400);
  CAPTURE(coarse, fine, exact);
  CHECK(coarse < 0.1 * exact);
  CHECK(std::abs(std::log2(coarse / fine) - 1) < 0.1);
}

TEST_CASE("compliant: beyond the limit of friction tangential springs slide, and return the stored energy",
          "[integrators][compliant][fast]") {
  const double h = 1e-3, K_t = 1e3, most = mu * m * g / (4 * K_t);  // stretch of each at the limit
  Block block(K_t, 0);
  for (int n = 0; n < 200; ++n) block.push(8, h);
  const double before = block.v();
  for (int n = 0; n < 100; ++n) {
    block.push(8, h);
    const auto stretches = block.integrator.forces().stretches();
    REQUIRE(stretches.size() == 4);
    for (std::size_t c = 0; c < 4; ++c) {
      const auto lambda = block.integrator.row_forces().segment<3>(static_cast<Eigen::Index>(3 * c));
      CHECK(std::abs(stretches[c].s_A.norm() * K_t / (mu * lambda[0]) - 1) < 1e-6);
    }
  }
  CHECK(std::abs((block.v() - before) / (100 * h) / (8 / m - mu * g) - 1) < 1e-6);
  while (block.v() > 0) block.push(0, h);
  const double stopped = block.x();  // with springs at their limit, about which it oscillates
  double back = stopped;
  for (int n = 0; n < 3000; ++n) {
    block.push(0, h);
    back = std::min(back, block.x());
  }
  CHECK(back < stopped - most);
  CHECK(std::abs((stopped - block.x()) / most - 1) < 0.02);  // the step in which it stopped is one of 50 to that point
}

TEST_CASE("compliant: tangential springs add no energy, at any stiffness and step", "[integrators][compliant][fast]") {
  for (const double K_t : {1., 1e4, 1e12}) {
    for (const double C_t : {0., 10.}) {
      for (const double h : {1e-4, 1e-2}) {
        Block block(K_t, C_t);
        State<double> state = rest_state(block.model);
        state.q[2] = 0.01 - m * g / (4 * K_n);
        state.v[3] = 0.5;
        block.integrator.reset(state);
        KinematicsData<double> data(block.model);
        double before = 1e9;
        for (int n = 0; n < 100; ++n) {
          block.push(0, h);
          REQUIRE(block.integrator.read(state) == Status::converged);
          const Energy<double> parts = energy(block.model, data, state.q, state.v);
          const double now = parts.kinetic + parts.potential + block.integrator.row_energy();
          CAPTURE(K_t, C_t, h, n, now - before);
          CHECK(now < before + 1e-9);
          before = now;
        }
      }
    }
  }
}

TEST_CASE("compliant: the laws of an integrator hold with tangential springs on a slope", "[integrators][compliant][fast]") {
  Block block(1e3, 1, Vector3d(0.3, 0.2, 1).normalized());
  State<double> state = rest_state(block.model);
  REQUIRE(block.integrator.read(state) == Status::converged);
  state.v[3] = 0.01;
  test::check_integrator_laws(block.integrator, state, 1e-3);
}

}  // namespace compliant_tangential_test
