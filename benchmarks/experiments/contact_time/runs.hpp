// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scenes in MuJoCo.
#include <memory>
#include <string>

#include "support/mujoco.hpp"
#include "support/race.hpp"

namespace contact_time {

constexpr double g = 9.81, friction = 0.8;

struct MujocoScene {
  double h = 0, settle = 0;     ///< length of a step, time before the first one [s]
  bool between_bodies = false;  ///< whether bodies touch each other, too
  bool elliptic = true;         ///< cones of friction, else pyramids
  bool sparse = true;           ///< matrices
  std::string text() const {
    return std::string(elliptic ? "elliptic" : "pyramidal") + (sparse ? ", sparse" : ", dense");
  }
};

/// The same bodies on the ground, with MuJoCo's own contacts.  @returns null if MuJoCo refuses.
std::unique_ptr<experiments::Racer> mujoco_racer(const experiments::Mujoco& mujoco, const actio::Model<double>& model,
                                                 const actio::State<double>& start, const MujocoScene& scene);

}  // namespace contact_time
