// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/precompiled.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/solvers/cone/elimination.hpp"
#include "actio/solvers/contact_problem.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
