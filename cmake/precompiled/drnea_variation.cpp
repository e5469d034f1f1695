// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/tree_lu.hpp"
#include "actio/dynamics/joint_terms.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/drnea/variation.hpp"
