// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/momentum.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/rate_meter.hpp"
