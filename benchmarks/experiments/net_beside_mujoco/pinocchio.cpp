// SPDX-License-Identifier: BSD-3-Clause
#include "pinocchio.hpp"

#ifdef EXPERIMENTS_HAVE_PINOCCHIO

#define PINOCCHIO_DISABLE_UNSUPPORTED_WARNINGS
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

// Pinocchio's data contain four tensors of nv^3 entries for second derivatives, 127 GB for 16 x 16 squares. In this file they are empty.
template <>
class Eigen::Tensor<double, 3, 0, Eigen::Index> {
 public:
  Tensor() = default;
  Tensor(Index, Index, Index) {}
  void setZero() {}
};

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/config.hpp>

#include <concepts>
#include <utility>
#include <vector>

#include "actio/io/peers.hpp"

namespace net_beside_mujoco {
namespace {

namespace pin = ::pinocchio;
using actio::BodyIndex;

pin::SE3 se3(const actio::Pose<double>& T) { return {T.R, T.p}; }

pin::Model bodies_of(const Model& model) {
  pin::Model theirs;
  theirs.gravity = pin::Motion(model.gravity(), actio::Vector3<double>::Zero());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    actio::visit_joint(model, i, [&]<class J>(const J&) {
      if constexpr (!std::same_as<J, actio::Spherical<double>>) {
        throw actio::ModelError("in_pinocchio: joint '" + model.joint_name(i) + "' is not a ball");
      }
    });
    const actio::Inertia<double>& G = model.inertia(i);
    const auto parent = static_cast<pin::JointIndex>(model.parent(i));
    const pin::JointIndex joint = theirs.addJoint(parent, pin::JointModelSpherical(), se3(model.placement(i)), model.joint_name(i));
    theirs.appendBodyToJoint(joint, pin::Inertia(G.mass, G.com, G.I_com), pin::SE3::Identity());
  }
  return theirs;
}

class PinocchioRacer final : public experiments::Racer {
 public:
  PinocchioRacer(const Model& model, const State& start, double h, const PinocchioSettings& settings)
      : model_(model),
        layout_(model_, actio::peers::pinocchio),
        bodies_(bodies_of(model)),
        data_(bodies_),
        start_(layout_.to_peer(start)),
        now_(start_),
        next_(start_),
        step_(start_.v),
        tau_(Eigen::VectorXd::Zero(bodies_.nv)),
        h_(h),
        recursive_(settings.recursive),
        proximal_(settings.accuracy, 0, settings.mu, settings.iterations) {
    for (const actio::Loop<double>& loop : model.loops()) {
      if (!loop.active) continue;
      if (loop.type != actio::LoopType::ball) throw actio::ModelError("in_pinocchio: loop '" + loop.name + "' is not of points");
      const auto a = static_cast<pin::JointIndex>(loop.body_a), b = static_cast<pin::JointIndex>(loop.body_b);
      constraints_.emplace_back(pin::CONTACT_3D, bodies_, a, se3(loop.T_A), b, se3(loop.T_B), pin::LOCAL);
      constraints_.back().m_baumgarte_parameters.Kp = 1 / (h * h);  // with these gains one step removes a gap, but for its curvature
      constraints_.back().m_baumgarte_parameters.Kd = 1 / h;
      constraint_data_.emplace_back(constraints_.back());
    }
    if (constraints_.empty()) return;
    if (recursive_) pin::computeJointMinimalOrdering(bodies_, data_, constraints_);
    else pin::initConstraintDynamics(bodies_, data_, constraints_, constraint_data_);
  }

  void restart() override {
    now_ = start_;
    state_ = layout_.from_peer(now_);
  }
  void run(int steps, experiments::Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      next_.v = now_.v + h_ * acceleration();
      step_ = h_ * next_.v;
      pin::integrate(bodies_, now_.q, step_, next_.q);
      if (!(next_.v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() < largest_speed)) {  // before quaternions are not numbers
        lap.end = actio::Status::not_finite;
        break;
      }
      std::swap(now_, next_);
      lap.iterations += constraints_.empty() ? 0 : proximal_.iter;
      ++lap.evaluations;
      ++lap.steps;
    }
    state_ = layout_.from_peer(now_);
  }
  const actio::VectorX<double>& configuration() const override { return state_.q; }
  actio::Status read(State& state) override {
    state = state_;
    return actio::Status::converged;
  }

 private:
  static constexpr double largest_speed = 1e6;  // [rad/s]

  const Eigen::VectorXd& acceleration() {
    if (constraints_.empty()) return pin::aba(bodies_, data_, now_.q, now_.v, tau_);
    if (!recursive_) return pin::constraintDynamics(bodies_, data_, now_.q, now_.v, tau_, constraints_, constraint_data_, proximal_);
    set_errors();
    return pin::lcaba(bodies_, data_, now_.q, now_.v, tau_, constraints_, constraint_data_, proximal_);
  }

  /// Computes the errors of the loops: `lcaba` of version 4.1.0 reads those of points, but leaves their computation to the caller.
  void set_errors() {
    pin::forwardKinematics(bodies_, data_, now_.q, now_.v);
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      const auto& c = constraints_[k];
      const pin::SE3 T_W1 = data_.oMi[c.joint1_id] * c.joint1_placement, T_W2 = data_.oMi[c.joint2_id] * c.joint2_placement;
      const Eigen::Vector3d v_1 = T_W1.rotation() * c.joint1_placement.actInv(data_.v[c.joint1_id]).linear(),
                            v_2 = T_W2.rotation() * c.joint2_placement.actInv(data_.v[c.joint2_id]).linear();
      constraint_data_[k].contact_placement_error.linear() = T_W1.rotation().transpose() * (T_W1.translation() - T_W2.translation());
      constraint_data_[k].contact_velocity_error.linear() = T_W1.rotation().transpose() * (v_1 - v_2);
    }
  }

  Model model_;
  actio::PeerLayout<Model> layout_;
  pin::Model bodies_;
  pin::Data data_;
  actio::PeerState<double> start_, now_, next_;
  Eigen::VectorXd step_, tau_;
  double h_;
  bool recursive_;
  pin::ProximalSettings proximal_;
  std::vector<pin::RigidConstraintModel, Eigen::aligned_allocator<pin::RigidConstraintModel>> constraints_;
  std::vector<pin::RigidConstraintData, Eigen::aligned_allocator<pin::RigidConstraintData>> constraint_data_;
  State state_;
};

}  // namespace

std::string pinocchio_version() { return PINOCCHIO_VERSION; }

Made in_pinocchio(const Model& model, const State& start, double h, const PinocchioSettings& settings) {
  return std::make_unique<PinocchioRacer>(model, start, h, settings);
}

}  // namespace net_beside_mujoco

#else

namespace net_beside_mujoco {

std::string pinocchio_version() { return {}; }
Made in_pinocchio(const Model&, const State&, double, const PinocchioSettings&) { return nullptr; }

}  // namespace net_beside_mujoco

#endif
