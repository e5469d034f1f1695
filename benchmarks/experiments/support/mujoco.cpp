// SPDX-License-Identifier: BSD-3-Clause
#include "support/mujoco.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <iostream>

namespace experiments {

std::string Mujoco::size(std::size_t contacts, std::size_t rows) const {
  if (std::stoi(version()) >= 3) return "<size memory='500M'/>";
  return "<size nconmax='" + std::to_string(contacts) + "' njmax='" + std::to_string(rows) + "'/>";
}

std::unique_ptr<MujocoScene> Mujoco::read(const std::string& mjcf) const {
  std::string reason;
  std::unique_ptr<MujocoScene> scene(module_->read(mjcf, reason));
  if (scene == nullptr) std::cerr << name() << " refuses the scene: " << reason << '\n';
  return scene;
}

const std::vector<Mujoco>& mujocos() {
  static const std::vector<Mujoco> all = [] {
    std::vector<Mujoco> found;
    for (const char* const file : std::initializer_list<const char*>{EXPERIMENTS_MUJOCO_MODULES}) {
      // RTLD_LOCAL, so that each module calls the functions of its own MuJoCo. It is never unloaded.
      void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
      const void* const module = library == nullptr ? nullptr : dlsym(library, "actio_mujoco_module");
      if (module != nullptr) found.emplace_back(*static_cast<const MujocoModule*>(module));
      else std::cerr << "A MuJoCo is left out: " << dlerror() << '\n';
    }
    return found;
  }();
  return all;
}

std::string names_of_mujocos() {
  std::string names;
  for (const Mujoco& mujoco : mujocos()) names += (names.empty() ? "" : ", ") + mujoco.name();
  return names;
}

}  // namespace experiments
