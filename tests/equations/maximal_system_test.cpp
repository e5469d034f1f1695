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

}  // namespace maximal_system_test
