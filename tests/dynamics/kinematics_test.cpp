// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/kinematics.hpp"

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/math/se3.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace kinematics_test {

using namespace actio;
using Eigen::Vector3d;
using Eigen::VectorXd;

template <class A, class B>
double worst(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

struct Motion {
  Model<double> model;
  VectorXd q, v, a;
  explicit Motion(std::uint64_t seed, int bodies = 8)
      : model(models::random_tree(seed, bodies)),
        q(models::random_configuration(model, seed)),
        v(models::random_velocity(model, seed + 1)),
        a(models::random_velocity(model, seed + 2)) {}
  /// All kinematics at a given time on the curve through (q, v) with acceleration a.
  KinematicsData<double> at(double t) const {
    KinematicsData<double> data(model);
    forward_kinematics(model, data, model.integrate(q, t * v), v + t * a, a);
    return data;
  }
};

TEST_CASE("tree pose: place gives at the neutral configuration what the constructor gives", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Motion m(seed);
    TreePose<double> tree(m.model);
    const TreePose<double> neutral = tree;
    place(m.model, tree, m.q);
    CHECK(worst(tree.q, m.q) == 0);
    for (BodyIndex i = 1; i < m.model.num_bodies(); ++i) {
      visit_joint(m.model, i, [&]<JointType J>(const J& joint) {
        const typename J::Config q_i = m.model.q_of<J>(i, m.q);
        CHECK(distance(tree.T_PB[i], m.model.placement(i) * joint.pose(q_i)) < 1e-15);
        CHECK(worst(joints::Subspace<J>(tree.S_of<J>(m.model.v_index(i))), joints::Subspace<J>(joint.motion_subspace(q_i))) == 0);
      });
    }
    place(m.model, tree, m.model.neutral());
    for (BodyIndex i = 1; i < m.model.num_bodies(); ++i) CHECK(distance(tree.T_PB[i], neutral.T_PB[i]) == 0);
    CHECK(worst(tree.subspace, neutral.subspace) == 0);
  }
}

TEST_CASE("kinematics: twists and their rates are the derivatives of poses and twists", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Motion m(seed);
    const double dt = 1e-5;
    const KinematicsData<double> now = m.at(0), ahead = m.at(dt), behind = m.at(-dt);
    for (BodyIndex i = 1; i < m.model.num_bodies(); ++i) {
      CHECK(worst(se3::log(behind.T_WB[i].inverse() * ahead.T_WB[i]) / (2 * dt), now.V[i]) < 1e-8);
      CHECK(worst((ahead.V[i] - behind.V[i]) / (2 * dt), now.A[i]) < 1e-7);
    }
    for (const Frame<double>& frame : m.model.frames()) {
      const Vector6<double> rate = (frame_velocity_in_world(ahead, frame) - frame_velocity_in_world(behind, frame)) / (2 * dt);
      CHECK(worst(rate, frame_acceleration_in_world(now, frame)) < 1e-7);
    }
    CHECK(worst((center_of_mass(m.model, ahead) - center_of_mass(m.model, behind)) / (2 * dt), center_of_mass_velocity(m.model, now)) <
          1e-8);
  }
}

TEST_CASE("kinematics: a world frame has zero velocity, and values that were not computed are NaN", "[dynamics][fast]") {
  const Motion m(7);
  KinematicsData<double> data(m.model);
  RneaData<double> inverse(m.model);
  AbaData<double> forward(m.model);
  const BodyIndex last = m.model.num_bodies() - 1;
  CHECK(data.V[last].hasNaN());
  CHECK(data.A[last].hasNaN());
  CHECK(inverse.tau.hasNaN());
  CHECK(forward.a.hasNaN());
  forward_kinematics(m.model, data, m.q, m.v);
  CHECK(data.V[last].allFinite());
  CHECK(data.A[last].hasNaN());
  CHECK(frame_velocity_in_world(data, m.model.find_frame("world")).isZero(0));
}

TEST_CASE("momentum: it is the sum over links about any point, and its rate is the external force", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Motion m(seed);
    const KinematicsData<double> now = m.at(0);
    const Vector3d point(0.3, -1, 2);
    Vector3d angular = Vector3d::Zero(), linear = Vector3d::Zero();
    for (BodyIndex i = 1; i < m.model.num_bodies(); ++i) {
      const Inertia<double>& G = m.model.inertia(i);
      const Eigen::Matrix3d& R = now.T_WB[i].R;
      const Vector3d w = R * now.V[i].head<3>(), v_com = R * now.V[i].tail<3>() + w.cross(R * G.com);
      linear += G.mass * v_com;
      angular += R * G.I_com * R.transpose() * w + (now.T_WB[i] * G.com - point).cross(G.mass * v_com);
    }
    const Vector6<double> momentum = spatial_momentum(m.model, now, point);
    CHECK(worst(Vector3d(momentum.head<3>()), angular) < 1e-12);
    CHECK(worst(Vector3d(momentum.tail<3>()), linear) < 1e-12);
    CHECK(worst(m.model.mass() * center_of_mass_velocity(m.model, now), linear) < 1e-12);
    const Vector6<double> about_com = spatial_momentum(m.model, now, center_of_mass(m.model, now));
    CHECK(worst(angular_momentum_about_com(m.model, now), Vector3d(about_com.head<3>())) == 0);

    // The wrench that the world exerts on the tree, F[0] of RNEA, changes the momentum together with the weights.
    RneaData<double> inverse(m.model);
    rnea(m.model, inverse, m.q, m.v, m.a);
    const double dt = 1e-5;
    const Vector6<double> rate = (spatial_momentum(m.model, m.at(dt)) - spatial_momentum(m.model, m.at(-dt))) / (2 * dt);
    Vector6<double> weights = Vector6<double>::Zero();
    for (BodyIndex i = 1; i < m.model.num_bodies(); ++i) {
      const Vector3d force = m.model.inertia(i).mass * m.model.gravity(), com = now.T_WB[i] * m.model.inertia(i).com;
      weights += spatial<double>(com.cross(force), force);
    }
    CHECK(worst(inverse.F[0] + weights, rate) < 1e-7);
  }
}

}  // namespace kinematics_test
