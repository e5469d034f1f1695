// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ModelBuilder: makes a checked Model from links, joints and closures in any order. All errors of a stage are reported at once.
#include "actio/model/builder/checks.hpp"
#include "actio/model/builder/class.hpp"
#include "actio/model/builder/growth.hpp"

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class actio::ModelBuilder<double>;
#endif
