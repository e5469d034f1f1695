// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <ctime>

namespace actio::test {

/// Processor time, which a busy machine does not stretch.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

/// What the reader promises for any file, and ten times as much where every access is checked.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double a_second = 10;
#else
inline constexpr double a_second = 1;
#endif

}  // namespace actio::test
