// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/generalized_forces.hpp"

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/dynamics/velocity_forces.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace generalized_forces_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

double worst(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff()); }

TEST_CASE("gravity and velocity forces are the terms of inverse dynamics", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> model = models::random_tree(seed, 10);
    const VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1),
                   zero = VectorXd::Zero(model.nv());
    TreePose<double> tree(model);
    place(model, tree, q);
    RneaData<double> data(model);
    GravityData<double> weights(model);
    VelocityData<double> velocity(model);
    VectorXd gravity(model.nv()), coriolis(model.nv());
    gravity_forces(model, tree, weights, gravity);
    velocity_forces(model, tree, velocity, v, coriolis);
    CAPTURE(seed);
    CHECK(worst(-gravity, rnea(model, data, q, zero, zero)) < 1e-12);  // inverse dynamics compensates gravity
    CHECK(worst(coriolis - gravity, rnea(model, data, q, v, zero)) < 1e-12);
  }
}

TEST_CASE("wrenches on bodies act on the joints as in inverse dynamics", "[dynamics][fast]") {
  const Model<double> model = models::random_tree(4, 12).with_gravity(Eigen::Vector3d::Zero());
  const VectorXd q = models::random_configuration(model, 4), zero = VectorXd::Zero(model.nv());
  BodyArray<Vector6<double>> wrenches(model.num_bodies());
  models::Random random(3);
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) wrenches[i] = random.in_box<double, 6>(1.0);
  RneaData<double> data(model);
  const VectorXd expected = -rnea(model, data, q, zero, zero, wrenches);
  TreePose<double> tree(model);
  place(model, tree, q);
  VectorXd tau = zero;
  add_wrench_forces(model, tree, wrenches, tau);
  CHECK(worst(tau, expected) < 1e-12);
}

TEST_CASE("spring forces are minus the gradient of the elastic energy, and damping forces oppose the velocities", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.damping = true, .springs = true});
    const VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed);
    VectorXd tau = VectorXd::Zero(model.nv()), drag = tau;
    add_spring_forces(model, q, tau);
    add_damping_forces(model, v, drag);
    const double e = 1e-5;
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const VectorXd x = e * VectorXd::Unit(model.nv(), k);
      const double slope = (elastic_energy(model, model.integrate(q, x)) - elastic_energy(model, model.integrate(q, -x))) / (2 * e);
      CAPTURE(seed, model.v_name(k));
      CHECK(std::abs(tau[k] + slope) < 1e-8);
    }
    CHECK(worst(drag, -(model.properties().damping.cwiseProduct(v))) < 1e-15);
  }
}

}  // namespace generalized_forces_test
