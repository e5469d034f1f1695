// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#ifdef EXPERIMENTS_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "support/cpu_time.hpp"

namespace compliant_stack {

bool has_mujoco() { return true; }

namespace {

/// Loads a stack whose spheres are `gap` apart, or the cube.  @returns null if MuJoCo refuses.
mjModel* load(const Scene& scene, double step, double gap) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "actio_compliant_stack.xml";
  {
    std::ofstream file(path);
    file << "<mujoco><size nconmax='" << 4 * scene.bodies() + 50 << "' njmax='" << 20 * scene.bodies() + 200 << "'/><option timestep='"
         << step << "' gravity='0 0 " << -gravity << "'/><worldbody><geom type='plane' size='1 1 1' friction='" << friction << "'/>";
    for (int k = 0; k < scene.bodies(); ++k) {
      const double height = scene.spheres > 0 ? radius * (2 * k + 1) + gap * (k + 1) : 0.1;
      file << "<body pos='0 0 " << height << "'><freejoint/><geom mass='" << mass << "' friction='" << friction << "' ";
      if (scene.spheres > 0) file << "type='sphere' size='" << radius << "'/></body>";
      else file << "type='box' size='0.1 0.1 0.1'/></body>";
    }
    file << "</worldbody></mujoco>";
  }
  std::array<char, 1000> error{};
  mjModel* const model = mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  std::filesystem::remove(path);
  return model;
}

}  // namespace

Run mujoco(const Scene& scene, int slices) {
  Run run;
  mjModel* const model = load(scene, h, 0);
  if (model == nullptr) return run;
  mjData* const data = mj_makeData(model);
  for (int k = 0; k < 0.1 / h; ++k) mj_step(model, data);
  run.seconds = 1e9;
  constexpr int steps = 20;
  for (int slice = 0; slice < slices; ++slice) {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps; ++k) mj_step(model, data);
    run.seconds = std::min(run.seconds, (bench::cpu_seconds() - begin) / steps);
  }
  run.complete = data->warning[mjWARN_BADQACC].number == 0 && data->warning[mjWARN_CONTACTFULL].number == 0;
  for (int c = 0; c < data->ncon; ++c) run.sink = std::max(run.sink, -data->contact[c].dist);
  for (int k = 0; k < model->nv; ++k) run.speed = std::max(run.speed, std::abs(data->qvel[k]));
  run.contacts = data->ncon;
  mj_deleteData(data);
  mj_deleteModel(model);
  return run;
}

Fallen drop_mujoco(const Drop& drop) {
  Fallen fallen;
  mjModel* const model = load({drop.spheres}, drop.h, drop.gap);
  if (model == nullptr) return fallen;
  mjData* const data = mj_makeData(model);
  const double begin = bench::cpu_seconds();
  for (; fallen.steps < drop.steps && data->warning[mjWARN_BADQACC].number == 0; ++fallen.steps) mj_step(model, data);
  fallen.seconds = bench::cpu_seconds() - begin;
  for (int k = 0; k < model->nv; ++k) fallen.speed = std::max(fallen.speed, std::abs(data->qvel[k]));
  for (int k = 0; k < drop.spheres; ++k) {
    const mjtNum* const at = data->qpos + 7 * k;
    fallen.sideways = std::max(fallen.sideways, std::hypot(at[0], at[1]));
    if (k + 1 == drop.spheres) fallen.highest = at[2] / ((2 * k + 1) * radius);
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  return fallen;
}

}  // namespace compliant_stack

#else

namespace compliant_stack {

bool has_mujoco() { return false; }
Run mujoco(const Scene&, int) { return {}; }
Fallen drop_mujoco(const Drop&) { return {}; }

}  // namespace compliant_stack

#endif
