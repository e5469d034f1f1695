// SPDX-License-Identifier: BSD-3-Clause
// Scenes in one version of MuJoCo. This file is compiled once for each version.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "support/mujoco.hpp"

namespace {

static_assert(std::is_same_v<mjtNum, double>);

class Scene final : public experiments::MujocoScene {
 public:
  explicit Scene(mjModel* model) : model_(model), data_(mj_makeData(model)) {
#if mjVERSION_HEADER >= 3000000  // 3.10 or later
    model_->opt.disableflags |= mjDSBL_ISLAND;  // to solve islands of constraints separately has made no scene here faster on one thread
#endif
  }

  double* q() override { return data_->qpos; }
  double* v() override { return data_->qvel; }
  int nv() const override { return static_cast<int>(model_->nv); }
  bool step() override {
    mj_step(model_.get(), data_.get());
    for (const mjtWarning warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
      if (data_->warning[warning].number > 0) return false;
    }
    return true;
  }
  double energy() override {
    mj_forward(model_.get(), data_.get());
    return data_->energy[0] + data_->energy[1];
  }
  void save() override { saved_.reset(mj_copyData(nullptr, model_.get(), data_.get())); }
  void restore() override { mj_copyData(data_.get(), model_.get(), saved_.get()); }
  int iterations() const override {
#if mjVERSION_HEADER < 300
    return data_->solver_iter;
#else
    return *std::max_element(data_->solver_niter, data_->solver_niter + std::clamp(data_->nisland, 1, mjNISLAND));
#endif
  }
  int contacts() const override { return data_->ncon; }
  double distance(int contact) const override { return data_->contact[contact].dist; }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_, saved_;
};

experiments::MujocoScene* read(const std::string& mjcf, std::string& reason) {
  // A file, because versions differ in how they read from memory.
  const auto file = std::filesystem::temp_directory_path() / ("actio_" + std::to_string(std::hash<std::string>()(mjcf)) + ".xml");
  std::ofstream(file) << mjcf;
  std::array<char, 1000> error{};
  mjModel* const model = mj_loadXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(file);
  if (model != nullptr) return new Scene(model);
  reason = error.data();
  return nullptr;
}

}  // namespace

extern "C" const experiments::MujocoModule actio_mujoco_module{mj_versionString, read};
