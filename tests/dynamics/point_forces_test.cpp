// SPDX-License-Identifier: BSD-3-Clause
// Springs between points and constant forces: against the gradient of their energy, the power of dampers, and second differences.
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/constraints/point_force_rates.hpp"
#include "actio/integrators/shared/applied_forces.hpp"
#include "support/catch.hpp"
#include "support/point_forces.hpp"

namespace point_forces_test {

using namespace actio;
using Eigen::VectorXd;

const auto all = [](std::size_t) { return true; };

/// The joint forces of all that acts at points, and of constant forces along joints.
VectorXd forces_at(const Model<double>& model, const VectorXd& q, const VectorXd* v = nullptr) {
  KinematicsData<double> data(model);
  if (v) forward_kinematics(model, data, q, *v);
  else forward_kinematics(model, data, q);
  BodyArray<Vector6<double>> F(model.num_bodies(), Vector6<double>::Zero());
  detail::add_point_wrenches<double>(model, data.T_WB, v ? &data.V : nullptr, F, all);
  VectorXd tau = model.properties().force;
  add_wrench_forces(model, data.tree, F, tau);
  return tau;
}

/// The energy that belongs to them.
double energy_at(const Model<double>& model, const VectorXd& q) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, q);
  return potential_energy(model, data) + elastic_energy(model, data);
}

TEST_CASE("point forces: joint forces are the gradient of the energy", "[dynamics][point_forces]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> tree = models::random_tree(seed, 6).with_gravity(Vector3<double>::Zero());
    const Model<double> model = test::with_point_forces(tree, seed, {.springs = 5});
    const VectorXd q = models::random_configuration(model, seed), x = models::random_velocity(model, seed + 1);
    const double t = 1e-6;
    const double slope = (energy_at(model, model.integrate(q, t * x)) - energy_at(model, model.integrate(q, -t * x))) / (2 * t);
    const VectorXd tau = forces_at(model, q);
    CAPTURE(seed);
    CHECK(std::abs(slope + tau.dot(x)) < 1e-6 * (1 + tau.norm() * x.norm()));
    CHECK(tau.norm() > 1);
  }
}

TEST_CASE("point forces: a damper takes c (dl/dt)^2, and a rope only pulls", "[dynamics][point_forces]") {
  int slack = 0, taut = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model<double> tree = models::random_tree(seed, 4);
    const Model<double> damped = test::with_point_forces(tree, seed, {.springs = 1, .forces = 0, .damping = 20});
    PointSpring<double> spring = damped.springs()[0], undamped = spring;
    undamped.damping = 0;
    const VectorXd q = models::random_configuration(tree, seed), v = models::random_velocity(tree, seed + 1);
    const auto length = [&](double t) {
      KinematicsData<double> data(tree);
      forward_kinematics(tree, data, tree.integrate(q, t * v));
      return (data.T_WB[spring.body_b] * spring.point_b - data.T_WB[spring.body_a] * spring.point_a).norm();
    };
    const double rate = (length(1e-6) - length(-1e-6)) / 2e-6, stretch = length(0) - spring.length;
    const double force = spring.stiffness * stretch + spring.damping * rate;
    const bool acts = !spring.tension_only || (stretch > 0 && force > 0);
    const VectorXd tau = forces_at(damped, q, &v);
    CAPTURE(seed, rate, stretch);
    CHECK(std::abs(tau.dot(v) + (acts ? force * rate : 0)) < 1e-7 * (1 + std::abs(force * rate)));
    if (!spring.tension_only) continue;
    if (!acts) CHECK(tau.norm() == 0);
    ++(acts ? taut : slack);
  }
  CHECK(std::min(slack, taut) > 2);
}

TEST_CASE("point forces: a zero-length spring is smooth where its ends meet", "[dynamics][point_forces]") {
  ModelBuilder<double> builder("slider");
  builder.add_body("a", Inertia<double>::box(1, {0.1, 0.1, 0.1}));
  builder.add_joint("x", "world", "a", Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitX()));
  builder.add_spring({.name = "s", .stiffness = 7}, "world", "a");
  const Model<double> model = builder.build();
  for (const double x : {-0.3, -1e-200, 0.0, 1e-12, 0.2}) CHECK(forces_at(model, VectorXd::Constant(1, x))[0] == -7 * x);
  detail::PointForceRates<Model<double>> rates(model);
  KinematicsData<double> data(model);
  rates.begin(data.T_WB, all);
  VectorXd change = VectorXd::Zero(1);
  rates.add(data.tree, 1, VectorXd::Ones(1), change);
  CHECK(change[0] == -7);
}

TEST_CASE("point forces: rates are differences, and their transposes", "[dynamics][point_forces]") {
  int ropes = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> model = test::with_point_forces(models::random_tree(seed, 6), seed, {.springs = 5});
    const VectorXd q = models::random_configuration(model, seed), dq = models::random_velocity(model, seed + 1),
                   y = models::random_velocity(model, seed + 2);
    KinematicsData<double> data(model);
    forward_kinematics(model, data, q);
    detail::PointForceRates<Model<double>> rates(model);
    rates.begin(data.T_WB, all);
    VectorXd change = VectorXd::Zero(model.nv()), weights = change, fixed = change;
    rates.add(data.tree, 2, dq, change);
    rates.add_transposed(data.tree, 2, y, weights);
    CAPTURE(seed);
    CHECK(std::abs(change.dot(y) - weights.dot(dq)) < 1e-12 * change.norm() * y.norm());
    // The whole derivative, with the wrenches fixed to their bodies, by power: d(tau . v) along dq at constant wrenches is that of the twists.
    BodyArray<Vector6<double>> F(model.num_bodies(), Vector6<double>::Zero());
    detail::add_point_wrenches<double>(model, data.T_WB, nullptr, F, all);
    const double t = 1e-6;
    const auto with_fixed = [&](double share) {
      KinematicsData<double> moved(model);
      forward_kinematics(model, moved, model.integrate(q, share * dq));
      BodyArray<Vector6<double>> wrench = F;
      VectorXd tau = model.properties().force;
      add_wrench_forces(model, moved.tree, wrench, tau);
      return tau;
    };
    const VectorXd expected = (forces_at(model, model.integrate(q, t * dq)) - forces_at(model, model.integrate(q, -t * dq))) / (2 * t) -
                              (with_fixed(t) - with_fixed(-t)) / (2 * t);
    CHECK((change / 2 - expected).norm() < 1e-6 * (1 + expected.norm()));
    for (const PointSpring<double>& spring : model.springs()) ropes += spring.tension_only;
  }
  CHECK(ropes > 10);
}

}  // namespace point_forces_test
