// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one place where the version stands; CMake reads it from here.
#define ACTIO_VERSION_MAJOR 0  ///< raised where old programs break
#define ACTIO_VERSION_MINOR 1  ///< while MAJOR is 0 raised where old programs break, then for what is new
#define ACTIO_VERSION_PATCH 0  ///< raised for everything else
