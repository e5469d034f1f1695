// SPDX-License-Identifier: BSD-3-Clause
// Projections by blocks, against dense ones in joint coordinates.
#include "actio/equations/maximal_system.hpp"

#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/tangled_tree.hpp"

namespace maximal_system_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Tree = Model<double>;

BodyArray<Vector6<double>> com_twists(const Tree& model, const VectorXd& q, const VectorXd& v) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, q, v);
  BodyArray<Vector6<double>> twists(model.num_bodies(), Vector6<double>::Zero());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<double> w = data.V[i].head<3>();
    twists[i] = spatial<double>(w, data.V[i].tail<3>() + w.cross(model.inertia(i).com));
  }
  return twists;
}

/// Compares v of least (v - v0) M (v - v0) among those that the closures allow, found by a dense solution, with the one by blocks.
void projects(const Tree& model, const VectorXd& q) {
  MaximalSystem<Tree> system(
      model, std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), (model.properties().armature.array() > 0).any()));
  ConstrainedPose<double> at = system.bodies().make_pose();
  system.bodies().place(at, q);
  const VectorXd v0 = models::random_velocity(model, 3);
  TreePose<double> tree(model);
  place(model, tree, q);
  CrbaData<double> crba_data(model);
  const MatrixXd M = MatrixXd(crba(model, crba_data, q).selfadjointView<Eigen::Lower>());

  // The rates of the closures by joint velocities, column by column.
  int closures = 0;
  for (BodyIndex k = model.num_bodies(); k < system.bodies().size(); ++k) closures += system.bodies()[k].rows;
  MatrixXd J(closures, model.nv());
  for (Eigen::Index c = 0; c < model.nv(); ++c) {
    const BodyArray<Vector6<double>> V = com_twists(model, q, VectorXd::Unit(model.nv(), c));
    int row = 0;
    for (BodyIndex k = model.num_bodies(); k < system.bodies().size(); ++k) {
      const auto& constraint = system.bodies()[k];
      for (std::size_t r = 0; r < at.rows[k].count; ++r)
        J(row++, c) = at.rows[k].on_a[r].dot(V[constraint.a]) + at.rows[k].on_b[r].dot(V[constraint.b]);
    }
  }
  MatrixXd kkt = MatrixXd::Zero(model.nv() + closures, model.nv() + closures);
  kkt.topLeftCorner(model.nv(), model.nv()) = M;
  kkt.topRightCorner(model.nv(), closures) = J.transpose();
  kkt.bottomLeftCorner(closures, model.nv()) = J;
  VectorXd rhs = VectorXd::Zero(kkt.rows());
  rhs.head(model.nv()) = M * v0;
  const VectorXd expected = test::solve_least_norm(kkt, rhs).head(model.nv());

  BodyArray<Vector6<double>> momenta = com_twists(model, q, v0);
  VectorXd x = VectorXd::Zero(system.size());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    Vector6<double>& mu = momenta[i];
    mu.head<3>() = (model.inertia(i).I_com * mu.head<3>()).eval();
    mu.tail<3>() *= model.inertia(i).mass;
  }
  system.bodies().add_joint_forces(at, model.properties().armature.cwiseProduct(v0), momenta);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) system.u_of(i, x) = momenta[i];
  REQUIRE(system.project(at, model.properties().armature, x));
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) momenta[i] = system.u_of(i, x);
  VectorXd v(model.nv());
  system.bodies().joint_velocities(at, momenta, v);
  CHECK((v - expected).norm() < 1e-10 * v0.norm());
}

TEST_CASE("maximal system: velocities of a tree follow from its momenta, armature included", "[integrators][maximal][long]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Tree model = models::random_tree(seed, 8, {.floating = seed % 3 == 0, .armature = seed % 2 == 0});
    CAPTURE(seed);
    projects(model, models::random_configuration(model, seed));
  }
}

TEST_CASE("maximal system: with closed loops, momenta give the nearest velocities that the loops allow", "[integrators][maximal][long]") {
  projects(models::closed_chain(6), models::closed_chain(6).neutral());
  projects(models::closed_planar_chain(7), models::closed_planar_chain(7).neutral());
  const Tree ladder = models::ladder(5);
  projects(ladder, models::sheared(ladder, VectorXd::LinSpaced(5, -0.4, 0.5)));
  for (const LoopType closure : {LoopType::point_on_line, LoopType::revolute}) {
    const Tree segments = models::four_link_segments(4, closure);
    VectorXd q = segments.neutral();
    for (int k = 0; k < 4; ++k) models::open_segment(segments, k, 0.3 + 0.1 * k, 0.2 * k, q);
    projects(segments, q);
  }
}

TEST_CASE("maximal system: each row has its scale and its compliance, on trees with loops and couplings", "[integrators][maximal][fast]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const test::Tangled tangle = test::tangled_tree(seed, 7, 2);
    const Tree& model = tangle.model;
    MaximalSystem<Tree> system(model, std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), true), Closures::soft);
    ConstrainedPose<double> at = system.bodies().make_pose();
    system.bodies().place(at, tangle.q);
    models::Random random(seed);
    VectorXd stiffness(model.nv()), rhs(system.size());
    for (double& k : stiffness) k = random.uniform(0, 2);
    for (double& b : rhs) b = random.uniform(-1, 1);
    const Eigen::Index closures = system.closures_of(rhs).size();
    REQUIRE(closures > 0);
    VectorXd scale(closures), compliance(closures);
    for (Eigen::Index k = 0; k < closures; ++k) {  // stiff, without effect, or compliant
      scale[k] = k % 3 == 0 ? random.uniform(0, 10) : k % 3 == 1 ? 0 : 1;
      compliance[k] = k % 3 == 2 ? random.uniform(0.1, 1) : 1;
      system.set_closure(k, scale[k], compliance[k]);
    }
    system.set_stiffness(stiffness);
    system.begin_with_masses();
    system.add_constraints(at);
    REQUIRE(system.factor());
    VectorXd y = rhs;
    system.solve(y);

    VectorXd left = VectorXd::Zero(y.size()), rates = left;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const Vector6<double> u = system.u_of(i, y);
      system.u_of(i, left) << model.inertia(i).I_com * u.head<3>(), model.inertia(i).mass * u.tail<3>();
    }
    for (BodyIndex k = 1; k < system.bodies().size(); ++k) {
      const auto& constraint = system.bodies()[k];
      for (int r = 0; r < constraint.rows; ++r) {
        for (const bool first : {true, false}) {
          const BodyIndex body = first ? constraint.a : constraint.b;
          const Vector6<double>& G = (first ? at.rows[k].on_a : at.rows[k].on_b)[static_cast<std::size_t>(r)];
          if (body == 0) continue;
          rates[system.row(k) + r] += G.dot(system.u_of(body, std::as_const(y)));
          system.u_of(body, left) -= G * y[system.row(k) + r];
        }
      }
    }
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const auto& joint = system.bodies()[i];
      for (int r = 0; r < joint.rows; ++r) {
        const Eigen::Index row = system.row(i) + r;
        left[row] = r < joint.locked ? rates[row] : stiffness[model.v_index(i) + r - joint.locked] * rates[row] + y[row];
      }
    }
    system.closures_of(left) = scale.cwiseProduct(system.closures_of(rates)) + compliance.cwiseProduct(system.closures_of(y));
    CHECK((left - rhs).norm() < 1e-10 * (rhs.norm() + y.norm()));
  }
}

}  // namespace maximal_system_test
