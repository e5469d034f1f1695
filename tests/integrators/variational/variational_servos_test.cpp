// SPDX-License-Identifier: BSD-3-Clause
// Servos with limited forces in a variational step: closed forms, energy at any gain and step, rest, and what stays as it was.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/dynamics/crba.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/passive_steps.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace variational_servos_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;
using Integrator = VariationalIntegrator<Model<double>>;

/// A body on a slide, with a servo towards 0.
Model<double> driven(double mass, double stiffness, double damping, double limit) {
  return sliders({mass}, {}).with_servos({{1, 0, stiffness, damping, 0, limit}});
}
/// Returns U, the integral of min(k |q|, limit) from 0 to |q|.
double stored(const Servo<double>& servo, double q) {
  const double stretch = std::abs(servo.stiffness * (q - servo.rest));
  if (stretch <= servo.limit) return servo.stiffness > 0 ? stretch * stretch / (2 * servo.stiffness) : 0;
  return servo.limit * (std::abs(q - servo.rest) - servo.limit / (2 * servo.stiffness));
}

TEST_CASE("servos: at its limit a servo of any gain is a constant force", "[integrators][fast]") {
  const double mass = 1.5, limit = 6, v0 = 1;
  for (const double damping : {10., 1e3, 1e5, 1e8}) {  // h d / m from 1/30 to 3e6
    const Model<double> model = driven(mass, damping * damping / (4 * mass), damping, limit);
    Integrator integrator(model, {.tolerance = 0});
    for (const double h : {0.02, 0.005}) {
      CAPTURE(damping, h);
      integrator.reset(at(model, {3}, {v0}));  // even with the damper the force is below -limit where q > 1
      for (int k = 1; k * h < 0.3; ++k) {
        REQUIRE(integrator.step({}, h));
        const State<double> x = read(integrator);
        CHECK(std::abs(x.v[0] - (v0 - limit / mass * k * h)) < 1e-12);
        CHECK(std::abs(x.q[0] - (3 + v0 * k * h - limit / mass * k * h * k * h / 2)) < 1e-12);
      }
    }
  }
}

TEST_CASE("servos: the step of one joint is the closed form of its piecewise linear equation", "[integrators][fast]") {
  const double m = 1.5, h = 0.01;
  for (const double damping : {0., 3., 100., 1e4}) {
    for (const double stiffness : {10., 1e3, 1e7}) {
      for (const double limit : {0.5, 20., 1e5}) {
        CAPTURE(damping, stiffness, limit);
        const Model<double> model = driven(m, stiffness, damping, limit);
        Integrator integrator(model, {.tolerance = 0});
        integrator.reset(at(model, {0.1}, {2}));
        const double half = h * stiffness / 2, slope = std::max(damping, half) + half;
        const double z = h * slope / (2 * m), t = std::clamp((z - 0.25) / 0.75, 0., 1.), s = 0.5 + t * t * (1.5 - t);
        double q = 0.1, p = 2 * m, F = std::clamp(-stiffness * q - damping * 2, -limit, limit);
        for (int k = 0; k < 200; ++k) {
          REQUIRE(integrator.step({}, h));
          const double begun = p - (s - 0.5) * h * F;  // m u = begun + s h F, F = -k q - slope u within the limits
          F = (-stiffness * q - slope * begun / m) / (1 + s * h * slope / m);
          F = std::clamp(F, -limit, limit);
          const double u = (begun + s * h * F) / m;
          q += h * u;
          p = m * u + h / 2 * F;
          const double scale = 2 * m + h * std::min(limit, stiffness * 0.1);
          REQUIRE(std::abs(integrator.configuration()[0] - q) < 1e-11);
          REQUIRE(std::abs(integrator.momentum()[0] - p) < 1e-10 * scale);
          REQUIRE(std::abs(integrator.servo_impulses()[0]) <= (1 + 1e-12) * 2 * h * limit);
        }
      }
    }
  }
}

TEST_CASE("servos: a servo that the step resolves is an oscillator to second order", "[integrators][fast]") {
  const double m = 2, stiffness = 800, damping = 16, rate = damping / (2 * m), w = std::sqrt(stiffness / m - rate * rate);
  const Model<double> model = driven(m, stiffness, damping, 1e3);
  Integrator integrator(model);
  std::vector<double> q, v;
  for (double h = 0.01; h > 5e-4; h /= 2) {
    const State<double> end = run(integrator, at(model, {0.5}), h, 0.2);
    const double decay = 0.5 * std::exp(-rate * 0.2), phase = w * 0.2;
    q.push_back(std::abs(end.q[0] - decay * (std::cos(phase) + rate / w * std::sin(phase))));
    v.push_back(std::abs(end.v[0] + decay * (w + rate * rate / w) * std::sin(phase)));
  }
  CAPTURE(q, v);
  CHECK(fitted_order(q) > 1.9);
  CHECK(fitted_order(v) > 1.9);
}

TEST_CASE("servos: no gain and no step adds energy to that of the motion and of what the servos hold", "[integrators][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {  // with a constant mass matrix the free step keeps it exactly
    models::Random random(seed);
    const double h = 0.01;
    const bool resolved = seed % 2 == 0;  // then s = 1/2, and otherwise 1: the first servo is stiff
    const bool bounded = seed % 4 < 2;
    Model<double> model = random_gantry(random, 5);
    std::vector<Servo<double>> servos;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const double gain = i == 1 && !resolved ? 6 : random.uniform(-1, resolved ? 0 : 8);
      servos.push_back({i, 0, std::pow(10, gain + random.uniform(0, 1)), random.uniform(0, 1) < 0.3 ? 0 : std::pow(10, gain - 1),
                        random.uniform(-0.1, 0.1), std::pow(10, random.uniform(-1, 2))});
    }
    model = model.with_servos(servos);
    if (!bounded) model = model.with_enforced({}).with_gravity({0, 0, 0});
    Integrator integrator(model, {.tolerance = 0});
    State<double> state = rest_state(model);
    state.v = models::random_velocity(model, random, 2);
    integrator.reset(state);
    const auto energy = [&](const State<double>& x) {
      double sum = energy_at(model, x);
      for (const Servo<double>& servo : servos) sum += stored(servo, x.q[servo.body - 1]);
      return sum;
    };
    CrbaData<double> data(model);
    const MatrixX<double> inverse = crba(model, data, state.q).inverse();
    VectorXd force(model.nv());  // of the servos in the last step
    for (const Servo<double>& servo : servos) {
      const double free = -servo.stiffness * -servo.rest - servo.damping * state.v[servo.body - 1];
      force[servo.body - 1] = std::clamp(free, -servo.limit, servo.limit);
    }
    const auto between = [&](State<double> x) {  // without the part of it that the next step takes back
      if (!resolved) x.v -= h / 2 * inverse * force;
      return energy(x);
    };
    const double first = energy(state), scale = std::abs(first) + 1;
    double before = between(state), rise = 0, highest = first;
    for (int k = 0; k < 300; ++k) {
      REQUIRE(integrator.step({}, h));
      const State<double> x = read(integrator);
      force = resolved ? VectorXd(integrator.servo_impulses() / h) : VectorXd((integrator.servo_impulses() / h + 0.5 * force) / 1.5);
      const double now = between(x);
      rise = std::max(rise, now - before);
      before = now;
      highest = std::max(highest, energy(x));
    }
    CAPTURE(seed, resolved, bounded, rise / scale, (highest - first) / scale);
    if (!bounded) CHECK(rise < 1e-12 * scale);  // beside gravity, limits and friction only in total
    CHECK(highest < first + 1e-12 * scale);
  }
}

TEST_CASE("servos: at rest they hold a load without creep, and nodes have no velocity", "[integrators][fast]") {
  const Model<double> arm = rods(2, {}, {});
  for (const double gain : {1e2, 1e4, 1e7}) {
    const Model<double> model = arm.with_enforced({}).with_servos({{1, 0, gain, gain / 30, 0.4, 50}, {2, 0, gain, gain / 30, 0.3, 20}});
    Integrator integrator(model);
    (void)run(integrator, at(model, {0.4, 0.3}), 1e-3, 12);
    const State<double> there = read(integrator);
    for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 1e-3));
    const State<double> after = read(integrator);
    CAPTURE(gain);
    CHECK((after.q - there.q).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(after.v.cwiseAbs().maxCoeff() < 1e-9);
    VectorXd load = VectorXd::Zero(2);
    GravityData<double> data(model);
    TreePose<double> tree(model);
    place(model, tree, after.q);
    gravity_forces(model, tree, data, load);
    for (Eigen::Index k = 0; k < 2; ++k) CHECK(after.q[k] - model.servos()[std::size_t(k)].rest == Approx(load[k] / gain).epsilon(1e-6));
  }
}

TEST_CASE("servos: their input acts within the limits, and their work is input", "[integrators][fast]") {
  const Model<double> model = driven(2, 1e6, 1e4, 5);
  Integrator integrator(model);
  integrator.reset(at(model, {0}));
  Diagnostics diagnostics(model);
  const auto push = [](auto&, Input<double>& input) { input.servo = VectorXd::Constant(1, 1e9); };
  REQUIRE(simulate(integrator, push, 1e-3, Seconds{1}, diagnostics));
  CHECK(std::abs(integrator.configuration()[0] - 0.5 * 5 / 2) < 1e-9);
  CHECK(diagnostics.now().input == Approx(5 * integrator.configuration()[0]));
  CHECK(diagnostics.largest_balance() < 1e-9);
  Input<double> wrong;
  wrong.servo = VectorXd::Zero(2);
  CHECK(integrator.step(wrong, 1e-3).status == Status::invalid_input);
  wrong.servo = VectorXd::Constant(1, std::numeric_limits<double>::quiet_NaN());
  CHECK(integrator.step(wrong, 1e-3).status == Status::invalid_input);
  CHECK(integrator.step({}, -1e-3).status == Status::invalid_step);
  const AllocationCounter allocations;
  for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, 1e-3));
  CHECK(allocations.count() == 0);
}

TEST_CASE("servos: a model checks them, and PassiveSteps refuses them", "[integrators][fast]") {
  const Model<double> model = sliders({1}, {}).with_enforced({});
  const auto refused = [&](const Servo<double>& servo) { return refusal<ModelError>([&] { return model.with_servos({servo}); }); };
  CHECK(missing(refused({2, 0, 1, 1, 0, 1}), {"sliders", "servo 0", "body 2"}) == "");
  CHECK(missing(refused({1, 1, 1, 1, 0, 1}), {"entry 1"}) == "");
  CHECK(missing(refused({1, 0, 0, 0, 0, 1}), {"stiffness 0", "> 0"}) == "");
  CHECK(missing(refused({1, 0, -1, 2, 0, 1}), {"stiffness -1"}) == "");
  CHECK(missing(refused({1, 0, 1, 1, 0, 0}), {"limit 0"}) == "");
  const Model<double> driven = model.with_servos({{1, 0, 1, 2, 3, 4}});
  CHECK(driven.is_dissipative());
  CHECK(cast<float>(driven).servos()[0].limit == 4.0F);
  CHECK(missing(refusal<ModelError>([&] { return PassiveSteps(Integrator(driven)); }), {"PassiveSteps", "work of servos"}) == "");
  CHECK(driven.with_servos({}).servos().empty());
}

}  // namespace variational_servos_test
