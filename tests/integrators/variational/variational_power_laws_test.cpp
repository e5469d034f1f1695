// SPDX-License-Identifier: BSD-3-Clause
// Contacts with Hertz's and other power laws in a variational step: closed forms of bounces, energy, damping, rest, order.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/contact_models.hpp"
#include "support/contact_stack.hpp"
#include "support/integrator_laws.hpp"

namespace variational_power_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;
using Law = PowerLaw<double>;

/// A run of a ball of 1 kg on a slide along z, above the ground at z = 0.
struct Run {
  Model<double> model;
  VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>> integrator;
  double gravity;

  template <class Normal>
  Run(const Normal& law, double q, double v, double g)
      : model(ball_on_slide(1, g)), integrator(model, {.tolerance = 0},
                                   PlaneContacts<double>(ContactMaterial<double>{law}).add(1, Pose<double>::identity(), Sphere<double>{0})),
        gravity(g) {
    integrator.reset({VectorXd::Constant(1, q), VectorXd::Constant(1, v), 0});
  }
  Run(const Run&) = delete;
  void step(double h) {
    const StepResult<double> result = integrator.step({}, h);
    REQUIRE(describe(result.status) == describe(Status::converged));
    CHECK(result.substeps == 1);
    CHECK_FALSE(result.relaxed);
  }
  double q() const { return integrator.configuration()[0]; }
  double v() const { return integrator.momentum()[0]; }  // of 1 kg
  double energy() { return v() * v() / 2 + gravity * q() + integrator.row_energy(); }
};

TEST_CASE("variational power laws: the force of a step does exactly the work of the energy, and its slope is that of differences",
          "[integrators][variational][fast]") {
  const double h = 0.01, K = 3e4;
  for (const double n : {1., 1.5, 2., 3.7}) {
    const auto U = [&](double gap) { return K * std::pow(std::max(-gap, 0.), n + 1) / (n + 1); };
    for (const double a : {0.02, 0., -1e-9, -0.003, -0.02}) {
      for (const double b : {0.01, 1e-7, -1e-9 - 1e-16, -0.003, -0.003 - 1e-12, -0.0031, -0.05}) {
        CAPTURE(n, a, b);
        for (const double c : {0., 0.4}) {
          detail::StepSpring<double> resolved(Law{K, n, c});
          resolved.begin(0, h);  // without mobility every step resolves the spring
          resolved.row(a, b);
          const double depth = std::max({-a, -b, 0.}), scale = K * std::pow(depth, n);
          if (std::abs(a - b) > 0.01 * depth) {  // beyond, the difference below has rounding errors
            const double D = (U(b) - U(a)) / (a - b);
            CHECK(std::abs(resolved.tangent(a, b).force - D * (1 + c * (a - b) / h)) <= 1e-11 * scale * (1 + c * std::abs(a - b) / h));
          } else {  // Simpson's rule, whose error is far smaller
            const double m = (a + b) / 2, mean = K * (std::pow(-a, n) + 4 * std::pow(-m, n) + std::pow(-b, n)) / 6;
            CHECK(std::abs(resolved.tangent(a, b).force - mean * (1 + c * (a - b) / h)) <= 1e-11 * scale);
          }
        }
        for (const double mobility : {1e-6, 0.4, 30., 1e5}) {  // g from 0 to 1
          detail::StepSpring<double> spring(Law{K, n, 0.3});
          spring.begin(mobility, h);
          spring.row(a, b);
          if (std::abs(b) < 1e-5) continue;  // a difference would cross the end of the force
          const double d = 1e-6 * std::abs(b), up = spring.tangent(a, b + d).force, down = spring.tangent(a, b - d).force;
          const double slope = spring.tangent(a, b).slope;
          CHECK(std::abs(slope - (down - up) / (2 * d)) <= 1e-4 * slope + 1e-3);
          CHECK(slope > 0);
        }
      }
    }
  }
}

/// Returns the depth at which a ball of 1 kg at the speed 1 turns, and how long it touches the ground, without gravity.
/// The second is 2 d/v int_0^1 du / sqrt(1 - u^(n+1)).
double deepest(double K, double n) { return std::pow((n + 1) / (2 * K), 1 / (n + 1)); }
double duration(double K, double n) {
  const double p = 1 / (n + 1);
  return 2 * deepest(K, n) * std::sqrt(std::numbers::pi) * std::tgamma(1 + p) / std::tgamma(0.5 + p);
}

TEST_CASE("variational power laws: a bounce lasts as long as the closed form says, and keeps its energy",
          "[integrators][variational][fast]") {
  const double K = 1e4;
  // Hertz's factor: 2.9432 (m^2 / (K'^2 v))^(1/5), K' = 4 K/5
  CHECK(std::abs(duration(K, 1.5) / (2.9432 * std::pow(1 / (0.8 * K * 0.8 * K), 0.2)) - 1) < 1e-4);
  for (const double n : {1., 1.5, 2., 3.}) {
    std::vector<double> errors;
    for (const int steps : {40, 80, 160, 320}) {  // in contact
      const double h = duration(K, n) / steps;
      double worst = 0;
      for (const double begin : {0.1, 0.37, 0.8}) {  // of a step before contact
        CAPTURE(n, steps, begin);
        Run run(Law{K, n}, begin * h, -1, 0);
        int k = 0;
        for (; k < 2 * steps && !(run.q() > 0 && run.v() > 0); ++k) run.step(h);
        CHECK(std::abs(run.v() - 1) < 1e-7);
        worst = std::max(worst, std::abs(k * h - run.q() / run.v() - begin * h - duration(K, n)) / duration(K, n));
      }
      errors.push_back(worst);
    }
    CAPTURE(n, errors[0], errors[1], errors[2], errors[3]);
    CHECK(errors.back() < 1e-4);
    CHECK(std::log2(errors.front() / errors.back()) / 3 > 1.8);
  }
}

TEST_CASE("variational power laws: no stiffness and step add energy, and bounces that are resolved keep it",
          "[integrators][variational][fast]") {
  struct Case {
    double hw, most;  // w: at the largest depth of the first bounce; loss a bounce
  };
  const double h = 0.005;
  for (const double n : {1.5, 3.}) {
    for (const Case& is : {Case{0.05, 1e-8}, Case{0.1, 1e-7}, Case{0.2, 3e-6}, Case{0.5, 1}, Case{1, 1}, Case{2, 1}, Case{5, 1},
                           Case{50, 1}, Case{1e4, 1}}) {
      CAPTURE(n, is.hw);
      // w^2 = n K d^(n-1) and K d^(n+1)/(n+1) = g (0.05 + d), where d is small against the height of the fall or not
      const double w = is.hw / h;
      double d = 0;
      for (int k = 0; k < 200; ++k) d = std::sqrt(n * (n + 1) * 9.81 * (0.05 + d)) / w;
      Run run(Law{w * w / (n * std::pow(d, n - 1)), n}, 0.05, 0, 9.81);
      const double start = run.energy();
      double highest = start, before = start, rise = 0;
      int bounces = 0;
      for (int k = 0; k < 4000; ++k) {
        const bool falls = run.v() < 0;
        run.step(h);
        bounces += falls && run.v() >= 0;
        const double now = run.energy();
        highest = std::max(highest, now);
        rise = std::max(rise, now - before);
        before = now;
      }
      INFO("loss a bounce " << (1 - run.energy() / start) / std::max(bounces, 1) << ", largest rise " << rise / start);
      CHECK(highest <= start * (1 + 1e-12));
      CHECK(rise <= 1e-12 * start);
      if (is.most < 1) {
        CHECK(bounces > 15);
        CHECK(1 - run.energy() / start <= bounces * is.most);
      } else if (is.hw > 4) {
        CHECK(std::abs(run.v()) < 0.05);
      }
    }
  }
}

TEST_CASE("variational power laws: however much is dissipated, a body leaves with less than 1/c", "[integrators][variational][fast]") {
  for (const double c : {10., 1e3, 1e6}) {  // at the speed 1/c the force vanishes
    for (const double n : {1., 1.5, 2.5}) {
      for (const double h : {1e-4, 1e-3, 1e-2}) {
        CAPTURE(c, n, h);
        Run run(Law{2e4, n, c}, 0.4 * h, -1, 0);
        for (int k = 0; k < 200; ++k) {
          run.step(h);
          REQUIRE(run.v() < 1 / c + 1e-12);
        }
      }
    }
  }
}

TEST_CASE("variational power laws: Hunt and Crossley's dissipation slows a bounce as the closed form says",
          "[integrators][variational][fast]") {
  // v dv / (1 + c v) = -K d^n dd on both ways, so that  G(v) = v/c - log(1 + c v)/c^2  is the same before and after, whatever K and n are.
  const double K = 2e4;
  for (const double c : {0.1, 0.5, 2.}) {
    const auto G = [&](double v) { return v / c - std::log1p(c * v) / (c * c); };
    double low = 0, high = std::min(1., (1 - 1e-15) / c);
    for (int k = 0; k < 200; ++k) (G(-(low + high) / 2) < G(1) ? low : high) = (low + high) / 2;
    for (const double n : {1.5, 2.5}) {
      std::vector<double> errors;
      for (const int steps : {50, 200}) {
        const double h = duration(K, n) / steps;
        Run run(Law{K, n, c}, 0.4 * h, -1, 0);
        for (int k = 0; k < 4 * steps && !(run.q() > 0 && run.v() > 0); ++k) run.step(h);
        errors.push_back(std::abs(run.v() - low));
      }
      CAPTURE(c, n, low, errors[0], errors[1]);
      CHECK(errors[0] < 1e-3);
      CHECK(errors[1] < errors[0] / 8);
    }
  }
}

TEST_CASE("variational power laws: bodies rest as deep as the load presses them, at any stiffness", "[integrators][variational][fast]") {
  for (const double n : {1.5, 3.}) {
    for (double K = 1e2; K < 2e14; K *= 100) {
      CAPTURE(n, K);
      Run run(Law{K, n, 2}, 0, 0, 9.81);
      for (int k = 0; k < 2000; ++k) run.step(0.01);
      CHECK(std::abs(run.q() / -std::pow(9.81 / K, 1 / n) - 1) < 1e-3);
      CHECK(std::abs(run.v()) <= 2e-12);
    }
  }
}

TEST_CASE("variational power laws: the period in contact is that of a quadrature, with an error of order two",
          "[integrators][variational][fast]") {
  // Between depths d0 and d1 with the same  V(d) = K d^(n+1)/(n+1) - g d,  T = 2 int dd / sqrt(2 (V(d0) - V(d))), by Gauss and Chebyshev.
  const double K = 4e4, n = 1.5, g = 9.81, rest = std::pow(g / K, 1 / n), d0 = 0.5 * rest;
  const auto V = [&](double d) { return K * std::pow(d, n + 1) / (n + 1) - g * d; };
  double low = rest, high = 3 * rest;
  for (int k = 0; k < 100; ++k) (V((low + high) / 2) < V(d0) ? low : high) = (low + high) / 2;
  const double d1 = low;
  double T = 0;
  constexpr int points = 400;
  for (int k = 0; k < points; ++k) {
    const double u = std::cos(std::numbers::pi * (k + 0.5) / points), d = (d0 + d1) / 2 + u * (d1 - d0) / 2;
    T += 2 * std::numbers::pi / points * std::sqrt((d - d0) * (d1 - d) / (2 * (V(d0) - V(d))));
  }
  std::vector<double> errors;
  for (const int steps : {40, 80, 160, 320}) {
    Run run(Law{K, n}, -d0, 0, g);
    for (int k = 0; k < 5 * steps; ++k) run.step(T / steps);
    errors.push_back(std::hypot((run.q() + d0) / rest, run.v() * T / rest));
  }
  CAPTURE(errors[0], errors[1], errors[2], errors[3]);
  const double order = std::log2(errors.front() / errors.back()) / 3;
  CHECK(order >= 1.9);
  CHECK(order < 2.2);
}

TEST_CASE("variational power laws: stacks of balls of random masses, stiffness and exponents never gain energy",
          "[integrators][variational][fast]") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const auto law = [&] {
      const double K = std::pow(10., 2 + 12 * share(random));
      return ContactMaterial<double>{Law{K, 1 + 2 * share(random), trial % 2 ? share(random) : 0}};
    };
    const ContactMaterial<double> of_pairs = law(), of_ground = law();
    check_stack_gains_no_energy(of_pairs, of_ground, [&] { return share(random); });
  }
}

TEST_CASE("variational power laws: the exponent one is the linear spring bitwise", "[integrators][variational][fast]") {
  for (const double K : {1e3, 1e6, 1e16}) {
    Run power(Law{K, 1}, 0.05, 0, 9.81), linear(Compliance<double>{K, 0}, 0.05, 0, 9.81);
    for (int k = 0; k < 300; ++k) {
      power.step(0.005);
      linear.step(0.005);
      REQUIRE(equal_bits(power.integrator.configuration(), linear.integrator.configuration()));
      if (K < 1e15) REQUIRE(power.integrator.row_energy() == linear.integrator.row_energy());
    }
  }
}

PlaneContacts<double> box_on(const Law& law) {
  return under_corners(ContactMaterial<double>{law, 0.5});
}

TEST_CASE("variational power laws: the laws of an integrator hold", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, {0.4, 0.3, 0.2});
  for (const double K : {1e3, 1e7, 1e12}) {
    CAPTURE(K);
    check_integrator_laws(VariationalIntegrator(model, {}, box_on({K, 1.5, 0.3})), falling_on_a_corner(), 0.005);
  }
}

TEST_CASE("variational power laws: great stiffness is nearly the rigid contact", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, {0.4, 0.3, 0.2});
  VariationalIntegrator rigid_box(model, {}, corners({0.4, 0.3, 0.2}, 0.5));
  double before = 1;
  for (const double K : {1e12, 1e15, 1e18}) {
    VariationalIntegrator stiff(model, {}, box_on({K, 1.5}));
    rigid_box.reset(falling_on_a_corner());
    stiff.reset(falling_on_a_corner());
    double off = 0;
    for (int k = 0; k < 30; ++k) {
      CAPTURE(K, k);
      REQUIRE(rigid_box.step({}, 0.005));
      REQUIRE(stiff.step({}, 0.005));
      off = std::max(off, (rigid_box.configuration() - stiff.configuration()).cwiseAbs().maxCoeff());
    }
    CAPTURE(K, off);
    CHECK(off <= before);
    before = off / 50;  // the depth under a force is proportional to K^(-2/3)
  }
}

TEST_CASE("variational power laws: what a run dissipates and stores is what the diagnostics say", "[integrators][variational][fast]") {
  const Model<double> model = ball_on_slide();
  for (const double c : {0., 0.5}) {
    CAPTURE(c);
    VariationalIntegrator integrator(
        model, {.tolerance = 0},
        PlaneContacts<double>(ContactMaterial<double>{Law{1e5, 1.5, c}}).add(1, Pose<double>::identity(), Sphere<double>{0}));
    integrator.reset({VectorXd::Constant(1, 0.05), VectorXd::Zero(1), 0});
    Diagnostics diagnostics(model);
    double stored = 0;
    const Seconds run{1};
    const auto summary = simulate(integrator, 0.001, run, diagnostics, [&](auto& node) {
      const double is = 1e5 / 2.5 * std::pow(std::max(-node.state().q[0], 0.), 2.5);
      stored = std::max(stored, is);
      CHECK(std::abs(node.energy().elastic - is) < 1e-12);
    });
    CHECK(summary.status == Status::converged);
    CHECK(stored > 0.3);
    CHECK(diagnostics.largest_balance() < 1e-11);
    CHECK((c > 0 ? diagnostics.now().dissipated > 0.1 : std::abs(diagnostics.now().dissipated) < 1e-6));
  }
}

}  // namespace variational_power_laws_test
