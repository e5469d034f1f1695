// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/kinematics.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/drnea/drnea.hpp"
#include "actio/dynamics/rnea.hpp"
