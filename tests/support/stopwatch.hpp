// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Processor time, for tests with a time limit.
#include <ctime>

namespace actio::test {

/// Measures processor time, which does not depend on the load of the machine.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

#if defined(__SANITIZE_ADDRESS__)  // GCC
inline constexpr bool checks_accesses = true;
#elif defined(__has_feature)  // Clang
inline constexpr bool checks_accesses = __has_feature(address_sanitizer);
#else
inline constexpr bool checks_accesses = false;
#endif
/// The processor time in which the reader promises to read any file [s]; ten times as long if every memory access is checked.
inline constexpr double a_second = checks_accesses ? 10 : 1;

}  // namespace actio::test
