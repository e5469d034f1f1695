// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/mobility.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/requirements.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/sequential_regularization.hpp"
