// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Catch2 of either major version; tests include this header instead of Catch2's.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace actio::test {
/// Matches a message that contains `part`.
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}
}  // namespace actio::test

/// Ends a test that cannot run here, with the reason; version 2 has no SKIP.
#ifdef SKIP
#define ACTIO_SKIP(reason) SKIP(reason)
#else
#define ACTIO_SKIP(reason)       \
  do {                           \
    WARN("skipped: " << reason); \
    return;                      \
  } while (false)
#endif
