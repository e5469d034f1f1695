// SPDX-License-Identifier: BSD-3-Clause
// Defines what single.hpp declares.
#define ACTIO_SINGLE template
#include "support/single.hpp"
