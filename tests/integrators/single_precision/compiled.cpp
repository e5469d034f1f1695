// SPDX-License-Identifier: BSD-3-Clause
// Defines what compiled.hpp declares.
#define ACTIO_SINGLE template
#include "integrators/single_precision/compiled.hpp"
