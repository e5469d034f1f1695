// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/tree_pose.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/joint_terms.hpp"
