// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/builder.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/model/samples/random.hpp"
