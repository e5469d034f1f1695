// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"
#include "pinocchio.hpp"

net_beside_mujoco::Made net_beside_mujoco::euler(const Model& model, const State& start, double h) {
  return experiments::racer(actio::SemiImplicitEuler(model), start, h);
}
