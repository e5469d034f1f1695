// SPDX-License-Identifier: BSD-3-Clause
// An arm of three joints under PD control: the controller sets the joint torques, which stay constant during each step.
#include <cstdio>

#include "actio/dynamics/rnea.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/simulate.hpp"

using actio::Vector3;
using actio::VectorX;

actio::Model<double> make_arm() {
  actio::ModelBuilder<double> builder("arm");
  const auto link = [&](const char* name, double mass, double length) {
    const actio::Pose<double> middle = actio::Pose<double>::translation(0, 0, length / 2);
    builder.add_body(name, actio::Inertia<double>::capsule(mass, 0.05, length).seen_from_parent(middle));
  };
  const auto joint = [&](const char* name, const char* parent, const char* child, double height, const Vector3<double>& axis) {
    const actio::Pose<double> placement = actio::Pose<double>::translation(0, 0, height);
    builder.add_joint(name, parent, child, placement, actio::Revolute<double>(axis), {.damping = 0.1});
  };
  link("turret", 3, 0.2);
  link("upper", 2, 0.4);
  link("fore", 1, 0.4);
  joint("yaw", "world", "turret", 0, Vector3<double>::UnitZ());
  joint("shoulder", "turret", "upper", 0.2, Vector3<double>::UnitY());
  joint("elbow", "upper", "fore", 0.4, Vector3<double>::UnitY());
  return builder.build();
}

int main() {
  const actio::Model<double> arm = make_arm();
  actio::VariationalIntegrator integrator(arm);
  const Vector3<double> goal(1.0, 0.8, -1.2), stiffness(60, 80, 40), damping(8, 12, 5);

  // The torques compensate gravity exactly; springs and dampers do the rest.
  actio::RneaData<double> rnea(arm);
  const auto control = [&](auto& node, actio::Input<double>& input) {
    const actio::State<double>& x = node.state();
    input.tau_begin = actio::gravity_forces(arm, rnea, x.q);
    input.tau_begin += stiffness.cwiseProduct(goal - x.q) - damping.cwiseProduct(x.v);
  };
  std::printf("  time      yaw  shoulder     elbow\n");
  const auto print = [](auto& node) {
    const VectorX<double>& q = node.configuration();
    std::printf("%5.2f s %8.4f  %8.4f  %8.4f\n", node.time(), q[0], q[1], q[2]);
  };
  const auto run = actio::simulate(integrator, control, 1e-3, actio::Seconds{2}, actio::every(250, print));
  const double miss = (integrator.configuration() - goal).norm();
  std::printf("%s; %.1e rad from the goal\n", run ? "arrived" : actio::describe(run.status).data(), miss);
  return run && miss < 0.02 ? 0 : 1;
}
