// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/drnea/rates.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/tree_lu.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/drnea/variation.hpp"
