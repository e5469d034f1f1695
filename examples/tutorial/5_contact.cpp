// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 5: a bowling ball slides, is slowed down by friction, and rolls.
#include <cmath>
#include <cstdio>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/simulate.hpp"

using namespace actio;

int main() {
  // [build]
  const double radius = 0.11, mass = 6.0;  // m, kg
  ModelBuilder<double> builder("bowling_ball");
  builder.add_body("ball", Inertia<double>::sphere(mass, radius));
  builder.add_joint("free", "world", "ball", Pose<double>::identity(), Free<double>());
  builder.add_shape({.geometry = Sphere<double>{radius}}, "ball");
  const Model<double> model = builder.build().with_enforced({.contact = true});
  // [build]

  // [ground]
  const Compliance<double> spring{.stiffness = 1e8, .damping = 1e4};  // N/m, N s/m
  const ContactMaterial<double> lane{.normal = spring, .friction = 0.2};
  PlaneContacts<double> ground(lane);  // the plane z = 0
  ground.add_shapes_of(model);
  CompliantIntegrator integrator(model, {}, ground);
  // [ground]

  // [throw]
  const double speed = 5.0, weight = mass * 9.81;
  State<double> start = rest_state(model);
  start.q[2] = radius - weight / 1e8;  // p, then the quaternion: the ball presses on the lane with its weight
  start.v[3] = speed;                  // (w, v) in the ball's axes: it slides along x without rotating
  integrator.reset(start);

  Vector6<double> twist;  // w and v in the world frame
  double push = 0;        // normal force of the lane [N]
  const auto watch = [&](auto& node) {
    const Matrix3<double>& R = node.kinematics().T_WB[1].R;
    twist << R * node.state().v.template head<3>(), R * node.state().v.template tail<3>();
    if (node.step() > 0) push = node.integrator().row_forces()[0];
  };
  const auto print = [&](auto& node) {
    std::printf("%4.1f s  %.4f m/s, slides by %7.4f m/s\n", node.time(), twist[3], twist[3] - radius * twist[1]);
  };
  const auto run = simulate(integrator, 1e-3, Seconds{1.5}, watch, every(100, print));
  // [throw]

  // Friction of mu m g slows the ball by mu g and accelerates its rotation by (5/2) mu g / r, until it rolls with 5/7 of its speed.
  const double rolls = 5.0 / 7 * speed, slip = twist[3] - radius * twist[1];
  const std::size_t points = integrator.contacts().size();
  std::printf("%zu point of contact, %.2f N; %.5f m/s, rolling without slip %.5f m/s\n", points, push, twist[3], rolls);
  const bool right = std::abs(twist[3] - rolls) < 1e-4 * rolls && std::abs(slip) < 1e-4 && std::abs(push - weight) < 1e-3 * weight;
  return run && points == 1 && right ? 0 : 1;
}
