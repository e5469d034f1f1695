// SPDX-License-Identifier: BSD-3-Clause
// Real robots, against reference values that were computed link by link, without recursion.
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/io/urdf.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"
#include "support/shared_file.hpp"

namespace robots_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("robots: dynamics agree with the reference values to 1e-9", "[dynamics][robots][fast]") {
  if (!test::shared_file("oracles/robots") || !test::shared_file("robots")) ACTIO_SKIP("no reference values of robots");
  for (const std::string name : {"allegro_right", "anymal_c", "atlas_v5_convex", "iiwa14", "solo12"}) {
    const test::Json robot = test::read_json(*test::shared_file("oracles/robots/" + name + ".json"));
    ReadOptions options;
    options.base = robot["base"] == "floating" ? Base::floating : Base::fixed;
    const Model<double> model = read_urdf(test::shared_file("robots/" + name + ".urdf")->string(), options).model;
    const test::RobotLayout layout(robot, model);
    RneaData<double> inverse(model);
    CrbaData<double> composite(model);
    AbaData<double> forward(model);
    AbiData<double> factors(model);
    KinematicsData<double> kinematics(model);
    int k = 0;
    for (const test::Json& theirs : robot["states"]) {
      const test::RobotState state = layout.state(theirs);
      CAPTURE(name, k++);
      const auto close = [](const auto& ours, const auto& expected) {
        const double scale = std::max(1e-6, expected.cwiseAbs().maxCoeff());
        return (ours - expected).cwiseAbs().maxCoeff() < 1e-9 * scale;
      };
      const VectorXd zero = VectorXd::Zero(model.nv());
      CHECK(close(crba(model, composite, state.q), state.mass_matrix));
      CHECK(close(rnea(model, inverse, state.q, state.v, zero), state.bias));
      CHECK(close(rnea(model, inverse, state.q, zero, zero), state.gravity_torque));
      CHECK(close(rnea(model, inverse, state.q, state.v, state.a), state.rnea_tau));
      REQUIRE(aba(model, forward, state.q, state.v, state.tau) == 0);
      // Quantities that need a solution lose precision in proportion to the condition number: light fingers and ankles have 1e6.
      CHECK((crba(model, composite, state.q) * forward.a - crba(model, composite, state.q) * state.aba_acceleration).cwiseAbs().maxCoeff() <
            1e-9 * std::max(1.0, state.tau.cwiseAbs().maxCoeff()));
      CHECK(close(forward.a, state.aba_acceleration));
      REQUIRE(abi_factor(model, forward.tree, factors, zero) == 0);
      VectorXd z(model.nv());
      abi_solve(model, forward.tree, factors, VectorXd(state.tau - state.bias), z);
      CHECK(close(z, state.aba_acceleration));

      forward_kinematics(model, kinematics, state.q, state.v);
      CHECK(std::abs(kinetic_energy(model, kinematics, state.v) - state.kinetic_energy) <= 1e-9 * std::max(1e-3, state.kinetic_energy));
      CHECK(std::abs(potential_energy(model, kinematics) - state.potential_energy) <=
            1e-9 * std::max(1.0, std::abs(state.potential_energy)));
      CHECK((center_of_mass(model, kinematics) - state.com).norm() < 1e-9);
      const Vector6<double> momentum = spatial_momentum(model, kinematics);
      const double scale = std::max(1.0, state.linear_momentum.norm());
      CHECK((momentum.tail<3>() - state.linear_momentum).norm() < 1e-9 * scale);
      CHECK((angular_momentum_about_com(model, kinematics) - state.angular_momentum_about_com).norm() < 1e-9 * scale);
      for (const auto& link : state.links) {
        const Frame<double>& frame = model.find_frame(link.name);
        CHECK(distance(frame_pose(kinematics, frame), link.T_WL) < 1e-9);
        const Vector6<double> velocity = frame_velocity_in_world(kinematics, frame);
        CHECK((velocity.head<3>() - link.angular_velocity).norm() < 1e-9 * std::max(1.0, link.angular_velocity.norm()));
        CHECK((velocity.tail<3>() - link.linear_velocity).norm() < 1e-9 * std::max(1.0, link.linear_velocity.norm()));
      }
    }
  }
}

}  // namespace robots_test
