// SPDX-License-Identifier: BSD-3-Clause
// Loops and couplings with springs and dampers in a variational step: closed forms, energy, order, and rigid loops as their limit.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/refusal.hpp"

namespace variational_soft_closures_test {

using namespace actio;
using namespace actio::test;

/// Two bodies of 1 and 3 kg on one slide, without gravity. The second body's slide is relative to the first's, so that the coupling
/// "q_1 = 0" holds them together: a spring between them.
Model<double> pair() {
  ModelBuilder<double> builder("pair");
  builder.gravity({0, 0, 0});
  add_slider(builder, 0, 1, {1, 0, 0}, {});
  add_slider(builder, 1, 3, {1, 0, 0}, {});
  builder.add_coupling("slide1", "slide0", 0, 0);
  return builder.build();
}

/// The ground under the couplers of four-bars, whose cranks begin upright and fall over.
PlaneContacts<double> ground_of(const Model<double>& model) {
  PlaneContacts<double> ground(test::rigid(0.5), Vector3<double>::UnitZ(), 0.34);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.body_name(i).starts_with("coupler")) ground.add(i, Pose<double>::identity(), Sphere<double>{0.05});
  }
  return ground;
}

TEST_CASE("variational soft closures: two bodies on a spring and damper oscillate as they should", "[integrators][variational][fast]") {
  const Model<double> model = pair();
  const double m = 0.75, K = 300;  // the reduced mass
  for (const double C : {0., 6.}) {
    const double damping = C / (2 * m), frequency = std::sqrt(K / m - damping * damping), time = 0.5;
    std::vector<double> errors;
    for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
      VariationalIntegrator integrator(model, {.tolerance = 1e-13, .closure = {K, C}});
      const State<double> end = run(integrator, at(model, {0, 0.1}, {2, 0}), h, time);
      const double exact = 0.1 * std::exp(-damping * time) * (std::cos(frequency * time) + damping / frequency * std::sin(frequency * time));
      errors.push_back(std::abs(end.q[1] - exact));
      CHECK(std::abs((1 + 3) * end.v[0] + 3 * end.v[1] - 4 * 2) < 1e-12);  // momentum
    }
    CAPTURE(C, errors);
    CHECK(fitted_order(errors) > 1.95);
    CHECK(errors.back() < 1e-5);
  }
}

TEST_CASE("variational soft closures: no stiffness adds energy where the mass matrix is constant", "[integrators][variational][fast]") {
  const Model<double> model = pair();
  for (double K = 1e2; K < 2e14; K *= 10) {
    for (const double C : {0., 5., 5e3}) {
      CAPTURE(K, C);
      VariationalIntegrator integrator(model, {.tolerance = 0, .closure = {K, C}});
      integrator.reset(at(model, {0, 0.01}, {1, -2}));
      const double start = energy_at(model, read(integrator)) + integrator.row_energy();
      double before = start, stored = 0;
      for (int k = 0; k < 300; ++k) {
        CAPTURE(k);
        REQUIRE(integrator.step({}, 0.01));
        const double now = energy_at(model, read(integrator)) + integrator.row_energy();
        stored = std::max(stored, integrator.row_energy());
        REQUIRE(now <= before + 1e-12 * start);
        before = now;
      }
      CHECK(before >= 0.5 * (1 - 1e-6));  // of the common motion
      if (K < 1e3 && C == 0) CHECK(before > start * (1 - 1e-3));  // the step resolves it
      CHECK(stored <= start);
    }
  }
}

TEST_CASE("variational soft closures: stiff loops move as rigid ones, on the ground with friction too", "[integrators][variational][fast]") {
  const Model<double> model = models::four_bars<double>(2);
  const PlaneContacts<double> ground = ground_of(model);
  using Integrator = VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>>;
  State<double> start = rest_state(model);
  start.v.setConstant(0.5);
  Integrator rigid(model, {.tolerance = 1e-12}, ground);
  rigid.reset(start);
  start = read(rigid);  // with velocities that the loops allow
  std::vector<double> distances;
  for (const double K : {1e7, 1e9}) {
    Integrator soft(model, {.tolerance = 1e-12, .closure = {K, 1e-3 * K}}, ground);
    rigid.reset(start);
    soft.reset(start);
    double distance = 0;
    std::size_t touching = 0;
    for (int k = 0; k < 200; ++k) {
      CAPTURE(K, k);
      REQUIRE(rigid.step({}, 2e-3));
      REQUIRE(soft.step({}, 2e-3));
      touching += rigid.contacts().size();
      distance = std::max(distance, model.difference(rigid.configuration(), soft.configuration()).cwiseAbs().maxCoeff());
    }
    distances.push_back(distance);
    CHECK(touching > 20);
  }
  CAPTURE(distances);
  CHECK(distances[1] < 1e-6);  // 9e-8, and 9e-6 with the softer spring
  CHECK(distances[1] < 0.1 * distances[0]);
}

TEST_CASE("variational soft closures: a hanging ring of any stiffness keeps its energy or loses it", "[integrators][variational][fast]") {
  const Model<double> model = models::closed_chain<double>(6);
  State<double> start = rest_state(model);
  for (double K = 1e2; K < 2e12; K *= 100) {
    CAPTURE(K);
    VariationalIntegrator integrator(model, {.closure = {K, 0}});
    integrator.reset(start);
    const double first = energy_at(model, start) + integrator.row_energy();
    double highest = first, moved = 0;
    for (int k = 0; k < 1000; ++k) {
      CAPTURE(k);
      REQUIRE(integrator.step({}, 1e-3));
      highest = std::max(highest, energy_at(model, read(integrator)) + integrator.row_energy());
      moved = std::max(moved, model.difference(start.q, integrator.configuration()).cwiseAbs().maxCoeff());
    }
    CHECK(moved > 0.1);
    CHECK(highest - first < 1e-4 * std::abs(first));  // 7e-6, since M turns
  }
}

TEST_CASE("variational soft closures: maximal coordinates have the same motion", "[integrators][variational][maximal][fast]") {
  const auto check = [](const Model<double>& model, const State<double>& start, const Compliance<double>& law) {
    const PlaneContacts<double> ground = ground_of(model);
    using Contacts = PlaneContacts<double>;
    VariationalIntegrator<Model<double>, Drnea<Quat>, Automatic, NoForce, Contacts> one(model, {.tolerance = 1e-13, .closure = law}, ground);
    MaximalIntegrator<Model<double>, Newton, NoForce, Contacts> other(model, {.tolerance = 1e-13, .closure = law}, ground);
    one.reset(start);
    other.reset(start);
    std::size_t touching = 0;
    for (int k = 0; k < 150; ++k) {
      CAPTURE(law.stiffness, law.damping, k);
      REQUIRE(one.step({}, 2e-3));
      REQUIRE(other.step({}, 2e-3));
      const State<double> a = read(one), b = read(other);
      REQUIRE(model.difference(a.q, b.q).cwiseAbs().maxCoeff() < 1e-9);
      REQUIRE((a.v - b.v).cwiseAbs().maxCoeff() < 1e-7);
      REQUIRE(std::abs(one.row_energy() - other.row_energy()) < 1e-9 * (1 + one.row_energy()));
      touching += other.contacts().size();
    }
    return touching;
  };
  const Model<double> bars = models::four_bars<double>(2), ring = models::closed_chain<double>(4);
  State<double> turning = rest_state(bars), open = rest_state(ring);
  turning.v.setConstant(0.5);
  open.q = ring.integrate(open.q, VectorX<double>::LinSpaced(ring.nv(), 0.02, 0.05));
  for (const Compliance<double> law : {Compliance<double>{1e3, 0}, Compliance<double>{1e3, 20}, Compliance<double>{1e8, 1e4}}) {
    CHECK(check(bars, turning, law) > 20);
    check(ring, open, law);
  }
}

TEST_CASE("variational soft closures: open loops are taken; what cannot be done is refused", "[integrators][variational][fast]") {
  const Model<double> model = pair();
  VariationalIntegrator rigid(model);
  CHECK_THROWS_AS(rigid.reset(at(model, {0, 0.1})), OptionsError);
  VariationalIntegrator integrator(model, {.closure = {300, 0}});
  integrator.reset(at(model, {0, 0.1}));
  CHECK(integrator.step({}, -1e-3).status == Status::invalid_step);

  const std::string wrong = test::refusal<OptionsError>([&] { VariationalIntegrator(model, {.closure = {-1, 0}}); });
  CHECK(test::missing(wrong, {"closure.stiffness", ">= 0"}).empty());
  using Constant = VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost>;
  const std::string constant = test::refusal<ModelError>([&] { Constant(model, {.closure = {300, 0}}); });
  CHECK(test::missing(constant, {"ConstantCost", "springs of loops"}).empty());
}

}  // namespace variational_soft_closures_test
