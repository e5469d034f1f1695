// SPDX-License-Identifier: BSD-3-Clause
// RBDL. A universal joint is two joints with a massless body between them, a floating one a translation and a ball joint.
#include <rbdl/rbdl.h>

#include "eigen.hpp"
#include "run.hpp"

namespace {

namespace rb = RigidBodyDynamics;
using rb::Math::VectorNd;

rb::Joint joint_of(const peers::Link& link) {
  const Eigen::Vector3d axis = peers::vector(link.axis), axis2 = peers::vector(link.axis2);
  if (link.joint == "floating") return {rb::JointTypeFloatingBase};
  if (link.joint == "ball") return {rb::JointTypeSpherical};
  if (link.joint == "revolute") return {rb::JointTypeRevolute, axis};
  return {rb::Math::SpatialVector(axis[0], axis[1], axis[2], 0, 0, 0), rb::Math::SpatialVector(axis2[0], axis2[1], axis2[2], 0, 0, 0)};
}

class Library {
 public:
  explicit Library(const peers::Tree& tree) : floating_(tree.links[0].joint == "floating") {
    model_.gravity = peers::vector(tree.gravity);
    std::vector<unsigned> ids;
    for (const peers::Link& link : tree.links) {
      const rb::Math::SpatialTransform placement(peers::rotation(link).transpose(), peers::vector(link.position));
      const rb::Body body(link.mass, rb::Math::Vector3d(peers::vector(link.com)), rb::Math::Matrix3d(peers::inertia(link)));
      ids.push_back(model_.AddBody(link.parent < 0 ? 0 : ids[static_cast<std::size_t>(link.parent)], placement, joint_of(link), body));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      q_[k] = VectorNd::Zero(model_.q_size);
      v_[k] = VectorNd::Zero(model_.qdot_size);
    }
    a_ = tau_ = result_ = forces_ = VectorNd::Zero(model_.qdot_size);
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      const peers::Link& link = tree.links[i];
      const int nv = link.freedoms();
      a_.segment(at, nv) = peers::vector(link.a).head(nv);
      if (nv == 6) a_.segment(at, nv) << peers::acceleration_in_world(link), peers::vector(link.a).head<3>();
      for (std::size_t k = 0; k < 2; ++k) {
        v_[k].segment(at, nv) = peers::vector(link.v[k]).head(nv);
        if (nv == 6) v_[k].segment(at, nv) << peers::velocity_in_world(link, k), peers::vector(link.v[k]).head<3>();
        if (nv == 1 || nv == 2) q_[k].segment(at, nv) = peers::vector(link.q[k]).head(nv);
        if (nv == 6) q_[k].segment(at, 3) = peers::vector(link.q[k]).head<3>();
        if (nv >= 3) {
          const Eigen::Quaterniond rotation = peers::quaternion(link, k);
          model_.SetQuaternion(ids[i], {rotation.x(), rotation.y(), rotation.z(), rotation.w()}, q_[k]);
        }
      }
      if (nv >= 3) balls_.push_back({ids[i], at + nv - 3, {}});
      at += nv;
    }
  }

  void use(int k) { k_ = static_cast<std::size_t>(k); }
  void aba() { rb::ForwardDynamics(model_, q_[k_], v_[k_], tau_, result_); }
  void rnea() { rb::InverseDynamics(model_, q_[k_], v_[k_], a_, forces_); }
  void restart() { q_now_ = q_[0], v_now_ = v_[0]; }
  void step() {
    rb::ForwardDynamics(model_, q_now_, v_now_, tau_, result_);
    v_now_ += peers::time_step * result_;
    for (Ball& ball : balls_) ball.next = turned(model_.GetQuaternion(ball.id, q_now_), peers::time_step * v_now_.segment<3>(ball.at));
    q_now_.head(v_now_.size()) += peers::time_step * v_now_;
    for (const Ball& ball : balls_) model_.SetQuaternion(ball.id, ball.next, q_now_);
  }
  double accelerations() const { return norm(result_); }
  double forces() const { return norm(forces_); }
  double velocities() const { return norm(v_now_); }

 private:
  double norm(const VectorNd& x) const { return x.tail(x.size() - (floating_ ? 3 : 0)).norm(); }

  struct Ball {
    unsigned id;
    Eigen::Index at;  // of the angular velocity in v
    rb::Math::Quaternion next;
  };
  /// Returns a rotation followed by the rotation vector x in the child.
  static rb::Math::Quaternion turned(const rb::Math::Quaternion& from, const Eigen::Vector3d& x) {
    const double angle = x.norm(), s = angle > 1e-8 ? std::sin(angle / 2) / angle : 0.5;
    const Eigen::Quaterniond by(std::cos(angle / 2), s * x[0], s * x[1], s * x[2]);
    const Eigen::Quaterniond to = (Eigen::Quaterniond(from[3], from[0], from[1], from[2]) * by).normalized();
    return {to.x(), to.y(), to.z(), to.w()};
  }

  rb::Model model_;
  bool floating_;
  std::vector<Ball> balls_;
  std::size_t k_ = 0;
  std::array<VectorNd, 2> q_, v_;
  VectorNd a_, tau_, result_, forces_, q_now_, v_now_;
};

}  // namespace

int main(int argc, char** argv) {
  const int version = rbdl_get_api_version();  // one byte each for major, minor, patch
  const auto part = [&](int shift) { return std::to_string((version >> shift) & 255); };
  return peers::run<Library>(argc, argv, "RBDL " + part(16) + '.' + part(8) + '.' + part(0));
}
