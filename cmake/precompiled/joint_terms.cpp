// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/model.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/dynamics/joint_terms.hpp"
