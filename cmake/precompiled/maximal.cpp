// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/maximal.hpp"
