// SPDX-License-Identifier: BSD-3-Clause
// Robots that are dropped on the ground from random poses.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/io/urdf.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/shared_file.hpp"

namespace compliant_drop_test {

using namespace actio;

struct Drops {
  int failed_steps = 0, relaxed_steps = 0, at_rest = 0;
  double factorizations = 0;              ///< per step
  double fastest = 0;                     ///< largest velocity of a centre of mass at the end, of all bodies [m/s]
  double fastest_trunk = 0;               ///< [m/s, rad/s]
};

enum class Shapes { of_file, of_inertia };

/// Boxes with the inertia of the bodies and equal density, or points for point masses.
void add_boxes(const Model<double>& model, PlaneContacts<double>& ground) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<double>& G = model.inertia(i);
    const Eigen::SelfAdjointEigenSolver<Matrix3<double>> axes(G.I_com);
    const Vector3<double> moments = axes.eigenvalues();
    Matrix3<double> R = axes.eigenvectors();
    if (R.determinant() < 0) R.col(0) = -R.col(0);
    const auto edge = [&](int k) { return std::sqrt(std::max(0.0, 12 / G.mass * (moments.sum() / 2 - moments[k]))); };
    if (G.mass > 0) ground.add(i, {R, G.com}, Box<double>{{edge(0), edge(1), edge(2)}});
  }
}

struct Robot {
  std::string name;
  Shapes shapes = Shapes::of_file;
  double damping_rate = 0;      ///< damping relative to the inertia that a joint moves at rest [1/s],
  double least_damping = 0.5;   ///< lower bound where this and the damping of the file are less [N m s/rad]
  double ground_damping = 1e3;  ///< [N s/m]
};
/// Drops a robot for ten seconds each time, with the ranges of its joints.  @param h [s]
Drops drop(const Robot& robot, int count, double h) {
  ReadOptions reading;
  reading.base = Base::floating;
  const Model<double> read = read_urdf(test::shared_file("robots/" + robot.name + ".urdf")->string(), reading).model;
  ModelProperties<double> properties = read.properties();
  CrbaData<double> inertia(read);
  const VectorX<double> moved = crba(read, inertia, read.neutral()).diagonal();
  const VectorX<double> damping = (robot.damping_rate * moved).cwiseMax(robot.least_damping).cwiseMax(properties.damping);
  properties.damping.tail(read.nv() - 6) = damping.tail(read.nv() - 6);
  const Model<double> model = read.with_properties(properties).with_enforced({.limits = true, .contact = true});
  PlaneContacts<double> ground({Compliance<double>{1e5, robot.ground_damping}, 0.8});
  if (robot.shapes == Shapes::of_file) ground.add_shapes_of(model, Meshes::leave_out);
  else add_boxes(model, ground);
  CompliantIntegrator integrator(model, {}, ground);
  const int steps = static_cast<int>(std::lround(10 / h));
  KinematicsData<double> motion(model);
  Drops drops;
  for (int k = 0; k < count; ++k) {
    models::Random random(static_cast<std::uint64_t>(k + 1));
    State<double> state = rest_state(model);
    state.q[2] = 1;
    state.q.segment<4>(3) = random.rotation<double>().coeffs();
    for (Eigen::Index j = 7; j < model.nq(); ++j) {
      const Eigen::Index v = j - 1;
      state.q[j] = random.uniform(std::max(-1.0, properties.lower[v]), std::min(1.0, properties.upper[v]));
    }
    integrator.reset(state);
    for (int step = 0; step < steps; ++step) {
      const StepResult<double> result = integrator.step({}, h);
      drops.failed_steps += !result;
      drops.relaxed_steps += bool(result.relaxed);
      drops.factorizations += static_cast<double>(result.factorizations) / (count * steps);
      if (!result) break;
    }
    REQUIRE(integrator.read(state) == Status::converged);
    forward_kinematics(model, motion, state.q, state.v);
    double speed = 0;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const Vector6<double>& V = motion.V[i];
      speed = std::max(speed, (V.tail<3>() + V.head<3>().cross(model.inertia(i).com)).norm());
    }
    drops.at_rest += speed < 1e-3;
    drops.fastest = std::max(drops.fastest, speed);
    drops.fastest_trunk = std::max(drops.fastest_trunk, state.v.head(6).cwiseAbs().maxCoeff());
  }
  std::cout << robot.name << ", h = " << h << " s: " << drops.at_rest << " of " << count << " at rest, fastest " << drops.fastest
            << ", trunk " << drops.fastest_trunk << ", failed steps " << drops.failed_steps << ", relaxed " << drops.relaxed_steps
            << ", factorisations " << drops.factorizations << "\n";
  return drops;
}

TEST_CASE("compliant: a1 dropped from random poses completes every step and comes to rest", "[integrators][compliant][robots][long]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const auto& [h, count] : {std::pair(1e-3, 1), std::pair(5e-3, 2), std::pair(1e-2, 2)}) {
    const Drops drops = drop({.name = "a1"}, count, h);
    CHECK(drops.failed_steps == 0);
    CHECK(drops.relaxed_steps == 0);
    CHECK(drops.at_rest == count);
    CHECK(drops.factorizations < 5);
  }
}

TEST_CASE("compliant: a1 dropped a hundred times comes to rest", "[integrators][compliant][robots][lab]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const double h : {1e-2, 5e-3, 1e-3}) {
    const Drops drops = drop({.name = "a1"}, 100, h);
    CHECK(drops.failed_steps == 0);
    CHECK(drops.relaxed_steps == 0);
    CHECK(drops.fastest_trunk < 1e-2);
    // In other runs a leg that points upright above the trunk is still falling, slowed by its damping: 94 to 97 rest, by chance.
    CHECK(drops.at_rest >= 90);
  }
}

TEST_CASE("compliant: atlas dropped a hundred times comes to rest if its bodies have boxes", "[integrators][compliant][robots][lab]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  // The file has eight points under each foot and no other shapes: in the end its 175 kg hang below the ground from these points
  // and swing for longer than ten seconds. With a box for each body it comes to rest.
  for (const double h : {1e-2, 5e-3, 1e-3}) {
    CHECK(drop({.name = "atlas_v4_minimal"}, 100, h).failed_steps == 0);
    const Drops boxes = drop({.name = "atlas_v4_minimal", .shapes = Shapes::of_inertia, .damping_rate = 4}, 100, h);
    CHECK(boxes.failed_steps == 0);
    CHECK(boxes.at_rest >= 60);  // arms still swing in the air, or fall from upright: 0.5 N m s/rad is 100/s for a wrist
  }
}

/// The remaining motion is that of limbs: with dampers so strong that joints creep slower than the threshold of rest, all come to rest.
const std::vector<Robot> all_but_held{
    {.name = "a1", .least_damping = 1e7, .ground_damping = 5e3},
    {.name = "atlas_v4_minimal", .shapes = Shapes::of_inertia, .least_damping = 1e7, .ground_damping = 5e3}};

TEST_CASE("compliant: robots with very strong joint damping come to rest", "[integrators][compliant][robots][long]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const Robot& robot : all_but_held) {
    for (const auto& [h, count] : {std::pair(5e-3, 2), std::pair(1e-2, 3)}) {
      const Drops drops = drop(robot, count, h);
      CHECK(drops.failed_steps == 0);
      CHECK(drops.at_rest == count);
    }
  }
}

TEST_CASE("compliant: robots with very strong joint damping, dropped a hundred times, come to rest",
          "[integrators][compliant][robots][lab]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const double h : {1e-2, 5e-3, 1e-3}) {
    for (const Robot& robot : all_but_held) {
      const Drops drops = drop(robot, 100, h);
      CHECK(drops.failed_steps == 0);
      CHECK(drops.at_rest == 100);
    }
  }
}

}  // namespace compliant_drop_test
