// SPDX-License-Identifier: BSD-3-Clause
// Pinocchio, by its headers.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "eigen.hpp"
#include "run.hpp"

namespace {

namespace pin = pinocchio;

pin::JointModel joint_of(const peers::Link& link) {
  const Eigen::Vector3d axis = peers::vector(link.axis);
  if (link.joint == "floating") return pin::JointModelFreeFlyer();
  if (link.joint == "ball") return pin::JointModelSpherical();
  if (link.joint == "universal") return pin::JointModelUniversal(axis, peers::vector(link.axis2));
  if (axis == Eigen::Vector3d::UnitX()) return pin::JointModelRX();
  if (axis == Eigen::Vector3d::UnitY()) return pin::JointModelRY();
  if (axis == Eigen::Vector3d::UnitZ()) return pin::JointModelRZ();
  return pin::JointModelRevoluteUnaligned(axis);
}

class Library {
 public:
  explicit Library(const peers::Tree& tree) : model_(make(tree)), data_(model_), floating_(tree.links[0].joint == "floating") {
    a_ = tau_ = Eigen::VectorXd::Zero(model_.nv);
    for (std::size_t k = 0; k < 2; ++k) {
      q_[k] = Eigen::VectorXd::Zero(model_.nq);
      v_[k] = Eigen::VectorXd::Zero(model_.nv);
    }
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      const peers::Link& link = tree.links[i];
      const int q = model_.joints[i + 1].idx_q(), nq = model_.joints[i + 1].nq(), v = model_.joints[i + 1].idx_v();
      const int nv = link.freedoms();
      const auto swapped = [&](const std::array<double, 6>& x) {  // the linear part is first
        Eigen::VectorXd y = peers::vector(x);
        if (nv == 6) y << peers::vector(x).tail<3>(), peers::vector(x).head<3>();
        return y;
      };
      for (std::size_t k = 0; k < 2; ++k) {
        q_[k].segment(q, nq) = peers::vector(link.q[k]).head(nq);
        v_[k].segment(v, nv) = swapped(link.v[k]).head(nv);
      }
      a_.segment(v, nv) = swapped(link.a).head(nv);
    }
    // Its two forms of ABA take different times, which depends on compiler and model. The faster one is measured.
    const auto time = [&] { return peers::nanoseconds([&](int k) { use(k % 2), aba(); }, 0.02); };
    const double local = time();
    convention_ = pin::Convention::WORLD;
    if (local < time()) convention_ = pin::Convention::LOCAL;
  }

  void use(int k) { k_ = static_cast<std::size_t>(k); }
  void aba() { pin::aba(model_, data_, q_[k_], v_[k_], tau_, convention_); }
  void rnea() { pin::rnea(model_, data_, q_[k_], v_[k_], a_); }
  void restart() { q_now_ = q_[0], v_now_ = v_[0], step_ = v_[0]; }
  void step() {
    v_now_ += peers::time_step * pin::aba(model_, data_, q_now_, v_now_, tau_, convention_);
    step_ = peers::time_step * v_now_;
    pin::integrate(model_, q_now_, step_, q_next_);
    q_now_.swap(q_next_);
  }
  double accelerations() const { return data_.ddq.tail(data_.ddq.size() - (floating_ ? 3 : 0)).norm(); }
  double forces() const { return data_.tau.tail(data_.tau.size() - (floating_ ? 3 : 0)).norm(); }
  double velocities() const { return v_now_.tail(v_now_.size() - (floating_ ? 3 : 0)).norm(); }

 private:
  static pin::Model make(const peers::Tree& tree) {
    pin::Model model;
    model.gravity.linear(peers::vector(tree.gravity));
    for (const peers::Link& link : tree.links) {
      const auto parent = static_cast<pin::JointIndex>(link.parent + 1);
      const pin::SE3 placement(peers::rotation(link), peers::vector(link.position));
      const pin::JointIndex joint = model.addJoint(parent, joint_of(link), placement, "joint_" + std::to_string(model.njoints));
      model.appendBodyToJoint(joint, pin::Inertia(link.mass, peers::vector(link.com), peers::inertia(link)), pin::SE3::Identity());
    }
    if (model.nv > 400) throw peers::Unsupported("the workspace has tensors of nv^3 numbers: too large");
    return model;
  }

  pin::Model model_;
  pin::Data data_;
  bool floating_;
  pin::Convention convention_ = pin::Convention::LOCAL;
  std::size_t k_ = 0;
  std::array<Eigen::VectorXd, 2> q_, v_;
  Eigen::VectorXd a_, tau_, q_now_, q_next_ = Eigen::VectorXd::Zero(model_.nq), v_now_, step_;
};

}  // namespace

int main(int argc, char** argv) { return peers::run<Library>(argc, argv, "Pinocchio " PINOCCHIO_VERSION); }
