// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/cpu_time.hpp"

namespace compliant_stack {

namespace {

/// Loads a stack whose spheres are `gap` apart, or the cube.  @returns null if MuJoCo refuses.
std::unique_ptr<experiments::MujocoScene> load(const experiments::Mujoco& mujoco, const Scene& scene, double step, double gap) {
  std::ostringstream mjcf;
  const auto bodies = static_cast<std::size_t>(scene.bodies());
  mjcf << "<mujoco>" << mujoco.size(4 * bodies + 50, 20 * bodies + 200) << "<option timestep='" << step << "' gravity='0 0 " << -gravity
       << "'/><worldbody><geom type='plane' size='1 1 1' friction='" << friction << "'/>";
  for (int k = 0; k < scene.bodies(); ++k) {
    const double height = scene.spheres > 0 ? radius * (2 * k + 1) + gap * (k + 1) : 0.1;
    mjcf << "<body pos='0 0 " << height << "'><freejoint/><geom mass='" << mass << "' friction='" << friction << "' ";
    if (scene.spheres > 0) mjcf << "type='sphere' size='" << radius << "'/></body>";
    else mjcf << "type='box' size='0.1 0.1 0.1'/></body>";
  }
  mjcf << "</worldbody></mujoco>";
  return mujoco.read(mjcf.str());
}

}  // namespace

Run run_mujoco(const experiments::Mujoco& mujoco, const Scene& scene, int slices) {
  Run run;
  const std::unique_ptr<experiments::MujocoScene> stack = load(mujoco, scene, h, 0);
  if (stack == nullptr) return run;
  run.complete = true;
  for (int k = 0; k < 0.1 / h; ++k) run.complete &= stack->step();
  run.seconds = 1e9;
  constexpr int steps = 20;
  for (int slice = 0; slice < slices; ++slice) {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps; ++k) run.complete &= stack->step();
    run.seconds = std::min(run.seconds, (bench::cpu_seconds() - begin) / steps);
  }
  run.contacts = stack->contacts();
  for (int c = 0; c < run.contacts; ++c) run.sink = std::max(run.sink, -stack->distance(c));
  for (int k = 0; k < stack->nv(); ++k) run.speed = std::max(run.speed, std::abs(stack->v()[k]));
  return run;
}

Fallen drop_mujoco(const experiments::Mujoco& mujoco, const Drop& drop) {
  Fallen fallen;
  const std::unique_ptr<experiments::MujocoScene> stack = load(mujoco, {drop.spheres}, drop.h, drop.gap);
  if (stack == nullptr) return fallen;
  const double begin = bench::cpu_seconds();
  while (fallen.steps < drop.steps && stack->step()) ++fallen.steps;
  fallen.seconds = bench::cpu_seconds() - begin;
  for (int k = 0; k < stack->nv(); ++k) fallen.speed = std::max(fallen.speed, std::abs(stack->v()[k]));
  for (int k = 0; k < drop.spheres; ++k) {
    const double* const at = stack->q() + 7 * k;
    fallen.sideways = std::max(fallen.sideways, std::hypot(at[0], at[1]));
    if (k + 1 == drop.spheres) fallen.highest = at[2] / ((2 * k + 1) * radius);
  }
  return fallen;
}

}  // namespace compliant_stack
