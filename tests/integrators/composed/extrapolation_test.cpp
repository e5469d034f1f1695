// SPDX-License-Identifier: BSD-3-Clause
// Extrapolated steps: order with damping, closed forms, loops and rolling, laws of an integrator, failures, refusals.
#include "actio/integrators/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace extrapolation_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

using Tree = Model<double>;
using Inner = VariationalIntegrator<Tree>;
using Bodies = MaximalIntegrator<Tree>;

static_assert(Integrator<Extrapolation<Inner, 4>> && Integrator<Extrapolation<Bodies, 8>>);

/// The model with damping of every joint.
Tree damped(const Tree& model) {
  ModelProperties<double> properties = model.properties();
  for (Eigen::Index k = 0; k < model.nv(); ++k) properties.damping[k] = 0.2 + 0.1 * static_cast<double>(k % 3);
  return model.with_properties(properties);
}
/// A state in motion, with velocities that loops allow.
State<double> moving(const Tree& model) {
  State<double> state = rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 1.5 * std::sin(2.0 * static_cast<double>(k) + 1);
  Inner inner(model, {.tolerance = 0});
  inner.reset(state);
  return read(inner);
}

struct Errors {
  std::vector<double> q, v;
};
/// Returns the errors at a time of runs with steps h, h/2 and h/4.
template <class Composed>
Errors errors(const Tree& model, const State<double>& start, const State<double>& exact, const Composed& fresh, double h, double time) {
  Errors found;
  for (const double step : {h, h / 2, h / 4}) {
    Composed integrator = fresh;
    const State<double> end = run(integrator, start, step, time);
    found.q.push_back(model.difference(exact.q, end.q).cwiseAbs().maxCoeff());
    found.v.push_back((exact.v - end.v).cwiseAbs().maxCoeff());
  }
  return found;
}
template <int order, class I>
void check_order(const Tree& model, const State<double>& start, const State<double>& exact, double h, double time) {
  const auto [q, v] = errors(model, start, exact, Extrapolation<I, order>(I(model, {.tolerance = 0})), h, time);
  CAPTURE(model.name(), order, q, v);
  CHECK(fitted_order(q) > order - 0.2);
  CHECK(fitted_order(v) > order - 0.2);
}

TEST_CASE("extrapolation: the order holds with damping on a tree of all joint types, beside Runge-Kutta in short steps",
          "[integrators][extrapolation][fast]") {
  const Tree model = damped(models::random_tree(5, 8, {.springs = true, .armature = true}));
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 1005), 0};
  RungeKutta<Tree> fine(model);
  const State<double> exact = run(fine, start, 1e-4, 0.2);
  check_order<4, Inner>(model, start, exact, 0.04, 0.2);
  check_order<6, Inner>(model, start, exact, 0.04, 0.2);
}

TEST_CASE("extrapolation: an oscillator with damping follows its closed form to rounding", "[integrators][extrapolation][fast]") {
  // m x'' + d x' + k x = 0 from x = 1 at rest.
  constexpr double m = 2, d = 1.2, k = 50, decay = d / (2 * m), time = 1.5;
  const double omega = std::sqrt(k / m - decay * decay);
  ModelBuilder<double> builder("oscillator");
  builder.gravity({0, 0, 0}).add_body("mass", Inertia<double>::box(m, {0.1, 0.1, 0.1}));
  builder.add_joint("slide", "world", "mass", Pose<double>::identity(), Prismatic<double>({1, 0, 0}), {.damping = d, .stiffness = k});
  const Tree model = builder.build();
  State<double> start = rest_state(model);
  start.q[0] = 1;
  const double x = std::exp(-decay * time) * (std::cos(omega * time) + decay / omega * std::sin(omega * time));
  const double v = -std::exp(-decay * time) * (omega + decay * decay / omega) * std::sin(omega * time);
  Extrapolation<Inner, 8> integrator(Inner(model, {.tolerance = 0}));
  const State<double> end = run(integrator, start, 0.0125, time);
  CHECK(std::abs(end.q[0] - x) < 1e-13);
  CHECK(std::abs(end.v[0] - v) < 1e-12);
  Inner plain(model, {.tolerance = 0});  // of order 2, in steps as short as the shortest within a step of order 8
  CHECK(std::abs(run(plain, start, 0.0125 / 4, time).q[0] - x) > 1e-6);
}

TEST_CASE("extrapolation: with damped loops the order holds in both coordinates, and loops stay closed", "[integrators][extrapolation][fast]") {
  for (const Tree& model : {damped(models::four_bars<double>(1)), damped(models::closed_planar_chain<double>(4))}) {
    CAPTURE(model.name());
    const State<double> start = moving(model);
    constexpr double time = 0.2;
    Inner very_fine(model, {.tolerance = 0});  // its own error at the order 2 is extrapolated by hand
    State<double> coarse = run(very_fine, start, 1e-3, time);
    const State<double> finer = run(very_fine, start, 5e-4, time);
    State<double> exact = finer;
    exact.q = model.integrate(finer.q, VectorXd(model.difference(coarse.q, finer.q) / 3));
    exact.v = finer.v + (finer.v - coarse.v) / 3;
    check_order<4, Inner>(model, start, exact, 0.02, time);
    check_order<4, Bodies>(model, start, exact, 0.02, time);

    Extrapolation<Inner, 8> integrator(Inner(model, {.tolerance = 0}));
    Extrapolation<Bodies, 8> of_bodies(Bodies(model, {.tolerance = 0}));
    integrator.reset(start);
    of_bodies.reset(start);
    double gap = 0;
    for (int k = 0; k < 10; ++k) {
      REQUIRE(integrator.step({}, 0.02));
      REQUIRE(of_bodies.step({}, 0.02));
      gap = std::max({gap, loop_gap(model, integrator.configuration()), loop_gap(model, of_bodies.configuration())});
    }
    CHECK(gap < 1e-14);
    const State<double> one = read(integrator), other = read(of_bodies);
    CHECK(model.difference(one.q, other.q).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((one.v - other.v).cwiseAbs().maxCoeff() < 1e-10);
    CHECK(model.difference(exact.q, one.q).cwiseAbs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("extrapolation: a ball rolls down a slope through a medium as in closed form", "[integrators][extrapolation][fast]") {
  constexpr double radius = 0.2, slope = 0.3, g = 9.81, mass = 3, drag = 4, time = 1;
  ModelBuilder<double> builder("ball");
  builder.gravity({g * std::sin(slope), 0, -g * std::cos(slope)}).add_body("ball", Inertia<double>::sphere(mass, radius));
  builder.add_joint("joint", "world", "ball", Pose<double>::identity(), Free<double>());
  builder.add_nonholonomic({.name = "ground", .type = Rolling<double>{.radius = radius}}, "ball");
  const Tree free = builder.build();
  ModelProperties<double> properties = free.properties();
  properties.damping.tail(3).setConstant(drag);
  const Tree model = free.with_properties(properties);
  State<double> start = rest_state(model);
  start.q[2] = radius;
  Extrapolation<Bodies, 6> integrator(Bodies(model, {.tolerance = 0}));
  const State<double> end = run(integrator, start, 0.02, time);
  // 7/5 m v' = m g sin(slope) - drag v
  const double rate = drag / (1.4 * mass), last = mass * g * std::sin(slope) / drag, v = last * (1 - std::exp(-rate * time));
  CHECK(std::abs(end.q[0] - (last * time - v / rate)) < 1e-10);
  CHECK(std::abs(end.q[1]) < 1e-13);
  CHECK(std::abs(end.q[2] - radius) < 1e-14);
  CHECK(std::abs(end.v[1] * radius - v) < 1e-10);  // the spin
}

TEST_CASE("extrapolation: it obeys the laws of an integrator", "[integrators][extrapolation][fast]") {
  const Tree tree = damped(models::random_tree(5, 8, {.springs = true, .armature = true}));
  const State<double> start{models::random_configuration(tree, 5), models::random_velocity(tree, 1005), 0.5};
  check_integrator_laws(Extrapolation<Inner, 6>(Inner(tree)), start, 1e-3);
  const Tree closed = damped(models::four_bars<double>(2));
  check_integrator_laws(Extrapolation<Inner, 4>(Inner(closed)), moving(closed), 1e-3, {.velocity_tolerance = 1e-10});
  check_integrator_laws(Extrapolation<Bodies, 4>(Bodies(closed)), moving(closed), 1e-3, {.velocity_tolerance = 1e-10});
}

TEST_CASE("extrapolation: inputs that change during the step preserve the order", "[integrators][extrapolation][fast]") {
  const Tree model = damped(models::revolute_chain(3));
  const State<double> start = moving(model);
  constexpr double time = 0.4;
  const VectorXd push = VectorXd::LinSpaced(model.nv(), -2, 3);
  // tau = push t, linear over each step
  const auto end = [&](auto integrator, double h) {
    integrator.reset(start);
    Input<double> input(push);
    for (int k = 0; k < std::lround(time / h); ++k) {
      input.tau_begin = k * h * push;
      input.tau_end = (k + 1) * h * push;
      REQUIRE(integrator.step(input, h));
    }
    return read(integrator).v;
  };
  const VectorXd exact = end(RungeKutta<Tree>(model), 2e-4);
  std::vector<double> errors;
  for (const double h : {0.04, 0.02, 0.01}) {
    errors.push_back((end(Extrapolation<Inner, 6>(Inner(model, {.tolerance = 0})), h) - exact).cwiseAbs().maxCoeff());
  }
  CAPTURE(errors);
  CHECK(fitted_order(errors) > 5.8);
}

/// Where the middle of a step is at some times, it halves that step, or fails.
struct Faulty : Inner {
  Faulty(const Tree& model, std::vector<double> middles, bool fails = false)
      : Inner(model, {.tolerance = 0}), middles_(std::move(middles)), fails_(fails) {}
  StepResult<double> step(const Input<double>& input, double h) noexcept {
    const double at = time() + h / 2;
    if (std::none_of(middles_.begin(), middles_.end(), [&](double middle) { return std::abs(at - middle) < 1e-7; })) return Inner::step(input, h);
    StepResult<double> result;
    result.status = Status::callback_failed;
    if (!fails_) result = Inner::step(input, h / 2);
    if (result) result = Inner::step(input, h / 2);
    result.substeps = 2;
    return result;
  }

 private:
  std::vector<double> middles_;
  bool fails_;
};

TEST_CASE("extrapolation: where an inner step would be halved, the whole step is made in parts", "[integrators][extrapolation][fast]") {
  const Tree model = damped(models::revolute_chain(3));
  const State<double> start = moving(model);
  constexpr double h = 0.01;
  const auto end = [&](const std::vector<double>& middles, int steps, int& substeps) {
    Extrapolation<Faulty, 6> integrator(Faulty(model, middles));
    integrator.reset(start);
    for (int k = 0; k < steps; ++k) {
      const StepResult<double> result = integrator.step({}, h / steps);
      REQUIRE(result);
      CHECK(result.method == Method::extrapolation);
      substeps = std::max(substeps, result.substeps);
    }
    CHECK(std::abs(integrator.time() - h) < 1e-15);
    return VectorXd(integrator.configuration());
  };
  int whole = 1, two = 1, four = 1;
  const VectorXd middle = end({}, 2, whole), fine = end({}, 4, whole);
  CHECK(whole == 1);
  // The third run begins with a step of a third of h. In parts the middles of inner steps are elsewhere.
  CHECK((end({h / 6}, 1, two) - middle).norm() < 1e-14);
  CHECK(two == 2);
  CHECK((end({h / 6, h / 12}, 1, four) - fine).norm() < 1e-14);
  CHECK(four == 4);
}

TEST_CASE("extrapolation: a step that fails within changes nothing", "[integrators][extrapolation][fast]") {
  const Tree chain = damped(models::revolute_chain(3));
  constexpr double h = 0.01;
  for (const double share : {1. / 2, 1. / 4, 3. / 4, 1. / 6, 5. / 6}) {  // the middles of inner steps
    CAPTURE(share);
    check_failing_step(Extrapolation<Faulty, 6>(Faulty(chain, {share * h}, true)), moving(chain), {}, h, Status::callback_failed);
  }
}

TEST_CASE("extrapolation: what makes the end of a step no smooth function of its length is refused by name", "[integrators][extrapolation][fast]") {
  const Tree model = models::revolute_chain(2).with_enforced({.limits = true});
  CHECK(missing(refusal<ModelError>([&] { Extrapolation<Inner>{Inner(model)}; }), {"extrapolation", "enforced joint limits"}) == "");
  const Tree driven = models::revolute_chain(2).with_servos({{2, 0, 20, 1, 0.3, 1e3}});
  CHECK(missing(refusal<ModelError>([&] { Extrapolation<Inner>{Inner(driven)}; }), {"extrapolation", "servos"}) == "");
  const Tree bodies = models::revolute_chain(2);
  const auto why = refusal<OptionsError>([&] { Extrapolation<Bodies>{Bodies(bodies, {.velocity = NodeVelocity::interval})}; });
  CHECK(missing(why, {"extrapolation", "first order", "NodeVelocity"}) == "");
}

}  // namespace extrapolation_test
