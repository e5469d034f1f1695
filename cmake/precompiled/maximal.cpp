// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/maximal.hpp"
