// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random trees with loops of all types and couplings.
#include "actio/constraints/coupling.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/random.hpp"

namespace actio::test {

struct Tangled {
  Model<double> model;
  Eigen::VectorXd q;  ///< a configuration in which all loops are closed
};

/// A random tree with loops of all types in turn between its bodies, some to the world, and couplings between its joints of one entry.
/// @param copies of each loop: with two or more the rows are redundant.
inline Tangled tangled_tree(std::uint64_t seed, int bodies, int loops, int copies = 1, const models::RandomTreeOptions& options = {}) {
  const Model<double> tree = models::random_tree(seed, bodies, options);
  const Eigen::VectorXd q = models::random_configuration(tree, seed);
  KinematicsData<double> data(tree);
  forward_kinematics(tree, data, q, Eigen::VectorXd::Zero(tree.nv()));
  ModelBuilder<double> builder = models::random_tree_builder(seed, bodies, options);
  models::Random random(seed);
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  const auto pose = [&](int k) { return k == 0 ? Pose<double>::identity() : data.T_WB[tree.find_body(link(k))]; };
  for (int k = 0; k < loops; ++k) {
    Loop<double> loop;
    loop.type = static_cast<LoopType>((seed + static_cast<std::uint64_t>(k)) % 9);
    const int a = random.below(bodies + 1), b = (a + 1 + random.below(bodies)) % (bodies + 1);
    loop.axis = random.direction<double>();
    do loop.axis2 = random.direction<double>();
    while (loop.axis.cross(loop.axis2).norm() < 0.5);
    loop.T_A = random.pose<double>(0.3);
    loop.T_B = pose(b).inverse() * (pose(a) * loop.T_A);
    if (loop.type == LoopType::distance) {
      loop.T_B.p += Vector3<double>(0.2, 0.3, 0.1);
      loop.length = ((pose(a) * loop.T_A).inverse() * (pose(b) * loop.T_B)).p.norm();
    }
    for (int copy = 0; copy < copies; ++copy) {
      loop.name = "loop_" + std::to_string(k) + "_" + std::to_string(copy);
      builder.add_loop(loop, link(a), link(b));
    }
  }
  std::string leader;
  double q_leader = 0;
  for (int k = 1; k <= bodies; ++k) {
    const BodyIndex i = tree.find_body(link(k));
    if (tree.nv(i) != 1) continue;
    const double q_k = q[tree.q_index(i)], ratio = random.uniform(0.5, 2);
    if (!leader.empty() && random.happens(0.5)) builder.add_coupling("joint_" + std::to_string(k), leader, ratio, q_k - ratio * q_leader);
    leader = "joint_" + std::to_string(k);
    q_leader = q_k;
  }
  return {builder.build(), q};
}

/// A tangled tree placed at q, with its closures.
struct PlacedTangle {
  Model<double> model;
  Eigen::VectorXd q;
  TreePose<double> tree;
  detail::TreeClosures<Model<double>> closures;
  detail::TreeClosures<Model<double>>::Rotations rotations;

  explicit PlacedTangle(const Tangled& tangled)
      : model(tangled.model), q(tangled.q), tree(model), closures(model), rotations(closures.make_rotations()) {
    place(model, tree, q);
    closures.place(tree, rotations);
  }
  PlacedTangle(const PlacedTangle&) = delete;  // its members refer to its model

  Eigen::MatrixXd mass_matrix() const {
    CrbaData<double> data(model);
    Eigen::MatrixXd M = crba(model, data, q);
    M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
    return M;
  }
  /// (rows x nv) G.
  Eigen::MatrixXd jacobian() {
    Eigen::MatrixXd G(closures.size(), model.nv());
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      Eigen::VectorXd row(model.nv());
      closures.covector(tree, k, row);
      G.row(k) = row;
    }
    return G;
  }
};

}  // namespace actio::test
