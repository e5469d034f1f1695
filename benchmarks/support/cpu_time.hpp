// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <time.h>

namespace bench {

/// Seconds of processor that this thread has had: neighbours on the machine disturb them less than they do the clock.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bench
