// SPDX-License-Identifier: BSD-3-Clause
// Reversals of slip that are located in time, in joint and in maximal coordinates: order by closed forms, energy, what must not change.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "support/any_contacts.hpp"
#include "support/allocation_guard.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/integrator_laws.hpp"

namespace reversals_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;
using InJoints = VariationalIntegrator<Model<double>>;
using InBodies = MaximalIntegrator<Model<double>>;

/// A ground whose source may fail in one of its calls.
struct Ground {
  PlaneContacts<double> plane;
  int* calls = nullptr;
  int fails_at = 0;
  void find(const BodyArray<Pose<double>>& T_WB, const double& margin, ContactList<double>& found) const noexcept {
    plane.find(T_WB, margin, found);
    if (calls != nullptr && (*calls)++ == fails_at) found.fail();
  }
};
using OnGround = test::VariationalOnAny;
using OnGroundInBodies = test::MaximalOnAny;

/// Position and velocity, and how often slip has stopped or reversed.
struct Point {
  double x, v;
  int events = 0;
};
/// Returns where an oscillator of 1 kg with dry friction is at time t that begins at rest: half periods about +-friction/stiffness, until
/// it sticks.
Point oscillator(double stiffness, double friction, double x, double t) {
  const double w = std::sqrt(stiffness), half = std::acos(-1.) / w;
  for (int events = 0;; ++events, t -= half) {
    if (stiffness * std::abs(x) <= friction) return {x, 0, events};
    const double centre = std::copysign(friction / stiffness, x);
    if (t < half) return {centre + (x - centre) * std::cos(w * t), -(x - centre) * w * std::sin(w * t), events};
    x = 2 * centre - x;
  }
}
/// Returns where a mass with dry friction is at a time that begins at rest under the force F sin(w t + phase).
Point driven(double mass, double friction, double F, double w, double phase, double end) {
  double t = 0, x = 0, v = 0, side = 0;  // side: of the slip, 0 if it sticks
  int events = 0;
  const auto force = [&](double at) { return F * std::sin(w * at + phase); };
  const auto rate = [&](double at) {
    return v + (F / w * (std::cos(w * t + phase) - std::cos(w * at + phase)) - side * friction * (at - t)) / mass;
  };
  constexpr double dt = 1e-4;
  const auto first = [&](double from, auto changed) {  // the first time at which it has changed, by bisection
    double to = from + dt;
    while (to < end && !changed(to)) to += dt;
    for (double a = to - dt; to - a > 1e-15;) (changed((a + to) / 2) ? to : a) = (a + to) / 2;
    return std::min(to, end);
  };
  for (;;) {
    if (side == 0) {
      t = first(t, [&](double at) { return std::abs(force(at)) > friction; });
      if (t >= end) return {x, 0, events};
      side = std::copysign(1., force(t));
    }
    const double next = first(t + dt, [&](double at) { return side * rate(at) < 0; }), after = next - t;
    const double sines = F / (w * w) * (std::sin(w * next + phase) - std::sin(w * t + phase));
    x += v * after + (F / w * after * std::cos(w * t + phase) - sines - side * friction * after * after / 2) / mass;
    v = rate(next);
    t = next;
    if (t >= end) return {x, v, events};
    ++events;
    v = 0;
    side = std::abs(force(t)) > friction ? std::copysign(1., force(t)) : 0;
  }
}

/// What a run ends with, and the reversals that were located in it.
struct End {
  State<double> state;
  int reversals = 0, impacts = 0;
};
template <class I>
End run_all(I& integrator, const State<double>& start, int steps, double time, const std::function<double(double)>& force = {}) {
  integrator.reset(start);
  End end;
  const double h = time / steps;
  Input<double> input;
  for (int k = 0; k < steps; ++k) {
    if (force) {
      input.tau_begin = VectorXd::Constant(1, force(k * h));
      input.tau_end = VectorXd::Constant(1, force((k + 1) * h));
    }
    const StepResult<double> result = integrator.step(input, h);
    CAPTURE(k, h);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE_FALSE(result.relaxed);
    end.reversals += result.reversals;
    end.impacts += result.impacts;
  }
  end.state = read(integrator);
  return end;
}

/// Errors of q and v for several numbers of steps, and the slopes of their logarithms against that of the step.
struct Errors {
  std::vector<int> steps;
  std::vector<double> q, v;
  double order(const std::vector<double>& error) const {
    double sums[4] = {};
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double x = -std::log(steps[k]), y = std::log(error[k]);
      sums[0] += x, sums[1] += y, sums[2] += x * x, sums[3] += x * y;
    }
    const auto n = static_cast<double>(steps.size());
    return (n * sums[3] - sums[0] * sums[1]) / (n * sums[2] - sums[0] * sums[0]);
  }
};
/// Checks that located reversals are of order 2, and that their errors are smaller than those of reversals in the step if there are any, and
/// not only stops.  @param make (Reversals) returns an integrator.  @param run (integrator, number of steps) returns its End.
/// @param error (its state) returns those of q and v.
template <class Make, class Run, class Error>
void check_order(Make make, Run run, Error error, int events, bool reverses = true) {
  Errors located, plain;
  for (const int steps : {100, 141, 200, 283, 400, 566, 800}) {
    for (const Reversals mode : {Reversals::located, Reversals::in_step}) {
      auto integrator = make(mode);
      const End end = run(integrator, steps);
      CAPTURE(steps);
      CHECK(end.reversals == (mode == Reversals::located ? events : 0));
      const auto [q, v] = error(end.state);
      Errors& errors = mode == Reversals::located ? located : plain;
      errors.steps.push_back(steps);
      errors.q.push_back(q);
      errors.v.push_back(v);
    }
  }
  CAPTURE(located.q, located.v, plain.q, plain.v, located.order(located.q), located.order(located.v));
  CAPTURE(plain.order(plain.q), plain.order(plain.v));  // erratic: an error of O(h) is one of a time within the step
  CHECK(located.order(located.q) > 1.9);
  CHECK(located.order(located.v) > 1.9);
  if (reverses) CHECK(*std::max_element(located.q.end() - 4, located.q.end()) < *std::max_element(plain.q.end() - 4, plain.q.end()));
}
/// Returns the distances of a state of one joint from a point.
auto from(const Point& exact) {
  return [=](const State<double>& state) { return std::pair(std::abs(state.q[0] - exact.x), std::abs(state.v[0] - exact.v)); };
}
/// Checks that an oscillator comes to rest where it should: without friction its discrete motion is elliptic, so that a half period has no
/// error in the amplitude.
template <class I>
void check_rest(I& integrator, const State<double>& start, const Point& exact, double time) {
  REQUIRE(exact.v == 0);
  for (const int steps : {100, 200, 400}) {
    const End end = run_all(integrator, start, steps, time);
    CHECK(end.reversals == exact.events);
    CHECK(std::abs(end.state.q[0] - exact.x) < 1e-8);  // of a tolerance of 1e-9 m/s for each
    CHECK(std::abs(end.state.v[0]) < 1e-13);
    for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, 0.01));
    CHECK(std::abs(integrator.configuration()[0] - end.state.q[0]) < 1e-13);
  }
}

TEMPLATE_TEST_CASE("reversals: an oscillator with dry friction is of order 2 through them, and rests where it should", "[integrators][fast]",
                   InJoints, InBodies) {
  const double stiffness = 100, friction = 4.5;
  const Model<double> model = sliders({1}, {.stiffness = stiffness, .friction = friction});
  const Point exact = oscillator(stiffness, friction, 1, 1.3);
  const auto make = [&](Reversals mode) { return TestType(model, {.tolerance = 0, .reversals = mode}); };
  check_order(make, [&](TestType& integrator, int steps) { return run_all(integrator, at(model, {1}), steps, 1.3); }, from(exact), exact.events);
  TestType integrator = make(Reversals::located);
  check_rest(integrator, at(model, {1}), oscillator(stiffness, friction, 1, 3.6), 3.6);
}

TEMPLATE_TEST_CASE("reversals: a mass that is driven to and fro is of order 2", "[integrators][fast]", InJoints, InBodies) {
  const double mass = 2, w = 6, time = 3;
  const Model<double> model = sliders({mass}, {.friction = 3});
  const auto make = [&](Reversals mode) { return TestType(model, {.tolerance = 0, .reversals = mode}); };
  for (const bool reverses : {false, true}) {  // 5 N leave it at rest between strokes, 9 N do not
    const double F = reverses ? 9 : 5, phase = reverses ? std::acos(0.) : 0;
    const Point exact = driven(mass, 3, F, w, phase, time);
    const auto run = [&](TestType& integrator, int steps) {
      return run_all(integrator, at(model, {0}), steps, time, [&](double t) { return F * std::sin(w * t + phase); });
    };
    CAPTURE(F, exact.x, exact.v);
    check_order(make, run, from(exact), exact.events, reverses);
  }
}

/// Returns a body of 0.5 kg that carries, on a vertical slide, another one; a spring pulls it to the origin.
Model<double> sledge(double stiffness) {
  ModelBuilder<double> builder("sledge");
  builder.gravity({0, 0, -9.81});
  add_slider(builder, 0, 0.5, {1, 0, 0}, {.stiffness = stiffness});
  add_slider(builder, 1, 0.5, {0, 0, 1}, {});
  return builder.build();
}

TEMPLATE_TEST_CASE("reversals: a body on a spring that slides on the ground is of order 2 through them, and rests where it should",
                   "[integrators][fast]", OnGround, OnGroundInBodies) {
  const double stiffness = 100, friction = 4.5;
  const Model<double> model = sledge(stiffness);
  const Ground ground{points({{2, {0, 0, 0}}}, friction / (0.5 * 9.81))};
  const Point exact = oscillator(stiffness, friction, 1, 1.3);
  const auto make = [&](Reversals mode) { return TestType(model, {.tolerance = 0, .reversals = mode}, ground); };
  check_order(make, [&](TestType& integrator, int steps) { return run_all(integrator, at(model, {1, 0}), steps, 1.3); }, from(exact),
              exact.events);
  TestType integrator = make(Reversals::located);
  check_rest(integrator, at(model, {1, 0}), oscillator(stiffness, friction, 1, 3.6), 3.6);
}

TEST_CASE("reversals: slip in the plane is of order 2 through them", "[integrators][fast]") {
  // Along a line that is oblique to the tangents: a closed form.
  const Model<double> model = point_mass(1, 60, 60);
  const Vector2<double> along = Vector2<double>(1, 0.6).normalized();
  const Point exact = oscillator(60, 0.3 * 9.81, 1, 1.5);
  check_order([&](Reversals mode) { return OnGround(model, {.tolerance = 0, .reversals = mode}, Ground{points({{3, {0, 0, 0}}}, 0.3)}); },
              [&](OnGround& integrator, int steps) { return run_all(integrator, at(model, {along[0], along[1], 0}), steps, 1.5); },
              [&](const State<double>& state) {
                return std::pair((state.q.head<2>() - exact.x * along).norm(), (state.v.head<2>() - exact.v * along).norm());
              },
              exact.events);
}

TEST_CASE("reversals: located impacts and reversals of an elbow with friction are of order 2 together", "[integrators][fast]") {
  const Model<double> model = rods(2, {.friction = 0.1}, {.friction = 0.1, .lower = -0.4, .upper = 0.6, .restitution = 0.5});
  const State<double> start = at(model, {1.2, 0.1}, {0, 2});
  const auto end_of = [&](int steps) {
    InJoints integrator(model, {.tolerance = 0, .reversals = Reversals::located});
    return run_all(integrator, start, steps, 1);
  };
  const End exact = end_of(12800);
  CHECK(exact.impacts > 0);
  CHECK(exact.reversals > 0);
  Errors errors;
  for (const int steps : {100, 141, 200, 283, 400, 566, 800}) {
    const End end = end_of(steps);
    CHECK(end.impacts == exact.impacts);
    CHECK(end.reversals == exact.reversals);
    errors.steps.push_back(steps);
    errors.q.push_back((end.state.q - exact.state.q).norm());
    errors.v.push_back((end.state.v - exact.state.v).norm());
  }
  CAPTURE(errors.q, errors.v);
  CHECK(errors.order(errors.q) > 1.9);
  CHECK(errors.order(errors.v) > 1.9);
}

TEMPLATE_TEST_CASE("reversals: a step without one is bitwise the same", "[integrators][fast]", InJoints, InBodies) {
  int alike = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    models::Random random(seed);
    const Model<double> model = random_bounded_chain(random, 4);
    TestType located(model, {.reversals = Reversals::located}), plain(model);
    State<double> start = rest_state(model);
    start.v = models::random_velocity(model, random, 3);
    located.reset(start);
    plain.reset(start);
    for (int k = 0; k < 100; ++k) {
      const StepResult<double> result = located.step({}, 2e-3);
      REQUIRE(result);
      REQUIRE(plain.step({}, 2e-3));
      if (result.reversals > 0) break;
      ++alike;
      CAPTURE(seed, k);
      REQUIRE(equal_bits(located.configuration(), plain.configuration()));
      REQUIRE(equal_bits(read(located).v, read(plain).v));
      REQUIRE(equal_bits(located.bound_impulses(), plain.bound_impulses()));
    }
  }
  CHECK(alike > 50);
}

TEST_CASE("reversals: a step in which slip turns without one is bitwise the same", "[integrators][fast]") {
  const Model<double> model = point_mass(1, 60, 25);
  const Ground ground{points({{3, {0, 0, 0}}}, 0.1)};
  OnGround located(model, {.reversals = Reversals::located}, ground), plain(model, {}, ground);
  for (OnGround* integrator : {&located, &plain}) integrator->reset(at(model, {1, 0, 0}, {0, 3, 0}));
  for (int k = 0; k < 300; ++k) {
    const StepResult<double> result = located.step({}, 2e-3);
    REQUIRE(result);
    REQUIRE(plain.step({}, 2e-3));
    REQUIRE(result.reversals == 0);
    REQUIRE(equal_bits(located.configuration(), plain.configuration()));
    REQUIRE(equal_bits(read(located).v, read(plain).v));
  }
}

/// Runs a gantry, whose free step keeps the energy.  @returns the reversals, impacts.
template <class I>
std::pair<int, int> check_energy(I& integrator, const Model<double>& model, const State<double>& start, double tolerance) {
  integrator.reset(start);
  std::pair<int, int> counts;
  double before = energy_at(model, start);
  const double scale = std::abs(before) + 1;
  for (int k = 0; k < 100; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    CAPTURE(k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    counts.first += result.reversals;
    counts.second += result.impacts;
    const double now = energy_at(model, read(integrator));
    REQUIRE(now - before < tolerance * scale);
    before = now;
  }
  return counts;
}
TEMPLATE_TEST_CASE("reversals: located ones add no energy", "[integrators][fast]", InJoints, InBodies) {
  int reversals = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    models::Random random(seed);
    const Model<double> model = random_gantry(random, 5);
    TestType integrator(model, {.tolerance = 0, .reversals = Reversals::located});
    State<double> start = rest_state(model);
    start.v = models::random_velocity(model, random, 2);
    CAPTURE(seed);
    reversals += check_energy(integrator, model, start, 1e-12).first;
  }
  CHECK(reversals > 20);
}
TEST_CASE("reversals: located ones add no energy on the ground, and with impacts", "[integrators][fast]") {
  int reversals = 0, impacts = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    models::Random random(seed);
    Model<double> model = random_gantry(random, 5);
    ModelProperties<double> properties = model.properties();
    for (double& e : properties.restitution) e = random.uniform(0, 1);
    model = model.with_properties(properties);
    std::vector<std::pair<BodyIndex, Vector3<double>>> feet;
    for (BodyIndex i = 2; i < model.num_bodies(); ++i) feet.push_back({i, 0.1 * random.direction<double>()});
    OnGround integrator(model, {.tolerance = 0, .reversals = Reversals::located}, Ground{points(feet, random.uniform(0.2, 1), -0.3)});
    State<double> start = rest_state(model);
    start.v = models::random_velocity(model, random, 3);
    CAPTURE(seed);
    const auto [more, hits] = check_energy(integrator, model, start, 1e-12);
    reversals += more;
    impacts += hits;
  }
  CHECK(reversals > 20);
  CHECK(impacts > 20);
}

TEMPLATE_TEST_CASE("reversals: a step with one allocates nothing, and the laws of an integrator hold", "[integrators][fast]", InJoints,
                   InBodies) {
  const Model<double> model = sliders({1, 1}, {.stiffness = 100, .friction = 4}, {.friction = 1});
  TestType integrator(model, {.reversals = Reversals::located});
  const State<double> start = at(model, {0.06, 0}, {0.1, 0.3});  // 6 N pull it back: it reverses after 10 ms
  integrator.reset(start);
  const AllocationCounter allocations;
  const StepResult<double> result = integrator.step({}, 0.02);
  CHECK(allocations.count() == 0);
  REQUIRE(result);
  CHECK(result.reversals > 0);
  check_integrator_laws(integrator, start, 0.02);
}

TEMPLATE_TEST_CASE("reversals: a step that fails on the way to one changes nothing", "[integrators][fast]", OnGround, OnGroundInBodies) {
  const Model<double> model = sledge(100);
  const State<double> start = at(model, {0.08, 0}, {0.1, 0});
  int failures = 0;
  for (int fails_at = 0;; ++fails_at) {
    int calls = 1000;
    TestType integrator(model, {.reversals = Reversals::located}, Ground{points({{2, {0, 0, 0}}}, 0.8), &calls, fails_at});
    integrator.reset(start);
    calls = 0;
    const StepResult<double> result = integrator.step({}, 0.02);
    if (result) {
      CHECK(result.reversals == 1);
      break;
    }
    ++failures;
    CHECK(result.status == Status::callback_failed);
    CHECK(equal_bits(read(integrator), start));
  }
  CHECK(failures >= 8);
}

}  // namespace reversals_test
