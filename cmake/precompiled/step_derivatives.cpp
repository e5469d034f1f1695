// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/drnea/variation.hpp"
#include "actio/integrators/variational.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/step_derivatives.hpp"
