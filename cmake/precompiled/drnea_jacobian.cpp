// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/drnea/drnea.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/drnea/jacobian.hpp"
#include "actio/dynamics/tree_lu.hpp"
