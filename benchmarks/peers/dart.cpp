// SPDX-License-Identifier: BSD-3-Clause
// DART.
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>

#include "eigen.hpp"
#include "run.hpp"

namespace {

namespace dyn = dart::dynamics;

class Library {
 public:
  explicit Library(const peers::Tree& tree) : skeleton_(dyn::Skeleton::create()), floating_(tree.links[0].joint == "floating") {
    if (tree.links.size() > 400) throw peers::Unsupported("it takes half a minute to build the model: too large");
    skeleton_->setGravity(peers::vector(tree.gravity));
    skeleton_->setTimeStep(peers::time_step);
    for (const peers::Link& link : tree.links) add(link);
    const auto n = static_cast<Eigen::Index>(skeleton_->getNumDofs());
    for (std::size_t k = 0; k < 2; ++k) q_[k] = v_[k] = a_ = Eigen::VectorXd::Zero(n);
    Eigen::Index at = 0;  // bodies keep their order: each is followed by its subtree
    for (const peers::Link& link : tree.links) {
      const int nv = link.freedoms();
      for (std::size_t k = 0; k < 2; ++k) {
        if (nv < 3) {
          q_[k].segment(at, nv) = peers::vector(link.q[k]).head(nv);
        } else {
          q_[k].segment<3>(at) = dart::math::logMap(peers::quaternion(link, k).toRotationMatrix());
          if (nv == 6) q_[k].segment<3>(at + 3) = peers::vector(link.q[k]).head<3>();
        }
        v_[k].segment(at, nv) = peers::vector(link.v[k]).head(nv);
      }
      a_.segment(at, nv) = peers::vector(link.a).head(nv);
      at += nv;
    }
  }

  void use(int k) {
    skeleton_->setPositions(q_[static_cast<std::size_t>(k)]);
    skeleton_->setVelocities(v_[static_cast<std::size_t>(k)]);
  }
  void aba() { skeleton_->computeForwardDynamics(); }
  void rnea() {
    skeleton_->setAccelerations(a_);
    skeleton_->computeInverseDynamics();
  }
  void restart() { use(0), skeleton_->resetGeneralizedForces(); }
  void step() {
    skeleton_->computeForwardDynamics();
    skeleton_->integrateVelocities(peers::time_step);
    skeleton_->integratePositions(peers::time_step);
  }
  double accelerations() const { return norm(skeleton_->getAccelerations()); }
  double forces() const { return norm(skeleton_->getForces()); }
  double velocities() const { return norm(skeleton_->getVelocities()); }

 private:
  void add(const peers::Link& link) {
    dyn::Joint* joint = nullptr;
    if (link.joint == "floating") joint = add<dyn::FreeJoint>(link);
    else if (link.joint == "ball") joint = add<dyn::BallJoint>(link);
    else if (link.joint == "revolute") {
      auto* revolute = add<dyn::RevoluteJoint>(link);
      revolute->setAxis(peers::vector(link.axis));
      joint = revolute;
    } else {
      auto* universal = add<dyn::UniversalJoint>(link);
      universal->setAxis1(peers::vector(link.axis));
      universal->setAxis2(peers::vector(link.axis2));
      joint = universal;
    }
    Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();
    placement.linear() = peers::rotation(link);
    placement.translation() = peers::vector(link.position);
    joint->setTransformFromParentBodyNode(placement);
  }
  template <class Joint>
  Joint* add(const peers::Link& link) {
    dyn::BodyNode* parent = link.parent < 0 ? nullptr : skeleton_->getBodyNode(static_cast<std::size_t>(link.parent));
    const std::string number = std::to_string(skeleton_->getNumBodyNodes());
    typename Joint::Properties properties;
    properties.mName = "joint_" + number;  // it reports names that it has to invent
    const dyn::BodyNode::AspectProperties named("body_" + number);
    const auto [joint, body] = skeleton_->createJointAndBodyNodePair<Joint>(parent, properties, named);
    body->setInertia(dyn::Inertia(link.mass, peers::vector(link.com), peers::inertia(link)));
    return joint;
  }

  /// A floating joint is the first, with its angular part before the linear one.
  double norm(Eigen::VectorXd x) const {
    if (floating_) x.segment<3>(3).setZero();
    return x.norm();
  }

  dyn::SkeletonPtr skeleton_;
  bool floating_;
  std::array<Eigen::VectorXd, 2> q_, v_;
  Eigen::VectorXd a_;
};

}  // namespace

int main(int argc, char** argv) { return peers::run<Library>(argc, argv, "DART " DART_VERSION); }
