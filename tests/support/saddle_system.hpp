// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rigid bodies and the rows that connect them, as in a maximal-coordinate step: [[D, -G^T], [G C, 0]], by blocks and dense.
#include <Eigen/Geometry>

#include <vector>

#include "actio/model/samples/random.hpp"
#include "actio/solvers/sparse/block_ldu.hpp"

namespace actio::test {

/// Rows act on the relative twist (angular, linear) of two bodies at a point, so that they are insensitive to a common motion of all
/// bodies: this makes the rows of closed loops redundant. C is near h I and mixes only the columns of a body, so that they stay redundant.
class SaddleSystem {
 public:
  explicit SaddleSystem(unsigned seed) : random_(seed) {}
  detail::BlockGraph graph;
  std::vector<int> bodies, constraints;

  /// Adds a body at p with random inertia.  @returns its node.
  int add_body(const Vector3<double>& p) {
    const int node = graph.add_node(6);
    bodies.push_back(node);
    const auto noise = [&](double size) {
      return Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return size * random_.uniform(-1, 1); }).eval();
    };
    const Eigen::MatrixXd root = noise(0.3) + Eigen::MatrixXd::Identity(6, 6);
    nodes_.push_back({p, root.lazyProduct(root.transpose()) + noise(0.01), Eigen::MatrixXd::Identity(6, 6) + noise(0.01), {}});
    return node;
  }
  /// Constrains S times the twist of b relative to a at p; world: -1.  @returns the node.
  int add_constraint(int a, int b, const Vector3<double>& p, const Eigen::MatrixXd& S) {
    const int node = graph.add_node(static_cast<int>(S.rows()));
    constraints.push_back(node);
    nodes_.push_back({});
    for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (body < 0) continue;
      graph.couple(node, body);
      nodes_.back().rows.push_back({body, sign * S.lazyProduct(to_point(p - at(body).p))});
    }
    return node;
  }
  /// Constrains all but the rotation about an axis, or about any axis.
  int add_revolute(int a, int b, const Vector3<double>& p, const Vector3<double>& axis) {
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(5, 6);
    const Vector3<double> u = axis.unitOrthogonal();
    S.row(0).head<3>() = u;
    S.row(1).head<3>() = axis.normalized().cross(u);
    S.bottomRightCorner(3, 3).setIdentity();
    return add_constraint(a, b, p, S);
  }
  int add_ball(int a, int b, const Vector3<double>& p) {
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(3, 6);
    S.rightCols(3).setIdentity();
    return add_constraint(a, b, p, S);
  }
  /// Adds a row on the angular velocities of bodies, each about a different axis: it is sensitive to a common motion of all bodies.
  int add_gear(const std::vector<int>& on) {
    const int node = graph.add_node(1);
    constraints.push_back(node);
    nodes_.push_back({});
    for (const int body : on) {
      if (graph.is_coupled(node, body)) continue;
      graph.couple(node, body);
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(1, 6);
      G.leftCols(3) = random_.direction<double>().transpose();
      nodes_.back().rows.push_back({body, G});
    }
    return node;
  }
  /// Scales a row of a constraint and its multiplier.
  void scale_row(int constraint, int row, double factor) {
    for (Row& r : at(constraint).rows) r.G.row(row) *= factor;
  }

  template <class S>
  void fill(detail::BlockLdu<S>& ldu) const {
    ldu.set_zero();
    for_each_block([&](int a, int b, const Eigen::MatrixXd& block) { ldu.block(a, b) = block.template cast<S>(); });
  }
  template <class S>
  Eigen::MatrixXd dense(const detail::BlockLdu<S>& ldu) const {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(ldu.size(), ldu.size());
    for_each_block(
        [&](int a, int b, const Eigen::MatrixXd& block) { A.block(ldu.offset(a), ldu.offset(b), block.rows(), block.cols()) = block; });
    return A;
  }

 private:
  struct Row {
    int body;
    Eigen::MatrixXd G;
  };
  struct Node {
    Vector3<double> p = Vector3<double>::Zero();
    Eigen::MatrixXd D, C;
    std::vector<Row> rows;
  };
  template <class F>
  void for_each_block(F f) const {
    for (const int i : bodies) f(i, i, at(i).D);
    for (const int i : constraints) {
      for (const Row& r : at(i).rows) {
        f(i, r.body, r.G.lazyProduct(at(r.body).C));
        f(r.body, i, -r.G.transpose());
      }
    }
  }
  static Eigen::MatrixXd to_point(const Vector3<double>& r) {
    Eigen::MatrixXd X = Eigen::MatrixXd::Identity(6, 6);
    X.bottomLeftCorner(3, 3) << 0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0;
    return X;
  }
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }

  std::vector<Node> nodes_;
  models::Random random_;
};

}  // namespace actio::test
