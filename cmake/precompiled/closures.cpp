// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/dynamics/tree_products.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/equations/closure_solver.hpp"
