// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/drnea_factor.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/maximal_system.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/closure_solver.hpp"
