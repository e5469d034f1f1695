// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one place where the version stands; CMake reads it from here.
#define ACTIO_VERSION_MAJOR 0
#define ACTIO_VERSION_MINOR 1
#define ACTIO_VERSION_PATCH 0
