// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#ifdef EXPERIMENTS_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <ostream>

#include "support/mjcf.hpp"

namespace net_beside_mujoco {
namespace {

using Numbers = experiments::MjcfNumbers;

void write_mjcf(std::ostream& file, const Model& model, double h, const MujocoSettings& settings) {
  file.imbue(std::locale::classic());
  file << std::setprecision(17) << "<mujoco><size njmax='" << 3 * model.loops().size() + 10 << "'/><option timestep='" << h << "' gravity='"
       << Numbers{model.gravity()} << "' integrator='" << (settings.rk4 ? "RK4" : "Euler") << "' solver='"
       << (settings.newton ? "Newton" : "CG") << "' iterations='" << settings.iterations << "' tolerance='" << settings.tolerance
       << "'><flag contact='disable'/></option>\n<worldbody>\n";
  experiments::write_mjcf_bodies(file, model);
  file << "</worldbody>\n<equality>\n";
  for (const actio::Loop<double>& loop : model.loops()) {
    if (!loop.active) continue;
    // The anchor on the second body is at the first one's in the pose of the file, in which the net is closed.
    file << "<connect body1='" << model.body_name(loop.body_a) << "' body2='" << model.body_name(loop.body_b) << "' anchor='"
         << Numbers{loop.T_A.p} << "' solref='" << settings.timeconst << " 1' solimp='" << settings.least << ' ' << settings.most
         << " 0.001'/>\n";
  }
  file << "</equality></mujoco>\n";
}

class MujocoRacer final : public experiments::Racer {
 public:
  MujocoRacer(mjModel* model, const State& start) : model_(model), data_(mj_makeData(model)), start_(start.q), q_(start.q) {}
  ~MujocoRacer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void restart() override {
    mj_resetData(model_, data_);
    for (Eigen::Index k = 0; k < start_.size(); ++k) data_->qpos[theirs(k)] = start_[k];
    read();
  }
  void run(int steps, experiments::Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      mj_step(model_, data_);
#if mjVERSION_HEADER < 300
      lap.iterations += data_->solver_iter;
#else
      lap.iterations += data_->solver_niter[0];  // of the first island: the net is one
#endif
      if (data_->warning[mjWARN_BADQPOS].number + data_->warning[mjWARN_BADQVEL].number + data_->warning[mjWARN_BADQACC].number > 0) {
        lap.end = actio::Status::not_finite;  // it has been reset
        return;
      }
      ++lap.steps;
    }
    read();
  }
  const actio::VectorX<double>& configuration() const override { return q_; }

 private:
  static Eigen::Index theirs(Eigen::Index ours) { return ours % 4 == 3 ? ours - 3 : ours + 1; }  // w comes first
  void read() {
    for (Eigen::Index k = 0; k < q_.size(); ++k) q_[k] = data_->qpos[theirs(k)];
  }

  mjModel* model_;
  mjData* data_;
  actio::VectorX<double> start_, q_;
};

}  // namespace

bool has_mujoco() { return true; }

Made mujoco(const Model& model, const State& start, double h, const MujocoSettings& settings) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "actio_net_beside_mujoco.xml";
  {
    std::ofstream file(path);
    write_mjcf(file, model, h, settings);
  }
  std::array<char, 1000> error{};
  mjModel* const read = mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(path);
  if (read == nullptr) {
    std::cerr << "MuJoCo refuses the net: " << error.data() << '\n';
    return nullptr;
  }
  return std::make_unique<MujocoRacer>(read, start);
}

}  // namespace net_beside_mujoco

#else

namespace net_beside_mujoco {

bool has_mujoco() { return false; }
Made mujoco(const Model&, const State&, double, const MujocoSettings&) { return nullptr; }

}  // namespace net_beside_mujoco

#endif
