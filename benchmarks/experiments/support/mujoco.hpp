// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The versions of MuJoCo that this build has found, which may be none, and scenes in them.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace experiments {

/// A model of MuJoCo with its data.
class MujocoScene {
 public:
  MujocoScene() = default;
  virtual ~MujocoScene() = default;
  MujocoScene(const MujocoScene&) = delete;
  MujocoScene& operator=(const MujocoScene&) = delete;

  virtual double* q() = 0;  ///< qpos
  virtual double* v() = 0;  ///< qvel
  virtual int nv() const = 0;
  /// @returns false if the state was not finite, when MuJoCo resets it, or if there was no room for contacts or rows.
  virtual bool step() = 0;
  virtual double energy() = 0;  ///< without that of contacts [J].  @pre the model enables `energy`
  virtual void save() = 0;      ///< keeps the data for restore()
  virtual void restore() = 0;
  virtual int iterations() const = 0;              ///< of the last step; with several islands the most of one
  virtual int contacts() const = 0;                ///< of the last step
  virtual double distance(int contact) const = 0;  ///< [m]
};

/// The functions of a module, which is compiled with one version of MuJoCo and loaded at run time: versions have the same names of functions
/// and different structs.
struct MujocoModule {
  const char* (*version)();
  /// @returns null if MuJoCo refuses the model, and writes the reason.
  MujocoScene* (*read)(const std::string& mjcf, std::string& reason);
};

/// A version of MuJoCo.
class Mujoco {
 public:
  explicit Mujoco(const MujocoModule& module) : module_(&module) {}
  std::string version() const { return module_->version(); }
  std::string name() const { return "MuJoCo " + version(); }
  /// Returns the element of MJCF for the room that a scene needs, which depends on the version.
  std::string size(std::size_t contacts, std::size_t rows) const;
  /// @param mjcf text of the model.  @returns null if MuJoCo refuses it, and says why on stderr.
  std::unique_ptr<MujocoScene> read(const std::string& mjcf) const;

 private:
  const MujocoModule* module_;
};

/// Returns all versions that CMake found, Debian's first.
const std::vector<Mujoco>& mujocos();

/// Returns the names of all versions, with commas.
std::string names_of_mujocos();

}  // namespace experiments
