// SPDX-License-Identifier: BSD-3-Clause
#define ACTIO_SINGLE template
#include "support/single.hpp"
