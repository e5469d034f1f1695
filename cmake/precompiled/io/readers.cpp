// SPDX-License-Identifier: BSD-3-Clause
#include "actio/actio.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/io/model_file.hpp"
