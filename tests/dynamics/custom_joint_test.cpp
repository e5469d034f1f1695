// SPDX-License-Identifier: BSD-3-Clause
// Joint types defined by a user, with and without their optional members, in every tree algorithm.
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/jacobian.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/dense.hpp"

namespace custom_joint_test {

using namespace actio;
using Eigen::VectorXd;
using test::Cam;
using test::CompleteCam;
using test::Skate;
using Joints = std::variant<Revolute<double>, Planar<double>, Cam<double>, CompleteCam<double>, Skate<double>>;

double worst(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff()); }

/// Six bodies: hinge, cam and skate in series, and a branch with another cam, skate and hinge.
template <class CamType, class SkateType>
Model<double, Joints> machine(const CamType& cam, const SkateType& skate) {
  models::Random random(3);
  ModelBuilder<double, Joints> builder("machine");
  const Revolute<double> hinge({1, 2, -1});
  const auto add = [&](const std::string& name, const std::string& parent, const auto& joint, const JointProperties<double>& properties) {
    builder.add_body(name, models::detail::random_inertia<double>(random));
    builder.add_joint(name, parent, name, random.pose<double>(0.5), joint, properties);
  };
  add("arm", "world", hinge, {});
  add("lifter", "arm", cam, {.armature = 0.3});
  add("slider", "lifter", skate, {});
  add("second_lifter", "arm", cam, {});
  add("second_slider", "second_lifter", skate, {});
  add("tip", "second_slider", hinge, {});
  return builder.build();
}

TEST_CASE("joints of the user's own: all algorithms agree on custom joint types", "[dynamics][joint][long]") {
  const auto model = GENERATE(machine(Cam<double>(0.2), Skate<double>()), machine(CompleteCam<double>(0.2), Planar<double>()));
  const VectorXd q = models::random_configuration(model, 1), v = models::random_velocity(model, 2), a = models::random_velocity(model, 3),
                 none = VectorXd::Zero(model.nv());
  RneaData<double> inverse(model);
  CrbaData<double> composite(model);
  AbaData<double> forward(model);
  AbiData<double> factors(model);
  JointMomentumData<double> momentum(model);
  KinematicsData<double> kinematics(model);
  const VectorXd bias = bias_forces(model, inverse, q, v), tau = rnea(model, inverse, q, v, a);
  const Eigen::MatrixXd M = crba(model, composite, q);
  CHECK(worst(M * a + bias, tau) < 1e-10);
  REQUIRE(aba(model, forward, q, v, tau) == 0);
  CHECK(worst(forward.a, a) < 1e-10);
  REQUIRE(abi_factor(model, forward.tree, factors, none) == 0);
  VectorXd z(model.nv());
  abi_solve(model, forward.tree, factors, tau, z);
  CHECK(worst(z, test::solve(M, tau)) < 1e-10);
  CHECK(worst(joint_momentum(model, forward.tree, momentum, v), M * v) < 1e-12);

  // Velocities, accelerations and power against differences, which use neither S nor its rate.
  forward_kinematics(model, kinematics, q, v, a);
  const double dt = 1e-5;
  const auto later = [&](double t) {
    KinematicsData<double> data(model);
    forward_kinematics(model, data, model.integrate(q, t * v), v + t * a);
    return data;
  };
  const KinematicsData<double> ahead = later(dt), behind = later(-dt);
  const auto energy_of = [&](const KinematicsData<double>& data, double t) {
    return kinetic_energy(model, data, v + t * a) + potential_energy(model, data);
  };
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Pose<double> moved = behind.T_WB[i].inverse() * ahead.T_WB[i];
    CHECK(worst(se3::log(moved) / (2 * dt), kinematics.V[i]) < 1e-8);
    CHECK(worst((ahead.V[i] - behind.V[i]) / (2 * dt), kinematics.A[i]) < 1e-7);
  }
  CHECK(std::abs((energy_of(ahead, dt) - energy_of(behind, -dt)) / (2 * dt) - v.dot(tau)) < 1e-6);
}

TEST_CASE("joints of the user's own: optional members change only speed and rounding", "[dynamics][joint][long]") {
  const auto bare = machine(Cam<double>(0.2), Skate<double>()), complete = machine(CompleteCam<double>(0.2), Planar<double>());
  const VectorXd q = models::random_configuration(bare, 4), v = models::random_velocity(bare, 5), a = models::random_velocity(bare, 6);
  RneaData<double> one(bare), other(complete);
  CHECK(worst(rnea(bare, one, q, v, a), rnea(complete, other, q, v, a)) < 1e-9);  // the generic rate of S is a finite difference
  AbaData<double> forward(bare), forward_too(complete);
  REQUIRE(aba(bare, forward, q, v, a) == 0);
  REQUIRE(aba(complete, forward_too, q, v, a) == 0);
  CHECK(worst(forward.a, forward_too.a) < 1e-8);
}

}  // namespace custom_joint_test
