// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <cmath>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/model/builder.hpp"
#include "support/loop_gap.hpp"

namespace compliant_pendulum {
namespace {

using namespace actio;

constexpr double g = 9.8, mass = 1, moment = 0.025, length = 1;

Inertia<double> bob(const Vector3<double>& com) { return {mass, com, moment * Matrix3<double>::Identity()}; }

/// The world's z is the axis, gravity acts along -y; horizontal at (1, 0, 0).
Model<double> pinned(Freedom freedom) {
  ModelBuilder<double> builder("pendulum");
  builder.gravity({0, -g, 0});
  Loop<double> pin;
  pin.name = "pin";
  pin.axis = Vector3<double>::UnitZ();
  pin.T_B.p = {-length, 0, 0};
  if (freedom == Freedom::absolute) {
    builder.add_body("x", Inertia<double>::zero()).add_body("y", Inertia<double>::zero()).add_body("bob", bob(Vector3<double>::Zero()));
    builder.add_joint("along_x", "world", "x", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
    builder.add_joint("along_y", "x", "y", Pose<double>::identity(), Prismatic<double>({0, 1, 0}));
    builder.add_joint("turn", "y", "bob", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
    pin.type = LoopType::point_on_line;  // the other rows of a pin are those of the plane
  } else {
    builder.add_body("bob", bob(Vector3<double>::Zero()));
    builder.add_joint("free", "world", "bob", Pose<double>::identity(), Free<double>());
    pin.type = LoopType::revolute;
  }
  builder.add_loop(pin, "world", "bob");
  return builder.build();
}

/// Returns the angle of a rigid pendulum.
double rigid_angle(double duration) {
  ModelBuilder<double> builder("pendulum");
  builder.gravity({0, -g, 0}).add_body("bob", bob({length, 0, 0}));
  builder.add_joint("pin", "world", "bob", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Model<double> model = builder.build();
  RungeKutta integrator(model);
  integrator.reset(rest_state(model));
  constexpr int steps = 10000;
  for (int k = 0; k < steps; ++k) {
    if (!integrator.step({}, duration / steps)) return std::nan("");
  }
  return integrator.configuration()[0];
}

}  // namespace

Run compliant(const Settings& settings) {
  const Model<double> model = pinned(settings.freedom);
  CompliantOptions<double> options;
  options.closure = settings.spring;
  if (!settings.predictor) options.predictor_rotation = 0;
  CompliantIntegrator integrator(model, options);
  State<double> state = rest_state(model);
  state.q[0] = length;
  integrator.reset(state);
  KinematicsData<double> kinematics(model);
  const double initial = energy(model, kinematics, state.q, state.v).total();
  Run run{settings.h, {experiments::loop_gap(model, kinematics)}, {0}, {0}};
  const BodyIndex last = model.num_bodies() - 1;
  const auto steps = static_cast<std::size_t>(std::lround(settings.duration / settings.h));
  while (run.gap.size() <= steps) {
    if (!integrator.step({}, settings.h) || integrator.read(state) != Status::converged) break;
    run.error.push_back(energy(model, kinematics, state.q, state.v).total() - initial);
    run.gap.push_back(experiments::loop_gap(model, kinematics));
    run.speed.push_back(kinematics.V[last].head<3>().norm());
    if (!(std::abs(run.error.back()) < 1e6)) break;  // the numbers would soon overflow
  }
  run.complete = run.gap.size() > steps;
  const Vector3<double> bob_x = kinematics.T_WB[last].R.col(0);
  run.angle_error = std::remainder(std::atan2(bob_x[1], bob_x[0]) - rigid_angle(settings.duration), 2 * std::acos(-1.0));
  return run;
}

}  // namespace compliant_pendulum
