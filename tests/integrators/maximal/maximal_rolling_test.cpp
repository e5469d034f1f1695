// SPDX-License-Identifier: BSD-3-Clause
// Rolling bodies and knife edges together with limits and dry friction of joints, against closed forms and other models of the same motion.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/model/builder.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace maximal_rolling_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

constexpr double base = 0.8, most = 0.4;  // wheelbase [m], range of the steering [rad]
const Inertia<double> chassis{5, {0.3, 0, 0}, Vector3<double>(0.1, 0.4, 0.5).asDiagonal()};
const Inertia<double> fork{0.6, {0.05, 0, 0}, Vector3<double>(0.01, 0.02, 0.03).asDiagonal()};
Nonholonomic<double> blade(const char* name = "blade", const Vector3<double>& point = Vector3<double>::Zero(), double turned = 0) {
  return {.name = name, .type = KnifeEdge<double>{.point = point, .across = {-std::sin(turned), std::cos(turned), 0}}};
}
/// A vehicle in the plane z = 0 with a blade at its rear and a steered one at its front.
Model<double> tricycle(const JointProperties<double>& steering, const Vector3<double>& gravity = Vector3<double>::Zero()) {
  ModelBuilder<double> builder("tricycle");
  builder.gravity(gravity).add_body("chassis", chassis).add_body("fork", fork);
  builder.add_joint("base", "world", "chassis", Pose<double>::identity(), Planar<double>());
  builder.add_joint("steering", "chassis", "fork", Pose<double>::translation(base, 0, 0), Revolute<double>({0, 0, 1}), steering);
  builder.add_nonholonomic(blade(), "chassis").add_nonholonomic(blade("front"), "fork");
  return builder.build();
}
/// The same as one body, whose front blade is turned by `most`.
Model<double> turning(const Vector3<double>& gravity) {
  ModelBuilder<double> builder("turning");
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitZ(), most);
  const Inertia<double> front{fork.mass, Vector3<double>(base, 0, 0) + turn * fork.com, turn * fork.I_com * turn.conjugate().toRotationMatrix()};
  builder.gravity(gravity).add_body("chassis", chassis + front);
  builder.add_joint("base", "world", "chassis", Pose<double>::identity(), Planar<double>());
  builder.add_nonholonomic(blade(), "chassis").add_nonholonomic(blade("front", {base, 0, 0}, most), "chassis");
  return builder.build();
}
/// Returns the fastest motion of the blades' points across them.
double slip_of(const State<double>& x) {
  const double across_front = x.v[1] + base * x.v[2];
  return std::max(std::abs(x.v[1]), std::abs(across_front * std::cos(x.q[3]) - x.v[0] * std::sin(x.q[3])));
}

TEST_CASE("maximal rolling: a steered vehicle moves freely up to the limit of its steering, then in a circle",
          "[integrators][maximal][fast]") {
  const Model<double> open = tricycle({.lower = -most, .upper = most}), model = open.with_enforced({.limits = true});
  MaximalIntegrator free(open, {.tolerance = 1e-13}), integrator(model, {.tolerance = 1e-13});
  const State<double> start = at(model, {}, {2, 0, 0, 2});
  const Input<double> pressed(VectorXd(VectorXd::Unit(4, 3)));
  free.reset(start);
  integrator.reset(start);
  double energy = energy_at(model, read(integrator));
  Eigen::Vector2d center;
  int on_limit = 0;
  for (int k = 0; k < 300; ++k) {
    REQUIRE(integrator.step(pressed, 0.01));
    const State<double> x = read(integrator);
    CHECK(slip_of(x) < 1e-12);
    CHECK(x.q[3] <= most + 1e-12);
    const double before = std::exchange(energy, energy_at(model, x));
    if (on_limit == 0) {
      REQUIRE(free.step(pressed, 0.01));
      const State<double> y = read(free);
      if (x.q[3] < most - 1e-9) {
        CHECK(equal_bits(x, y));
        continue;
      }
      CHECK(y.q[3] > most + 1e-3);
      CHECK(energy < before - 1e-2);  // a plastic impact
      CHECK(energy_at(model, y) > before);  // the work of the torque
    } else {
      CHECK(energy < before + 1e-12);  // the torque does no work any more
    }
    const double R = base / std::tan(most);
    const Eigen::Vector2d there(x.q[0] - R * std::sin(x.q[2]), x.q[1] + R * std::cos(x.q[2]));
    if (on_limit++ == 0) center = there;
    CAPTURE(k, 1e12 * (there - center).norm(), 1e12 * slip_of(x), 1e12 * (energy - before));
    CHECK((there - center).norm() < 1e-11);
    CHECK(x.q[3] > most - 1e-12);
  }
  CHECK(on_limit > 200);
}

/// The motion of turning() down the slope of gravity, from rest: on a circle about a point of the rear axle's line, by the distance s of
/// the rear blade:  m_s s'' = F(s).
Eigen::Vector4d circle(double g, double u, double T) {
  const Model<double> model = turning({g, 0, 0});
  const Inertia<double>& G = model.inertia(1);
  const double R = base / std::tan(most);
  const Vector3<double> v_com(1 - G.com[1] / R, G.com[0] / R, 0);  // for s' = 1, in the body
  const double m_s = G.mass * v_com.squaredNorm() + G.I_com(2, 2) / (R * R);
  const auto rate = [&](const Eigen::Vector2d& x) {
    const double yaw = x[0] / R;
    return Eigen::Vector2d(x[1], G.mass * g * (std::cos(yaw) * v_com[0] - std::sin(yaw) * v_com[1]) / m_s);
  };
  Eigen::Vector2d x(0, u);
  constexpr int steps = 20000;
  const double h = T / steps;
  for (int k = 0; k < steps; ++k) {
    const Eigen::Vector2d a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b), d = rate(x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return {R * std::sin(x[0] / R), R * (1 - std::cos(x[0] / R)), x[0] / R, x[1]};
}

TEST_CASE("maximal rolling: a steering held at its limit moves as one that cannot turn, and with order 2", "[integrators][maximal][fast]") {
  const Vector3<double> gravity(2, 0, 0);
  const Model<double> model = tricycle({.lower = -most, .upper = most}, gravity).with_enforced({.limits = true});
  const Model<double> welded = turning(gravity);
  const Input<double> pressed(VectorXd(10 * VectorXd::Unit(4, 3)));
  const double T = 2, u = 1, yaw_rate = u * std::tan(most) / base;
  const Eigen::Vector4d exact = circle(2, u, T);
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    CAPTURE(h);
    MaximalIntegrator integrator(model, {.tolerance = 1e-13}), reference(welded, {.tolerance = 1e-13});
    const State<double> x = run(integrator, at(model, {0, 0, 0, most}, {u, 0, yaw_rate}), h, T, pressed);
    const State<double> y = run(reference, at(welded, {}, {u, 0, yaw_rate}), h, T);
    CAPTURE((x.q.head(3) - y.q).norm(), (x.v.head(3) - y.v).norm());
    CHECK((x.q.head(3) - y.q).norm() < 1e-11);
    CHECK((x.v.head(3) - y.v).norm() < 1e-11);
    CHECK(std::abs(x.q[3] - most) < 1e-13);
    errors.push_back(std::max((x.q.head(3) - exact.head(3)).norm(), std::abs(x.v[0] - exact[3])));
  }
  CAPTURE(errors, fitted_order(errors));
  CHECK(fitted_order(errors) > 1.9);
  CHECK(errors.back() < 1e-4);
}

constexpr double wheel_radius = 0.2, wheel_mass = 1.5, rubbing = 0.9, track = 0.5;
/// A car on four wheels that roll, whose contacts determine more than the car can do: one of each pair of rows across is redundant, and one
/// of the four heights. Its first wheel has a dry bearing.
Model<double> car(double friction = rubbing) {
  ModelBuilder<double> builder("car");
  builder.add_body("chassis", Inertia<double>{10, {0, 0, 0.1}, Vector3<double>(0.5, 1, 1.2).asDiagonal()});
  builder.add_joint("base", "world", "chassis", Pose<double>::identity(), Free<double>());
  const double across = wheel_mass * wheel_radius * wheel_radius / 4;
  for (int k = 0; k < 4; ++k) {
    const std::string name = "wheel " + std::to_string(k);
    builder.add_body(name, {wheel_mass, Vector3<double>::Zero(), Vector3<double>(across, 2 * across, across).asDiagonal()});
    builder.add_joint(name, "chassis", name, Pose<double>::translation(k < 2 ? base : 0, k % 2 ? track : -track, 0), Revolute<double>({0, 1, 0}),
                      {.friction = k == 0 ? friction : 0});
    builder.add_nonholonomic({.name = name, .type = Rolling<double>{.radius = wheel_radius, .axle = Vector3<double>::UnitY()}}, name);
  }
  return builder.build().with_enforced({.friction = true});
}
State<double> driving(const Model<double>& model, double u) {
  State<double> state = rest_state(model);
  state.q[2] = wheel_radius;
  state.v[3] = u;
  state.v.tail(4).setConstant(u / wheel_radius);
  return state;
}

TEST_CASE("maximal rolling: a car is braked by dry friction of one wheel's bearing, stops and stays", "[integrators][maximal][fast]") {
  const Model<double> model = car();
  const double u = 1, mass = 10 + 4 * wheel_mass * 1.5, a = rubbing / wheel_radius / mass, T = 2;
  std::vector<double> errors;
  for (const double h : {0.04, 0.02, 0.01}) {
    MaximalIntegrator integrator(model, {.tolerance = 1e-12});
    const State<double> x = run(integrator, driving(model, u), h, T);
    errors.push_back(std::max(std::abs(x.q[0] - (u * T - a * T * T / 2)), std::abs(x.v[3] - (u - a * T))));
    CHECK(integrator.gap() < 1e-12);
    CHECK(std::abs(x.v[3] - wheel_radius * x.v[6]) < 1e-12);
  }
  CAPTURE(errors, fitted_order(errors));
  CHECK(fitted_order(errors) > 1.9);
  MaximalIntegrator integrator(model);
  State<double> x = run(integrator, driving(model, u), 0.01, u / a + 0.1);
  CHECK(std::abs(x.q[0] - u * u / a / 2) < 1e-3);
  CHECK(x.v.cwiseAbs().maxCoeff() < 1e-11);
  const VectorXd there = integrator.configuration();
  for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 0.01));
  CHECK(model.difference(there, integrator.configuration()).cwiseAbs().maxCoeff() < 1e-12);
}

/// A coin that rolls, with a bob that hangs from its axle by a joint with friction.
constexpr double coin_mass = 1.3, coin_radius = 0.5;
Model<double> coin(double friction) {
  ModelBuilder<double> builder("coin");
  const double across = coin_mass * coin_radius * coin_radius / 4;
  builder.add_body("coin", {coin_mass, Vector3<double>::Zero(), Vector3<double>(across, 2 * across, across).asDiagonal()});
  builder.add_body("bob", {0.4, {0, 0, -0.2}, Vector3<double>(0.01, 0.02, 0.03).asDiagonal()});
  builder.add_joint("base", "world", "coin", Pose<double>::identity(), Free<double>());
  builder.add_joint("axle", "coin", "bob", Pose<double>::identity(), Revolute<double>({0, 1, 0}), {.friction = friction, .lower = -1e3, .upper = 1e3});
  builder.add_nonholonomic({.name = "rim", .type = Rolling<double>{.radius = coin_radius, .axle = Vector3<double>::UnitY()}}, "coin");
  return builder.build();
}
/// The coin leans, and rolls with the angular velocity w (body); the bob hangs down in its plane.
State<double> rolling(const Model<double>& model, double lean, const Vector3<double>& w) {
  State<double> state = rest_state(model);
  const Quaternion<double> turn = quaternion::about<double>(Vector3<double>::UnitX(), lean);
  const Vector3<double> arm = -coin_radius * Vector3<double>::UnitZ();  // in the body
  state.q << 0, 0, coin_radius * std::cos(lean), turn.coeffs(), 0;
  state.v << w, -w.cross(arm), -w[1];
  return state;
}

TEST_CASE("maximal rolling: a wobbling coin with a rubbing bob rolls at every node, and converges with order 2",
          "[integrators][maximal][fast]") {
  const Model<double> model = coin(0.2).with_enforced({.friction = true});
  const State<double> start = rolling(model, 0.3, {0.3, 5, 0.5});
  const auto end = [&](double h) {
    MaximalIntegrator integrator(model, {.tolerance = 1e-12});
    integrator.reset(start);
    double largest = 0, energy = energy_at(model, start);
    State<double> x = start;
    for (int k = 0; k < std::lround(0.4 / h); ++k) {
      REQUIRE(integrator.step({}, h));
      x = read(integrator);
      const Quaternion<double> turn(x.q[6], x.q[3], x.q[4], x.q[5]);
      const Vector3<double> n = turn.conjugate() * Vector3<double>::UnitZ(), axle = Vector3<double>::UnitY();
      const Vector3<double> arm = -coin_radius * (n - n.dot(axle) * axle).normalized();
      largest = std::max({largest, (x.v.segment<3>(3) + Vector3<double>(x.v.head<3>()).cross(arm)).norm(), std::abs(x.q[2] + (turn * arm)[2])});
      CHECK(x.v[6] < 0);  // it slips all the time
      CHECK(energy_at(model, x) < energy);
      energy = energy_at(model, x);
    }
    CHECK(largest < 1e-11);
    return x;
  };
  std::vector<double> q, v;
  State<double> coarse = end(0.02);
  for (const double h : {0.01, 0.005, 0.0025}) {
    const State<double> fine = end(h);
    q.push_back(model.difference(coarse.q, fine.q).norm());
    v.push_back((coarse.v - fine.v).norm());
    coarse = fine;
  }
  CAPTURE(q, v, fitted_order(q), fitted_order(v));
  CHECK(fitted_order(q) > 1.9);
  CHECK(fitted_order(v) > 1.9);
}

TEST_CASE("maximal rolling: limits that stay open change nothing", "[integrators][maximal][fast]") {
  const Model<double> model = coin(0), limited = model.with_enforced({.limits = true});
  const State<double> start = rolling(model, 0.3, {0.3, 5, 0.5});
  MaximalIntegrator free(model), bounded(limited);
  free.reset(start);
  bounded.reset(start);
  for (int k = 0; k < 50; ++k) {
    REQUIRE(free.step({}, 0.01));
    REQUIRE(bounded.step({}, 0.01));
    CHECK(equal_bits(read(free), read(bounded)));
  }
}

TEST_CASE("maximal rolling: the laws of an integrator hold", "[integrators][maximal][fast]") {
  const Model<double> rubs = coin(0.2).with_enforced({.friction = true});
  check_integrator_laws(MaximalIntegrator(rubs), rolling(rubs, 0.3, {0.3, 5, 0.5}), 0.005, {.velocity_tolerance = 1e-10});
  const Model<double> steered = tricycle({.lower = -most, .upper = most}).with_enforced({.limits = true});
  check_integrator_laws(MaximalIntegrator(steered), at(steered, {0, 0, 0, most - 0.001}, {2, 0, 2 * std::tan(most - 0.001) / base, 1}), 0.005,
                        {.velocity_tolerance = 1e-10});
}

}  // namespace maximal_rolling_test
