// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/kinematics.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/requirements.hpp"
