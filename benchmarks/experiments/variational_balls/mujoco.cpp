// SPDX-License-Identifier: BSD-3-Clause
// The scenes in MuJoCo, which has no restitution: contacts are springs without dampers, as stiff as the step resolves, h omega = 0.2, and
// steps are Runge-Kutta's of order 4.
#include "runs.hpp"

#ifdef EXPERIMENTS_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "support/cpu_time.hpp"

namespace variational_balls {

bool has_mujoco() { return true; }
std::string mujoco_version() { return mj_versionString(); }

std::optional<Run> run_mujoco(const Scene& scene) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "actio_variational_balls.xml";
  {
    std::ofstream file(path);
    file.precision(17);
    const double omega = 0.2 / scene.h;
    file << "<mujoco><size nconmax='" << 10 * scene.centres.size() << "' njmax='" << 10 * scene.centres.size() << "'/><option timestep='" << scene.h
         << "' gravity='0 0 " << -g << "' integrator='RK4' tolerance='1e-15' iterations='200'><flag energy='enable'/></option>"
         << "<default><geom condim='1' solimp='0.9999 0.9999 1e-3' solref='" << -omega * omega << " 0'/></default>"
         << "<worldbody><geom type='plane' size='50 50 1'/>";
    for (const auto& [x, y, z] : scene.centres) {
      file << "<body pos='" << x << ' ' << y << ' ' << z << "'><freejoint/><geom type='sphere' size='" << radius << "' mass='" << mass << "'/></body>";
    }
    file << "</worldbody></mujoco>";
  }
  std::array<char, 1000> error{};
  mjModel* const model = mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(path);
  if (model == nullptr) return {};
  mjData* const data = mj_makeData(model);
  // Without the energy of the springs, which is not known: impacts show as peaks.
  const auto energy = [&] {
    mj_forward(model, data);
    return data->energy[0] + data->energy[1];
  };
  Run run;
  run.start = energy();
  bool complete = true;
  for (int k = 0; complete && k < std::lround(scene.duration / scene.h); ++k) {
    const double begin = bench::cpu_seconds();
    mj_step(model, data);
    run.seconds += bench::cpu_seconds() - begin;
    run.energy.push_back(energy());
    complete = data->warning[mjWARN_BADQACC].number == 0 && data->warning[mjWARN_CONTACTFULL].number == 0;
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  if (!complete) return {};
  return run;
}

}  // namespace variational_balls

#else

namespace variational_balls {

bool has_mujoco() { return false; }
std::string mujoco_version() { return {}; }
std::optional<Run> run_mujoco(const Scene&) { return {}; }

}  // namespace variational_balls

#endif
