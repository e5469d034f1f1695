// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#ifdef EXPERIMENTS_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "actio/io/peers.hpp"
#include "support/mjcf.hpp"

namespace contact_time {
namespace {

class MujocoRacer final : public experiments::Racer {
 public:
  MujocoRacer(mjModel* model, const actio::PeerState<double>& start, int settle)
      : model_(model), data_(mj_makeData(model)), start_(mj_makeData(model)), q_(start.q) {
    for (Eigen::Index k = 0; k < start.q.size(); ++k) start_->qpos[k] = start.q[k];
    for (Eigen::Index k = 0; k < start.v.size(); ++k) start_->qvel[k] = start.v[k];
    for (int k = 0; k < settle; ++k) mj_step(model_, start_);
  }
  ~MujocoRacer() override {
    mj_deleteData(start_);
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void restart() override { mj_copyData(data_, model_, start_); }
  void run(int steps, experiments::Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      mj_step(model_, data_);
      for (const mjtWarning warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
        if (data_->warning[warning].number > 0) lap.end = actio::Status::not_finite;
      }
      if (lap.end != actio::Status::converged) return;
      ++lap.steps;
    }
    for (Eigen::Index k = 0; k < q_.size(); ++k) q_[k] = data_->qpos[k];
  }
  const actio::VectorX<double>& configuration() const override { return q_; }  // in MuJoCo's layout

 private:
  mjModel* model_;
  mjData *data_, *start_;
  actio::VectorX<double> q_;
};

}  // namespace

bool has_mujoco() { return true; }
std::string mujoco_version() { return mj_versionString(); }

std::unique_ptr<experiments::Racer> mujoco(const actio::Model<double>& model, const actio::State<double>& start, const MujocoScene& scene) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "actio_contact_time.xml";
  {
    std::ofstream file(path);
    const auto bodies = model.num_bodies();
    file << "<mujoco><compiler angle='radian'/>";
    if constexpr (mjVERSION_HEADER < 300) file << "<size nconmax='" << 8 * bodies << "' njmax='" << 32 * bodies << "'/>";
    else file << "<size memory='500M'/>";
    file << "<option timestep='" << scene.h
         << "' gravity='0 0 " << -g << "' cone='" << (scene.elliptic ? "elliptic" : "pyramidal") << "'/><default><geom friction='" << friction
         << "' contype='1' conaffinity='" << (scene.between_bodies ? 1 : 0) << "'/></default><worldbody><geom type='plane' size='50 50 1' "
         << "contype='0' conaffinity='1'/>";
    experiments::write_mjcf_bodies(file, model);
    file << "</worldbody></mujoco>\n";
  }
  std::array<char, 1000> error{};
  mjModel* const read = mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(path);
  if (read == nullptr) {
    std::cerr << "MuJoCo refuses the scene: " << error.data() << '\n';
    return nullptr;
  }
  const actio::PeerLayout layout(model, actio::peers::mujoco);
  return std::make_unique<MujocoRacer>(read, layout.to_peer(start), static_cast<int>(std::lround(scene.settle / scene.h)));
}

}  // namespace contact_time

#else

namespace contact_time {

bool has_mujoco() { return false; }
std::string mujoco_version() { return {}; }
std::unique_ptr<experiments::Racer> mujoco(const actio::Model<double>&, const actio::State<double>&, const MujocoScene&) { return nullptr; }

}  // namespace contact_time

#endif
