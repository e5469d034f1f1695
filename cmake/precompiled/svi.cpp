// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/requirements.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/svi/jacobian.hpp"
#include "actio/dynamics/svi/svi.hpp"
