// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From links, joints and closures in any order to a checked Model. All that is wrong is found in one pass and said at once.
#include "actio/model/builder/checks.hpp"
#include "actio/model/builder/class.hpp"
#include "actio/model/builder/growth.hpp"

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class actio::ModelBuilder<double>;
#endif
