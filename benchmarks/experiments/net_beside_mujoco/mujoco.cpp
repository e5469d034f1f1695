// SPDX-License-Identifier: BSD-3-Clause
#include "runs.hpp"

#include <iomanip>
#include <locale>
#include <sstream>

#include "support/mjcf.hpp"
#include "support/mujoco_racer.hpp"

namespace net_beside_mujoco {
namespace {

using Numbers = experiments::MjcfNumbers;

std::string mjcf(const experiments::Mujoco& mujoco, const Model& model, double h, const MujocoSettings& settings) {
  std::ostringstream file;
  file.imbue(std::locale::classic());
  file << std::setprecision(17) << "<mujoco>" << mujoco.size(0, 3 * model.loops().size() + 10) << "<option timestep='" << h << "' gravity='"
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
  return file.str();
}

}  // namespace

Made mujoco_racer(const experiments::Mujoco& mujoco, const Model& model, const State& start, double h, const MujocoSettings& settings) {
  std::unique_ptr<experiments::MujocoScene> read = mujoco.read(mjcf(mujoco, model, h, settings));
  if (read == nullptr) return nullptr;
  return std::make_unique<experiments::MujocoRacer>(std::move(read), model, start);
}

}  // namespace net_beside_mujoco
