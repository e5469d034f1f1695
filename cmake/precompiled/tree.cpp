// SPDX-License-Identifier: BSD-3-Clause
// Algorithms of one or two sweeps along the tree.
#include "actio/model/model.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/dynamics/velocity_forces.hpp"
