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

/// The time in which the reader promises to read any file; ten times as long if every memory access is checked.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double a_second = 10;
#else
inline constexpr double a_second = 1;
#endif

}  // namespace actio::test
