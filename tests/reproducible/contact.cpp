// SPDX-License-Identifier: BSD-3-Clause
// A humanoid that falls onto rigid ground, by `variational`.
#include "actio/contacts/plane.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/robots.hpp"
#include "scenes.hpp"

namespace same_bits_program {

bool contact_scenes(long steps) {
  const Model<double> humanoid = models::humanoid();
  PlaneContacts<double> ground({.friction = 0.8}, Eigen::Vector3d::UnitZ(), -1);
  ground.add_shapes_of(humanoid);
  return run("a humanoid on the ground, variational", VariationalIntegrator(humanoid, {}, ground), moving(humanoid), 1e-3, steps);
}

}  // namespace same_bits_program
