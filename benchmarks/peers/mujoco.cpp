// SPDX-License-Identifier: BSD-3-Clause
// MuJoCo. Without contacts and constraints; aba is mj_forward, rnea is mj_inverse, step is mj_step by its Euler method.
#include <mujoco/mujoco.h>

#include <cstring>
#include <sstream>

#include "eigen.hpp"
#include "run.hpp"

namespace {

template <class Numbers>
std::string text(const Numbers& numbers) {
  std::ostringstream out;
  out.precision(17);
  for (const double x : numbers) out << x << ' ';
  return out.str();
}

std::string body(const peers::Tree& tree, std::size_t i) {
  const peers::Link& link = tree.links[i];
  const Eigen::Quaterniond rotation(peers::rotation(link));
  std::string xml = "<body pos=\"" + text(link.position) + "\" quat=\"" +
                    text(std::array{rotation.w(), rotation.x(), rotation.y(), rotation.z()}) + "\"><inertial mass=\"" +
                    text(std::array{link.mass}) + "\" pos=\"" + text(link.com) + "\" fullinertia=\"" + text(link.inertia) + "\"/>";
  if (link.joint == "floating") xml += "<freejoint/>";
  if (link.joint == "ball") xml += "<joint type=\"ball\"/>";
  if (link.joint == "revolute" || link.joint == "universal") xml += "<joint axis=\"" + text(link.axis) + "\"/>";
  if (link.joint == "universal") xml += "<joint axis=\"" + text(link.axis2) + "\"/>";
  for (std::size_t k = i + 1; k < tree.links.size(); ++k) {
    if (tree.links[k].parent == static_cast<int>(i)) xml += body(tree, k);
  }
  return xml + "</body>";
}

mjModel* make(const peers::Tree& tree) {
  const std::string xml = "<mujoco><compiler angle=\"radian\"/><option timestep=\"" + text(std::array{peers::time_step}) + "\" gravity=\"" +
                          text(tree.gravity) + "\"><flag contact=\"disable\" constraint=\"disable\"/></option><worldbody>" + body(tree, 0) +
                          "</worldbody></mujoco>";
  mjVFS files;  // the model as a file in memory
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "tree.xml", static_cast<int>(xml.size()));
  std::memcpy(files.filedata[files.nfile - 1], xml.data(), xml.size());
  std::array<char, 1000> error{};
  mjModel* model = mj_loadXML("tree.xml", &files, error.data(), static_cast<int>(error.size()));
  mj_deleteVFS(&files);
  if (model == nullptr) throw peers::Unsupported(error.data());
  return model;
}

class Library {
 public:
  explicit Library(const peers::Tree& tree) : model_(make(tree)), data_(mj_makeData(model_)), floating_(tree.links[0].joint == "floating") {
    for (std::size_t k = 0; k < 2; ++k) {
      q_[k].assign(static_cast<std::size_t>(model_->nq), 0);
      v_[k].assign(static_cast<std::size_t>(model_->nv), 0);
    }
    a_ = v_[0];
    std::size_t at_q = 0, at_v = 0;  // bodies keep their order: each is followed by its subtree
    for (const peers::Link& link : tree.links) {
      const auto nv = static_cast<std::size_t>(link.freedoms());
      for (std::size_t k = 0; k < 2; ++k) {
        std::copy_n(link.q[k].begin(), nv, q_[k].begin() + static_cast<long>(at_q));
        std::copy_n(link.v[k].begin(), nv, v_[k].begin() + static_cast<long>(at_v));
        if (nv >= 3) {
          const Eigen::Quaterniond r = peers::quaternion(link, k);
          const std::array wxyz{r.w(), r.x(), r.y(), r.z()};
          std::copy(wxyz.begin(), wxyz.end(), q_[k].begin() + static_cast<long>(at_q + nv - 3));
        }
        if (nv == 6) floating_rates(peers::velocity_in_world(link, k), link.v[k], v_[k]);
      }
      std::copy_n(link.a.begin(), nv, a_.begin() + static_cast<long>(at_v));
      if (nv == 6) floating_rates(peers::acceleration_in_world(link), link.a, a_);
      at_q += nv + (nv >= 3 ? 1 : 0);
      at_v += nv;
    }
  }
  ~Library() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Library(const Library&) = delete;

  void use(int k) {
    const auto& q = q_[static_cast<std::size_t>(k)];
    const auto& v = v_[static_cast<std::size_t>(k)];
    std::copy(q.begin(), q.end(), data_->qpos);
    std::copy(v.begin(), v.end(), data_->qvel);
  }
  void aba() { mj_forward(model_, data_); }
  void rnea() {
    std::copy(a_.begin(), a_.end(), data_->qacc);
    mj_inverse(model_, data_);
  }
  void restart() { use(0); }
  void step() { mj_step(model_, data_); }
  double accelerations() const { return norm(data_->qacc); }
  double forces() const { return norm(data_->qfrc_inverse); }
  double velocities() const { return norm(data_->qvel); }

 private:
  double norm(const double* x) const {
    const int linear = floating_ ? 3 : 0;
    return Eigen::Map<const Eigen::VectorXd>(x + linear, model_->nv - linear).norm();
  }
  /// Writes the six entries of a floating joint, which is the first: linear in the world, angular in the body.
  static void floating_rates(const Eigen::Vector3d& linear, const std::array<double, 6>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < 3; ++k) to[k] = linear[static_cast<long>(k)], to[3 + k] = from[k];
  }

  mjModel* model_;
  mjData* data_;
  bool floating_;
  std::array<std::vector<double>, 2> q_, v_;
  std::vector<double> a_;
};

}  // namespace

int main(int argc, char** argv) { return peers::run<Library>(argc, argv, std::string("MuJoCo ") + mj_versionString()); }
