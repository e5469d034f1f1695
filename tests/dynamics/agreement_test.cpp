// SPDX-License-Identifier: BSD-3-Clause
// The tree algorithms against each other and against dense algebra, on random trees over all joint types.
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/jacobian.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace agreement_test {

using namespace actio;

template <class A, class B>
double worst(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff() / std::max(typename A::Scalar(1), b.cwiseAbs().maxCoeff()));
}

/// All algorithms at one random state of one random tree.
template <class S>
void agree(std::uint64_t seed, int bodies, double tolerance) {
  CAPTURE(seed, bodies);
  const Model<S> model = cast<S>(models::random_tree(seed, bodies, {.floating = seed % 3 == 0, .armature = seed % 2 == 0}));
  const VectorX<S> q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1);
  const VectorX<S> a = models::random_velocity(model, seed + 2), none = VectorX<S>::Zero(model.nv());

  RneaData<S> inverse(model);
  CrbaData<S> composite(model);
  AbaData<S> forward(model);
  AbiData<S> factors(model);
  JointMomentumData<S> momentum(model);
  TreePose<S> tree(model);
  place(model, tree, q);

  const VectorX<S> bias = rnea(model, inverse, q, v, none);
  const VectorX<S> tau = rnea(model, inverse, q, v, a);
  const MatrixX<S> M = crba(model, composite, q);
  CHECK(worst(M, MatrixX<S>(M.transpose())) == 0);
  CHECK(worst(VectorX<S>(M * a + bias), tau) < tolerance);

  REQUIRE(aba(model, forward, q, v, tau) == 0);
  CHECK(worst(forward.a, a) < tolerance);
  CHECK(worst(VectorX<S>(M * forward.a + bias), tau) < tolerance);

  REQUIRE(abi_factor(model, tree, factors, none) == 0);
  VectorX<S> z(model.nv());
  const S energy = abi_solve(model, tree, factors, VectorX<S>(tau - bias), z);
  CHECK(worst(z, forward.a) < tolerance);
  CHECK(worst(VectorX<S>(M * z), VectorX<S>(tau - bias)) < tolerance);
  const VectorX<S> dense = test::solve(M.template cast<double>(), (tau - bias).template cast<double>()).template cast<S>();
  CHECK(worst(z, dense) < tolerance);
  CHECK(std::abs(energy - z.dot(tau - bias)) < tolerance * std::max(S(1), std::abs(energy)));

  CHECK(worst(joint_momentum(model, tree, momentum, v), VectorX<S>(M * v)) < tolerance);
  KinematicsData<S> kinematics(model);
  forward_kinematics(model, kinematics, q, v);
  CHECK(std::abs(kinetic_energy(model, kinematics, v) - v.dot(M * v) / 2) < tolerance * std::max(S(1), v.dot(M * v)));
}

TEST_CASE("trees: RNEA, ABA, CRBA, the operator M^-1, momentum and energy agree on 200 random trees", "[dynamics][long]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) agree<double>(seed, 1 + static_cast<int>(seed % 17), 1e-10);
}
// 5e-4: epsilon is 1e-7, and condition numbers of these trees reach 1e3.
TEST_CASE("trees: the algorithms agree in single precision", "[dynamics][long]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) agree<float>(seed, 1 + static_cast<int>(seed % 8), 5e-4);
}

TEST_CASE("trees: Jacobians give the velocities of frames and of the centre of mass, and their transposes map wrenches",
          "[dynamics][jacobian][long]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 9);
    const Eigen::VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1),
                          none = Eigen::VectorXd::Zero(model.nv());
    KinematicsData<double> data(model);
    forward_kinematics(model, data, q, v);
    Matrix6X<double> J(6, model.nv());
    for (const Frame<double>& frame : model.frames()) {
      frame_jacobian(model, data, frame, JacobianAxes::own, J);
      CHECK(worst(Eigen::VectorXd(J * v), frame_velocity(data, frame)) < 1e-12);
      frame_jacobian(model, data, frame, JacobianAxes::world, J);
      CHECK(worst(Eigen::VectorXd(J * v), frame_velocity_in_world(data, frame)) < 1e-12);
      // And this velocity is the derivative of the pose.
      const double dt = 1e-5;
      KinematicsData<double> ahead(model), behind(model);
      forward_kinematics(model, ahead, model.integrate(q, dt * v));
      forward_kinematics(model, behind, model.integrate(q, -dt * v));
      const Eigen::Vector3d rate = (frame_pose(ahead, frame).p - frame_pose(behind, frame).p) / (2 * dt);
      CHECK(worst(rate, Eigen::Vector3d((J * v).tail<3>())) < 1e-8);
    }
    Matrix3X<double> J_com(3, model.nv());
    center_of_mass_jacobian(model, data, J_com);
    CHECK(worst(Eigen::Vector3d(J_com * v), center_of_mass_velocity(model, data)) < 1e-12);

    const BodyIndex body = model.num_bodies() - 1;
    BodyArray<Vector6<double>> wrenches(model.num_bodies(), Vector6<double>::Zero());
    wrenches[body] << 1, -2, 3, 0.5, 4, -1;
    body_jacobian(model, data, body, JacobianAxes::own, J);
    RneaData<double> inverse(model);
    const Eigen::VectorXd without = rnea(model, inverse, q, v, none), with = rnea(model, inverse, q, v, none, wrenches);
    CHECK(worst(Eigen::VectorXd(without - with), Eigen::VectorXd(J.transpose() * wrenches[body])) < 1e-11);
    AbaData<double> forward(model);
    REQUIRE(aba(model, forward, q, v, none, wrenches) == 0);
    const Eigen::VectorXd pushed = forward.a;
    REQUIRE(aba(model, forward, q, v, Eigen::VectorXd(J.transpose() * wrenches[body])) == 0);
    CHECK(worst(pushed, forward.a) < 1e-9);
  }
}

TEST_CASE("trees: the power of joint forces is the rate of the energy", "[dynamics][energy][long]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> model = models::random_tree(seed, 7, {.armature = true});
    const Eigen::VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1),
                          tau = models::random_velocity(model, seed + 2);
    AbaData<double> forward(model);
    REQUIRE(aba(model, forward, q, v, tau) == 0);
    const auto energy_at = [&](double dt) {
      KinematicsData<double> data(model);
      const Eigen::VectorXd v_then = v + dt * forward.a, q_then = model.integrate(q, dt * v);
      forward_kinematics(model, data, q_then, v_then);
      return kinetic_energy(model, data, v_then) + potential_energy(model, data);
    };
    const double dt = 1e-5, power = (energy_at(dt) - energy_at(-dt)) / (2 * dt);
    CAPTURE(seed);
    CHECK(std::abs(power - v.dot(tau)) < 1e-6 * std::max(1.0, std::abs(power)));
  }
}

TEST_CASE("trees: the algorithms allocate nothing, and a joint that moves no inertia is reported", "[dynamics][long]") {
  const Model<double> model = models::random_tree(5, 20);
  const Eigen::VectorXd q = models::random_configuration(model, 5), v = models::random_velocity(model, 6), added = v.cwiseAbs();
  RneaData<double> inverse(model);
  CrbaData<double> composite(model);
  AbaData<double> forward(model);
  AbiData<double> factors(model);
  KinematicsData<double> kinematics(model);
  JointMomentumData<double> momentum(model);
  Matrix6X<double> J(6, model.nv());
  Eigen::VectorXd z(model.nv());
  const test::AllocationCounter allocations;
  rnea(model, inverse, q, v, v);
  crba(model, composite, q);
  BodyIndex singular = aba(model, forward, q, v, v);
  singular += abi_factor(model, forward.tree, factors, added);
  abi_solve(model, forward.tree, factors, v, z);
  forward_kinematics(model, kinematics, q, v, v);
  joint_momentum(model, forward.tree, momentum, v);
  frame_jacobian(model, kinematics, model.frames().back(), JacobianAxes::own, J);
  CHECK(allocations.count() == 0);
  CHECK(singular == 0);

  ModelBuilder<double> builder("weightless");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0})).add_body("tip", Inertia<double>::zero());
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("wrist", "arm", "tip", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Model<double> weightless = builder.build();
  AbaData<double> data(weightless);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  CHECK(aba(weightless, data, zero, zero, zero) == weightless.find_joint("wrist"));
}

}  // namespace agreement_test
