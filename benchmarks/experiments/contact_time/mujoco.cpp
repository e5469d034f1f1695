// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <cmath>
#include <sstream>

#include "support/mjcf.hpp"
#include "support/mujoco_racer.hpp"

namespace contact_time {

std::unique_ptr<experiments::Racer> mujoco_racer(const experiments::Mujoco& mujoco, const actio::Model<double>& model,
                                                 const actio::State<double>& start, const MujocoScene& scene) {
  std::ostringstream mjcf;
  const auto bodies = static_cast<std::size_t>(model.num_bodies());
  mjcf << "<mujoco><compiler angle='radian'/>" << mujoco.size(4 * bodies + 16, 8 * bodies + 100) << "<option timestep='" << scene.h
       << "' gravity='0 0 " << -g << "' cone='" << (scene.elliptic ? "elliptic" : "pyramidal") << "' jacobian='"
       << (scene.sparse ? "sparse" : "dense") << "'/><default><geom friction='"
       << friction << "' contype='1' conaffinity='" << (scene.between_bodies ? 1 : 0) << "'/></default>"
       << "<worldbody><geom type='plane' size='50 50 1' contype='0' conaffinity='1'/>";
  experiments::write_mjcf_bodies(mjcf, model);
  mjcf << "</worldbody></mujoco>\n";
  std::unique_ptr<experiments::MujocoScene> read = mujoco.read(mjcf.str());
  if (read == nullptr) return nullptr;
  return std::make_unique<experiments::MujocoRacer>(std::move(read), model, start, static_cast<int>(std::lround(scene.settle / scene.h)));
}

}  // namespace contact_time
