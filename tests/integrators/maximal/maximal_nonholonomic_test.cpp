// SPDX-License-Identifier: BSD-3-Clause
// Rolling bodies and knife edges, against closed forms and the equations of a sleigh.
#include <array>
#include <cmath>

#include "actio/core/dual.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/reversible_steps.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/step_derivatives.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/describe.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace maximal_nonholonomic_test {

using namespace actio;
using Eigen::VectorXd;

template <class J>
Model<double> one_body(const Inertia<double>& inertia, const J& joint, const Nonholonomic<double>& constraint,
                       const Vector3<double>& gravity = {0, 0, -9.81}) {
  ModelBuilder<double> builder("one");
  builder.gravity(gravity).add_body("body", inertia);
  builder.add_joint("joint", "world", "body", Pose<double>::identity(), joint).add_nonholonomic(constraint, "body");
  return builder.build();
}
const Nonholonomic<double> blade{.name = "blade", .type = KnifeEdge<double>{}};
Nonholonomic<double> ball(double radius) { return {.name = "ball", .type = Rolling<double>{.radius = radius}}; }

TEST_CASE("nonholonomic: a ball rolls down a slope with 5/7 of the acceleration of sliding", "[integrators][maximal][long]") {
  const double radius = 0.2, slope = 0.3, g = 9.81;
  const Model<double> model =
      one_body(Inertia<double>::sphere(3, radius), Free<double>(), ball(radius), {g * std::sin(slope), 0, -g * std::cos(slope)});
  MaximalIntegrator integrator(model);
  State<double> state = rest_state(model);
  state.q[2] = radius;
  state.v << 0, 1, 0, radius, 0, 0;  // it rolls from the start
  integrator.reset(state);
  const double a = 5. / 7 * g * std::sin(slope), h = 1e-3;
  for (int k = 1; k <= 1000; ++k) {
    REQUIRE(integrator.step({}, h));
    const double t = k * h;
    REQUIRE(std::abs(integrator.configuration()[2] - radius) < 1e-12);
    REQUIRE(std::abs(integrator.configuration()[1]) < 1e-12);
    // the quaternion map makes spins faster than their momentum by up to (h w)^2 / 24, and 2/7 of the energy is in the spin
    REQUIRE(std::abs(integrator.configuration()[0] - radius * t - a * t * t / 2) < 1e-5 * t * t);
  }
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(std::abs(state.v[1] * radius - (radius + a)) < 1e-5);  // the spin at t = 1 s
}

/// Chaplygin's sleigh: mass m at a distance a ahead of the blade, with the velocity u along the blade and the spin w:  u' = a w^2,  w' = -m
/// a u w / (I + m a^2).
std::array<double, 5> sleigh(double m, double I, double a, double u, double w, double T) {
  std::array<double, 5> x{0, 0, 0, u, w};  // position and heading of the blade, u, w
  const auto rate = [&](const std::array<double, 5>& s) {
    return std::array<double, 5>{s[3] * std::cos(s[2]), s[3] * std::sin(s[2]), s[4], a * s[4] * s[4],
                                 -m * a * s[3] * s[4] / (I + m * a * a)};
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

TEST_CASE("nonholonomic: a sleigh on a blade follows its equations with order 2", "[integrators][maximal][long]") {
  const double m = 2, I = 0.3, a = 0.4, T = 2;
  Inertia<double> inertia{m, {a, 0, 0}, Vector3<double>(0.1, 0.2, I).asDiagonal()};
  const Model<double> model = one_body(inertia, Planar<double>(), blade);
  const std::array<double, 5> exact = sleigh(m, I, a, 1.0, 1.5, T);
  const auto error = [&](int steps) {
    MaximalIntegrator integrator(model);
    State<double> state = rest_state(model);
    state.v << 1.0, 0, 1.5;
    integrator.reset(state);
    for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, T / steps));
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(std::abs(state.v[1]) < 1e-12);  // across the blade
    return std::max({std::abs(state.q[0] - exact[0]), std::abs(state.q[1] - exact[1]), std::abs(state.q[2] - exact[2]),
                     std::abs(state.v[0] - exact[3]), std::abs(state.v[2] - exact[4])});
  };
  const double coarse = error(100), fine = error(200);
  CAPTURE(coarse, fine);
  CHECK(coarse < 2e-2);
  CHECK(std::abs(std::log2(coarse / fine) - 2) < 0.15);
}

constexpr double coin_mass = 1.3, coin_radius = 0.5;
Model<double> coin() {
  const double across = coin_mass * coin_radius * coin_radius / 4;
  return one_body(Inertia<double>{coin_mass, Vector3<double>::Zero(), Vector3<double>(across, 2 * across, across).asDiagonal()},
                  Free<double>(), {.name = "coin", .type = Rolling<double>{.radius = coin_radius, .axle = Vector3<double>::UnitY()}});
}
Quaternion<double> turn_of(const State<double>& x) { return {x.q[6], x.q[3], x.q[4], x.q[5]}; }
/// Vector from the centre to the point of the rim that touches the ground.
Vector3<double> coin_arm(const Quaternion<double>& turn) {
  const Vector3<double> axle = turn * Vector3<double>::UnitY();
  return -coin_radius * (Vector3<double>::UnitZ() - axle[2] * axle).normalized();
}
/// A coin above the origin that rolls with the angular velocity w (world).
State<double> rolling_state(const Model<double>& model, const Quaternion<double>& turn, const Vector3<double>& w) {
  State<double> state = rest_state(model);
  const Vector3<double> arm = coin_arm(turn);
  state.q << 0, 0, -arm[2], turn.coeffs();
  state.v << turn.conjugate() * w, turn.conjugate() * Vector3<double>(-w.cross(arm));
  return state;
}

TEST_CASE("nonholonomic: a coin rolls in the circle of its steady motion, with order 2", "[integrators][maximal][long]") {
  // The axle A is inclined by the angle whose sine is c, and precesses about the vertical n at the rate p. The balance of moments about the
  // contact
  // point gives the spin w_a = w . A:   p w_a (I_a + m r^2) - I_t p^2 c + m g r c / s = 0.
  const double lean = 0.35, c = std::sin(lean), s = std::cos(lean), precession = -1.7, g = 9.81, m = coin_mass, r = coin_radius;
  const double I_t = m * r * r / 4, I_a = 2 * I_t;
  const double w_a = (I_t * precession * precession * c - m * g * r * c / s) / (precession * (I_a + m * r * r)),
               spin = w_a - precession * c;
  const Vector3<double> n = Vector3<double>::UnitZ();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), lean);
  const Vector3<double> A = turn * Vector3<double>::UnitY();
  const Model<double> model = coin();
  const State<double> start = rolling_state(model, turn, precession * n + spin * A);
  const Vector3<double> center = start.q.head<3>(), v = turn * Vector3<double>(start.v.tail<3>()), from_axis = -n.cross(v) / precession;
  CHECK(std::abs(from_axis.norm() - r * std::abs(w_a / precession)) < 1e-12);
  const auto error = [&](int steps) {
    MaximalIntegrator integrator(model);
    integrator.reset(start);
    State<double> state = start;
    double largest = 0;
    const double T = 4, h = T / steps;  // slightly more than one turn of the circle
    for (int k = 1; k <= steps; ++k) {
      REQUIRE(integrator.step({}, h));
      REQUIRE(integrator.read(state) == Status::converged);
      const Quaternion<double> precessed = quaternion::about<double>(n, precession * k * h),
                               rolled = quaternion::about<double>(A, spin * k * h);
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

TEST_CASE("nonholonomic: a wobbling coin rolls at every node, and its energy error has order 2", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 0.4);
  const State<double> start = rolling_state(model, turn, turn * Vector3<double>(0.3, 5.0, 0.5));
  const auto run = [&](int steps, double& energy_error) {
    MaximalIntegrator integrator(model);
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
      const Vector3<double> w = turn_of(state) * Vector3<double>(state.v.head<3>()),
                            v = turn_of(state) * Vector3<double>(state.v.tail<3>());
      REQUIRE((v + w.cross(arm)).norm() < 1e-10);  // velocity of the contact point
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

TEST_CASE("nonholonomic: a rolling coin gains the work of a torque, and the meters see no gap", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 0.3);
  const Input<double> torque(VectorXd(0.7 * VectorXd::Unit(6, 1)));  // about the axle
  const auto balance = [&](double h) {
    MaximalIntegrator integrator(model);
    integrator.reset(rolling_state(model, turn, turn * Vector3<double>(0.2, 4.0, 0.5)));
    Diagnostics diagnostics(model);
    MomentumMeter momenta(model);
    REQUIRE(simulate(integrator, torque, h, Seconds{2}, diagnostics, momenta));
    CHECK(diagnostics.now().input > 2);
    CHECK(diagnostics.now().gap < 1e-12);
    CHECK(momenta.what().empty());
    return diagnostics.largest_balance();
  };
  const double coarse = balance(0.01), fine = balance(0.005);
  CAPTURE(coarse, fine);
  CHECK(fine < 1e-2);
  CHECK(std::abs(std::log2(coarse / fine) - 2) < 0.3);
}

TEST_CASE("nonholonomic: reversible steps of a rolling coin return to the start", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 0.4);
  // With the tolerance 0 rounding errors may halve a step, and the step back is then another one.
  ReversibleSteps steps(MaximalIntegrator<Model<double>>(model, {.tolerance = 1e-13}), 0.02);
  steps.reset(rolling_state(model, turn, turn * Vector3<double>(0.3, 5.0, 0.5)));
  const VectorXd start = steps.configuration();
  GapMeter<double> gap;
  const auto out = simulate(steps, Seconds{1}, gap);
  REQUIRE(out);
  steps.reverse();
  REQUIRE(simulate(steps, Steps{out.steps}, gap));
  CHECK((steps.configuration() - start).norm() < 1e-12);
  CHECK(gap.largest() < 1e-12);
}

TEST_CASE("nonholonomic: the laws of an integrator hold", "[integrators][maximal][long]") {
  const Model<double> model =
      one_body(Inertia<double>{2, {0.1, 0, 0}, Vector3<double>(0.1, 0.2, 0.3).asDiagonal()}, Planar<double>(), blade);
  State<double> state = rest_state(model);
  state.v << 1, 0, 0.5;
  test::check_integrator_laws(MaximalIntegrator(model), state, 1e-2, {.velocity_tolerance = 1e-10});
}

TEST_CASE("nonholonomic: the other integrators refuse the constraint by name", "[integrators][maximal][long]") {
  const Model<double> model = one_body(Inertia<double>::sphere(1, 0.1), Free<double>(), ball(0.1)),
                      released = model.with_nonholonomic(false);
  const auto check = [&]<class I>(std::in_place_type_t<I>) {
    const std::string why = test::refusal<ModelError>([&] { return I(model).time(); });
    CHECK(test::missing(why, {"does not support rolling constraint 'ball'", "MaximalIntegrator", "release"}) == "");
    CHECK_NOTHROW(I(released));
  };
  check(std::in_place_type<VariationalIntegrator<Model<double>>>);
  check(std::in_place_type<SequentialRegularization<Model<double>>>);
  check(std::in_place_type<CompliantIntegrator<Model<double>>>);
  check(std::in_place_type<RungeKutta<Model<double>>>);
  check(std::in_place_type<SemiImplicitEuler<Model<double>>>);
  CHECK(test::missing(test::refusal<ModelError>([&] { return StepDerivatives<Model<double>>(model); }), {"rolling constraint 'ball'"}) ==
        "");
}

TEST_CASE("nonholonomic: a released constraint has no effect", "[integrators][maximal][long]") {
  const Model<double> model =
      one_body(Inertia<double>{2, {0.1, 0, 0}, Vector3<double>(0.1, 0.2, 0.3).asDiagonal()}, Planar<double>(), blade);
  const Model<double> released = model.with_nonholonomic(false);
  State<double> state = rest_state(model);
  state.v << 0, 1, 0.5;
  MaximalIntegrator slides(released), cuts(model);
  for (auto* integrator : {&slides, &cuts}) {
    integrator->reset(state);
    for (int k = 0; k < 10; ++k) REQUIRE(integrator->step({}, 1e-2));
  }
  CHECK(slides.configuration()[1] > 0.09);
  CHECK(std::abs(cuts.configuration()[1]) < 0.01);
}

TEST_CASE("nonholonomic: a ball off its plane is refused by name, and close_loops() moves it to the plane",
          "[integrators][maximal][long]") {
  const double radius = 0.1;
  const Model<double> model = one_body(Inertia<double>::sphere(1, radius), Free<double>(), ball(radius));
  State<double> state = rest_state(model);
  state.q[0] = 0.3;
  MaximalIntegrator integrator(model);
  const std::string why = test::refusal<OptionsError>([&] { integrator.reset(state); return 0; });
  CHECK(test::missing(why, {"rolling constraint 'ball'", "has a constraint violation of 0.1", "close_loops"}).empty());
  VectorXd expected = state.q;
  expected[2] = radius;
  state.q = close_loops(model, state.q);
  CHECK((state.q - expected).norm() < 1e-13);  // straight up, without rolling
  CHECK_NOTHROW(integrator.reset(state));
  CHECK(integrator.gap() < 1e-13);
}

TEST_CASE("nonholonomic: close_loops() moves a blade sideways, although a motion must not", "[integrators][maximal][long]") {
  ModelBuilder<double> builder("skate");
  builder.add_body("skate", Inertia<double>::box(1, {0.3, 0.1, 0.1}));
  builder.add_joint("joint", "world", "skate", Pose<double>::identity(), Planar<double>()).add_nonholonomic(blade, "skate");
  builder.add_loop({.name = "pin", .T_A = Pose<double>::translation(0, 0.5, 0)}, "world", "skate");
  const Model<double> model = builder.build();
  const VectorXd q = close_loops(model, model.neutral());
  CHECK((q - Eigen::Vector3d(0, 0.5, 0)).norm() < 1e-12);
}

TEST_CASE("nonholonomic: a failed step names the constraint", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  // A single update does not solve a step of 20 ms, in which the coin rotates by 0.6 rad, and leaves the coin off the plane.
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 1.4);
  MaximalIntegrator integrator(model, {.max_iterations = 1, .max_halvings = 0});
  integrator.reset(rolling_state(model, turn, turn * Vector3<double>(30, 0, 0)));
  const StepResult<double> result = integrator.step({}, 0.02);
  CHECK(result.status == Status::max_iterations);
  CHECK(result.culprit == Culprit::nonholonomic(0));
  CHECK(test::missing(describe(model, result), {"rolling constraint 'coin'"}).empty());
}

TEST_CASE("nonholonomic: derivatives of a step by dual numbers match a difference", "[integrators][maximal][long]") {
  const Model<double> model = coin();
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), 0.4);
  const State<double> start = rolling_state(model, turn, turn * Vector3<double>(0.3, 5.0, 0.5));
  using D = Dual<double>;
  const Model<D> lifted = cast<D>(model);
  MaximalIntegrator<Model<D>> with_rates(lifted, {.tolerance = 0});
  VectorXd force = VectorXd::Zero(model.nv());
  force[0] = 2;
  const auto end = [&]<class S>(MaximalIntegrator<Model<S>>& integrator, const S& share) {
    State<S> x{start.q.cast<S>(), start.v.cast<S>(), S(0)};
    integrator.reset(x);
    const Input<S> input(VectorX<S>(share * force.cast<S>()));
    for (int k = 0; k < 3; ++k) REQUIRE(integrator.step(input, S(0.01)));
    return VectorX<S>(integrator.configuration());
  };
  D share(0);
  share.derivative = 1;
  const VectorX<D> moved = end(with_rates, share);
  MaximalIntegrator<Model<double>> plain(model, {.tolerance = 0});
  const VectorXd difference = (end(plain, 1e-3) - end(plain, -1e-3)) / 2e-3;
  for (Eigen::Index k = 0; k < model.nq(); ++k) CHECK(std::abs(moved[k].derivative - difference[k]) < 1e-7);
  CHECK(difference.norm() > 1e-4);
}

}  // namespace maximal_nonholonomic_test
