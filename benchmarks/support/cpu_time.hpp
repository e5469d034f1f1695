// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Processor time.
#include <time.h>

namespace bench {

/// Returns the processor time of this thread [s], which other load on the machine disturbs less than the clock.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bench
