// SPDX-License-Identifier: BSD-3-Clause
// The scenes in MuJoCo, which has no restitution: contacts are springs without dampers, as stiff as the step resolves, h omega = 0.2, and
// steps are Runge-Kutta's of order 4.
#include "runs.hpp"

#include <cmath>
#include <sstream>

#include "support/cpu_time.hpp"

namespace variational_balls {

std::optional<Run> run_mujoco(const experiments::Mujoco& mujoco, const Scene& scene) {
  std::ostringstream mjcf;
  mjcf.precision(17);
  const double omega = 0.2 / scene.h;
  mjcf << "<mujoco>" << mujoco.size(10 * scene.centres.size(), 10 * scene.centres.size()) << "<option timestep='" << scene.h
       << "' gravity='0 0 " << -g << "' integrator='RK4' tolerance='1e-15' iterations='200'><flag energy='enable'/></option>"
       << "<default><geom condim='1' solimp='0.9999 0.9999 1e-3' solref='" << -omega * omega << " 0'/></default>"
       << "<worldbody><geom type='plane' size='50 50 1'/>";
  for (const auto& [x, y, z] : scene.centres) {
    mjcf << "<body pos='" << x << ' ' << y << ' ' << z << "'><freejoint/><geom type='sphere' size='" << radius << "' mass='" << mass << "'/></body>";
  }
  mjcf << "</worldbody></mujoco>";
  const std::unique_ptr<experiments::MujocoScene> balls = mujoco.read(mjcf.str());
  if (balls == nullptr) return {};
  Run run;
  run.start = balls->energy();  // without the energy of the springs, which is not known: impacts show as peaks
  for (int k = 0; k < std::lround(scene.duration / scene.h); ++k) {
    const double begin = bench::cpu_seconds();
    if (!balls->step()) return {};
    run.seconds += bench::cpu_seconds() - begin;
    run.energy.push_back(balls->energy());
  }
  return run;
}

}  // namespace variational_balls
