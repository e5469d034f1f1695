// SPDX-License-Identifier: BSD-3-Clause
// Bodies and their constraints, against forward kinematics and differences.
#include "actio/constraints/constrained_bodies.hpp"

#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"

namespace constrained_bodies_test {

using namespace actio;
using namespace actio::detail;
using Tree = Model<double>;
using Bodies = ConstrainedBodies<Tree>;

/// A random tree with a loop of every type between random frames, which are open at this configuration, and a coupling.
Tree model_with_everything(std::uint64_t seed) {
  models::Random random(seed);
  ModelBuilder<double> builder("everything");
  std::vector<std::string> names{"world"};
  for (int k = 0; k < 8; ++k) {
    names.push_back("body" + std::to_string(k));
    builder.add_body(names.back(), models::detail::random_inertia<double>(random));
    const std::string parent = names[static_cast<std::size_t>(random.below(static_cast<int>(names.size()) - 1))];
    const DefaultJoints<double> joint = models::detail::random_joint<double>(random);
    std::visit([&](const auto& j) { builder.add_joint("joint" + std::to_string(k), parent, names.back(), random.pose<double>(0.5), j); },
               joint);
  }
  for (int k = 0; k < 2; ++k) {
    const std::string name = "screw" + std::to_string(k);
    builder.add_body(name, models::detail::random_inertia<double>(random));
    builder.add_joint(name, names[3], name, random.pose<double>(0.5), Helical<double>(random.direction<double>(), 0.1));
  }
  builder.add_coupling("screw0", "screw1", -0.7, 0.2);
  for (int type = 0; type < 9; ++type) {
    Loop<double> loop;
    loop.name = "loop" + std::to_string(type);
    loop.type = static_cast<LoopType>(type);
    loop.T_A = random.pose<double>(0.5);
    loop.T_B = random.pose<double>(0.5);
    loop.axis = random.direction<double>();
    loop.axis2 = random.direction<double>();
    loop.length = 0.5;
    const std::size_t a = static_cast<std::size_t>(random.below(9)), b = (a + 1 + static_cast<std::size_t>(random.below(8))) % 9;
    builder.add_loop(loop, names[a], names[b]);
  }
  return builder.build();
}

struct Setting {
  Tree model;
  std::vector<bool> rowed;
  Bodies bodies;
  ConstrainedPose<double> at;
  VectorX<double> q, v;
  explicit Setting(std::uint64_t seed)
      : model(model_with_everything(seed)),
        rowed(static_cast<std::size_t>(model.num_bodies()), seed % 2 == 0),
        bodies(model, rowed),
        at(bodies.make_pose()),
        q(models::random_configuration(model, seed)),
        v(models::random_velocity(model, seed + 1)) {
    bodies.place(at, q);
  }
};

TEST_CASE("constrained bodies: poses match forward kinematics, also of loops", "[constraints][constrained_bodies][fast]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Setting s(seed);
    KinematicsData<double> data(s.model);
    forward_kinematics(s.model, data, s.q);
    for (BodyIndex i = 1; i < s.model.num_bodies(); ++i) {
      CHECK(distance(s.at.pose[i].T_aM, data.tree.T_PB[i]) < 1e-14);
      for (std::size_t r = 0; r < s.at.rows[i].count && static_cast<int>(r) < s.bodies[i].locked; ++r)
        CHECK(std::abs(s.at.rows[i].value[r]) < 1e-14);
    }
    BodyIndex k = s.model.num_bodies();
    for (const Loop<double>& loop : s.model.loops()) {
      const Pose<double> T_AB = (data.T_WB[loop.body_a] * loop.T_A).inverse() * (data.T_WB[loop.body_b] * loop.T_B);
      CHECK(distance(s.at.pose[k].T_FM, T_AB) < 1e-13);
      CHECK(distance(Pose<double>::from(s.at.pose[k].rotation, T_AB.p), T_AB) < 1e-13);
      ++k;
    }
    const Coupling<double>& gear = s.model.couplings().front();
    CHECK(s.at.rows[k].value[0] == s.q[gear.follower_q] - gear.ratio * s.q[gear.leader_q] - gear.offset);
    CHECK(s.bodies.size() == k + 2);
  }
}

/// Twists about the centres of mass.
BodyArray<Vector6<double>> com_twists(const Tree& model, KinematicsData<double>& data, const VectorX<double>& q, const VectorX<double>& v) {
  forward_kinematics(model, data, q, v);
  BodyArray<Vector6<double>> twists(model.num_bodies(), Vector6<double>::Zero());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<double> w = data.V[i].head<3>();
    twists[i] = spatial<double>(w, data.V[i].tail<3>() + w.cross(model.inertia(i).com));
  }
  return twists;
}

TEST_CASE("constrained bodies: rows are derivatives along motions of the joints, and joints satisfy their rows",
          "[constraints][constrained_bodies][fast]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Setting s(seed);
    KinematicsData<double> data(s.model);
    const BodyArray<Vector6<double>> V = com_twists(s.model, data, s.q, s.v);
    ConstrainedPose<double> ahead = s.at, behind = s.at;
    constexpr double e = 1e-6;
    s.bodies.place(ahead, s.model.integrate(s.q, e * s.v));
    s.bodies.place(behind, s.model.integrate(s.q, -e * s.v));
    for (BodyIndex k = 1; k < s.bodies.size(); ++k) {
      const auto& constraint = s.bodies[k];
      if (constraint.coupling && !constraint.follows) continue;  // combined with the constraint before it
      REQUIRE(s.at.rows[k].count == static_cast<std::size_t>(constraint.rows));
      for (std::size_t r = 0; r < s.at.rows[k].count; ++r) {
        const BodyRows<double>& rows = s.at.rows[k];
        double rate = rows.on_a[r].dot(V[constraint.a]) + rows.on_b[r].dot(V[constraint.b]);
        CAPTURE(seed, k, r);
        if (constraint.coupling)
          rate += s.at.rows[k + 1].on_a[r].dot(V[s.bodies[k + 1].a]) + s.at.rows[k + 1].on_b[r].dot(V[s.bodies[k + 1].b]);
        if (k < s.model.num_bodies() && static_cast<int>(r) >= constraint.locked) {
          CHECK(std::abs(rate - s.v[s.model.v_index(k) + static_cast<int>(r) - constraint.locked]) < 1e-12);  // the velocity of the joint
        } else {
          CHECK(std::abs(rate - (ahead.rows[k].value[r] - behind.rows[k].value[r]) / (2 * e)) < 1e-7 * (1 + std::abs(rate)));
        }
      }
    }
    VectorX<double> v(s.model.nv());
    s.bodies.joint_velocities(s.at, V, v);
    CHECK((v - s.v).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("constrained bodies: joint forces do the same work on the bodies", "[constraints][constrained_bodies][fast]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Setting s(seed);
    KinematicsData<double> data(s.model);
    const BodyArray<Vector6<double>> V = com_twists(s.model, data, s.q, s.v);
    const VectorX<double> tau = models::random_velocity(s.model, seed + 7);
    BodyArray<Vector6<double>> F(s.model.num_bodies(), Vector6<double>::Zero());
    s.bodies.add_joint_forces(s.at, tau, F);
    double work = 0;
    for (BodyIndex i = 1; i < s.model.num_bodies(); ++i) work += F[i].dot(V[i]);
    CHECK(std::abs(work - tau.dot(s.v)) < 1e-12);
  }
}

TEST_CASE("constrained bodies: rows and coordinates follow when each body is displaced separately",
          "[constraints][constrained_bodies][fast]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Setting s(seed);
    models::Random random(seed + 100);
    // The motion of the joints in a step, as motions of the single bodies.
    constexpr double h = 0.05;
    const VectorX<double> x = h * s.v, q1 = s.model.integrate(s.q, x);
    KinematicsData<double> from(s.model), to(s.model);
    forward_kinematics(s.model, from, s.q);
    forward_kinematics(s.model, to, q1);
    BodyArray<BodyStep<double>> motion(s.model.num_bodies());
    for (BodyIndex i = 1; i < s.model.num_bodies(); ++i) {
      const Pose<double> dT = from.T_WB[i].inverse() * to.T_WB[i];
      const Quaternion<double> dQ = quaternion::from_matrix<double>(dT.R);
      const Vector3<double>& c = s.model.inertia(i).com;
      REQUIRE(motion[i].set(s.model.inertia(i), spatial<double>(dQ.vec() * (2 / h), (dT * c - c) / h), h));
    }
    ConstrainedPose<double> moved = s.at, placed = s.at;
    VectorX<double> increments = VectorX<double>::Zero(s.model.nv());
    s.bodies.move(s.at, motion, h, true, moved, increments);
    s.bodies.place(placed, q1);
    CHECK((increments - x).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(s.model.difference(q1, moved.q).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(std::abs(s.bodies.gap(moved) - s.bodies.gap(placed)) < 1e-13);
    for (BodyIndex k = 1; k < s.bodies.size(); ++k) {
      const auto& constraint = s.bodies[k];
      if (constraint.coupling) continue;
      const double sign = moved.pose[k].rotation.dot(placed.pose[k].rotation) < 0 ? -1 : 1;
      CHECK(distance(moved.pose[k].T_FM, placed.pose[k].T_FM) < 1e-12);
      CHECK(distance(moved.pose[k].T_aM, placed.pose[k].T_aM) < 1e-12);
      for (int r = 0; r < constraint.locked; ++r) {
        const std::size_t row = static_cast<std::size_t>(r);
        if (sign > 0) CHECK(std::abs(moved.rows[k].value[row] - placed.rows[k].value[row]) < 1e-12);
      }
      for (int r = constraint.locked; r < constraint.rows; ++r)
        CHECK(std::abs(moved.rows[k].value[static_cast<std::size_t>(r)] - x[s.model.v_index(k) + r - constraint.locked]) < 1e-12);
    }
  }
}

}  // namespace constrained_bodies_test
