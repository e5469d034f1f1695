// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_guard.hpp"

namespace {
constinit thread_local std::size_t allocations = 0;  // constinit: no lazy initialisation, which would itself allocate
}

std::size_t actio::test::allocations_of_this_thread() noexcept { return allocations; }

#if defined(__has_feature)
#define ACTIO_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ACTIO_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || ACTIO_HAS_FEATURE(address_sanitizer) || \
    ACTIO_HAS_FEATURE(thread_sanitizer)
// A sanitizer must keep its malloc; it calls these hooks instead. g++ ships the function but not its header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {
void count_allocation(const volatile void*, std::size_t) { ++allocations; }
void ignore_free(const volatile void*) {}
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);
}  // namespace

#else
#include <cerrno>

#include <stdlib.h>  // declares the functions defined below

#if !defined(__GLIBC__)
#error "The allocation counter stands in front of glibc's malloc: build the tests on Linux with glibc."
#endif

// These definitions come first in every program that links them; glibc's remain reachable under these names, and its free serves both.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* const result = memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *block = result;
  return 0;
}
}
#endif
