// SPDX-License-Identifier: BSD-3-Clause
// The algorithms in double, instantiated once; their headers declare them `extern template` under ACTIO_PRECOMPILED.
#include "actio/core/types.hpp"
