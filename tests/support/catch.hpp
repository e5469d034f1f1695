// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Catch2 of either major version; tests include this and nothing of Catch2 itself.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

/// Ends a test that cannot run here and says why; version 2 has no SKIP.
#ifdef SKIP
#define ACTIO_SKIP(reason) SKIP(reason)
#else
#define ACTIO_SKIP(reason)       \
  do {                           \
    WARN("skipped: " << reason); \
    return;                      \
  } while (false)
#endif
