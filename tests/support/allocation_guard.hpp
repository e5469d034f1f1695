// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counts the allocations of the current thread, at malloc itself, which operator new, Eigen and the C library all call.
#include <cstddef>

namespace actio::test {

/// Returns the number of allocations of this thread since it started.
std::size_t allocations_of_this_thread() noexcept;

/// Counts the allocations (malloc, calloc, realloc and the aligned ones) of this thread since the counter was made.
class AllocationCounter {
 public:
  std::size_t count() const noexcept { return allocations_of_this_thread() - start_; }

 private:
  std::size_t start_ = allocations_of_this_thread();
};

}  // namespace actio::test
