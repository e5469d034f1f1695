// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#ifdef EXPERIMENTS_HAVE_MUJOCO

#include <cmath>
#include <sstream>

#include "support/mjcf.hpp"
#include "support/mujoco.hpp"

namespace contact_time {

bool has_mujoco() { return true; }
std::string mujoco_version() { return mj_versionString(); }

std::unique_ptr<experiments::Racer> mujoco(const actio::Model<double>& model, const actio::State<double>& start, const MujocoScene& scene) {
  std::ostringstream mjcf;
  const auto bodies = model.num_bodies();
  mjcf << "<mujoco><compiler angle='radian'/>";
  if constexpr (mjVERSION_HEADER < 300) mjcf << "<size nconmax='" << 8 * bodies << "' njmax='" << 32 * bodies << "'/>";
  else mjcf << "<size memory='500M'/>";
  mjcf << "<option timestep='" << scene.h << "' gravity='0 0 " << -g << "' cone='" << (scene.elliptic ? "elliptic" : "pyramidal")
       << "'/><default><geom friction='" << friction << "' contype='1' conaffinity='" << (scene.between_bodies ? 1 : 0)
       << "'/></default><worldbody><geom type='plane' size='50 50 1' contype='0' conaffinity='1'/>";
  experiments::write_mjcf_bodies(mjcf, model);
  mjcf << "</worldbody></mujoco>\n";
  std::unique_ptr<experiments::Mujoco> read = experiments::Mujoco::read(mjcf.str());
  if (read == nullptr) return nullptr;
  return std::make_unique<experiments::MujocoRacer>(std::move(read), model, start, static_cast<int>(std::lround(scene.settle / scene.h)));
}

}  // namespace contact_time

#else

namespace contact_time {

bool has_mujoco() { return false; }
std::string mujoco_version() { return {}; }
std::unique_ptr<experiments::Racer> mujoco(const actio::Model<double>&, const actio::State<double>&, const MujocoScene&) { return nullptr; }

}  // namespace contact_time

#endif
