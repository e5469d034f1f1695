// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Scenes in MuJoCo, for the files of experiments that are compiled with it.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "actio/io/peers.hpp"
#include "support/race.hpp"

namespace experiments {

/// A model with its data.
class Mujoco {
 public:
  /// @param mjcf text of the model.  @returns null if MuJoCo refuses it, and says why on stderr.
  static std::unique_ptr<Mujoco> read(const std::string& mjcf) {
    // A file, because versions differ in how they read from memory.
    const auto file = std::filesystem::temp_directory_path() / ("actio_" + std::to_string(std::hash<std::string>()(mjcf)) + ".xml");
    std::ofstream(file) << mjcf;
    std::array<char, 1000> error{};
    mjModel* const model = mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
    std::filesystem::remove(file);
    if (model != nullptr) return std::unique_ptr<Mujoco>(new Mujoco(model));
    std::cerr << "MuJoCo refuses the scene: " << error.data() << '\n';
    return nullptr;
  }

  const mjModel& model() const { return *model_; }
  mjData& data() { return *data_; }
  mjtNum* q() { return data_->qpos; }
  mjtNum* v() { return data_->qvel; }

  /// @returns false if the state was not finite, when MuJoCo resets it, or if there was no room for contacts or rows.
  bool step() {
    mj_step(model_.get(), data_.get());
    for (const mjtWarning warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
      if (data_->warning[warning].number > 0) return false;
    }
    return true;
  }
  /// Returns the energy without that of contacts [J].  @pre the model enables `energy`.
  double energy() {
    mj_forward(model_.get(), data_.get());
    return data_->energy[0] + data_->energy[1];
  }
  void save() { saved_.reset(mj_copyData(nullptr, model_.get(), data_.get())); }
  void restore() { mj_copyData(data_.get(), model_.get(), saved_.get()); }  ///< the data at the last save()
  /// Returns how many iterations the last step took; with several islands those of the first.
  int iterations() const {
#if mjVERSION_HEADER < 300
    return data_->solver_iter;
#else
    return data_->solver_niter[0];
#endif
  }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  explicit Mujoco(mjModel* model) : model_(model), data_(mj_makeData(model)) {}

  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_, saved_;
};

/// A scene with the bodies of one of our models, as write_mjcf_bodies() writes them.
class MujocoRacer final : public Racer {
 public:
  /// @param settle number of steps in which the scene comes to rest before the motion starts.
  MujocoRacer(std::unique_ptr<Mujoco> scene, actio::Model<double> model, const actio::State<double>& start, int settle = 0)
      : model_(std::move(model)), layout_(model_, actio::peers::mujoco), scene_(std::move(scene)) {
    const actio::PeerState<double> theirs = layout_.to_peer(start);
    std::copy(theirs.q.begin(), theirs.q.end(), scene_->q());
    std::copy(theirs.v.begin(), theirs.v.end(), scene_->v());
    for (int k = 0; k < settle; ++k) scene_->step();
    scene_->save();
  }

  void restart() override {
    scene_->restore();
    fetch();
  }
  void run(int steps, Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      if (!scene_->step()) {
        lap.end = actio::Status::not_finite;
        return;
      }
      lap.iterations += scene_->iterations();
      ++lap.steps;
    }
    fetch();
  }
  const actio::VectorX<double>& configuration() const override { return state_.q; }
  actio::Status read(actio::State<double>& state) override {
    state = state_;
    return actio::Status::converged;
  }

 private:
  void fetch() {
    state_ = layout_.from_peer({Eigen::Map<const actio::VectorX<double>>(scene_->q(), layout_.nq()),
                                Eigen::Map<const actio::VectorX<double>>(scene_->v(), layout_.nv())});
  }

  actio::Model<double> model_;
  actio::PeerLayout<actio::Model<double>> layout_;
  std::unique_ptr<Mujoco> scene_;
  actio::State<double> state_;
};

}  // namespace experiments
