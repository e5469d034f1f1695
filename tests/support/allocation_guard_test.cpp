// SPDX-License-Identifier: BSD-3-Clause
// A counter that missed an allocation would let every "does not allocate" test pass, so each way to allocate is tried.
#include "support/allocation_guard.hpp"

#include <Eigen/Core>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

#include "support/catch.hpp"

using actio::test::AllocationCounter;

namespace allocation_guard_test {

void* volatile sink = nullptr;  // keeps the compiler from removing an allocation together with its free

/// Returns the number of allocations of one call; the memory it returns is freed afterwards.
template <class Allocate>
std::size_t allocations_of(Allocate allocate) {
  const AllocationCounter counter;
  sink = allocate();
  const std::size_t count = counter.count();
  std::free(sink);
  return count;
}

struct alignas(64) Aligned {
  double values[8];
};

TEST_CASE("allocation counter: each C function is counted", "[support][fast]") {
  CHECK(allocations_of([] { return static_cast<void*>(nullptr); }) == 0);
  CHECK(allocations_of([] { return std::malloc(100); }) == 1);
  CHECK(allocations_of([] { return std::calloc(10, 10); }) == 1);
  CHECK(allocations_of([] { return std::realloc(nullptr, 100); }) == 1);
  CHECK(allocations_of([] { return std::aligned_alloc(64, 128); }) == 1);
  CHECK(allocations_of([] { return memalign(64, 128); }) == 1);
  CHECK(allocations_of([] { return static_cast<void*>(strdup("the C library calls it too")); }) == 1);
  CHECK(allocations_of([]() -> void* {
          void* block = nullptr;
          return posix_memalign(&block, 64, 128) == 0 ? block : nullptr;
        }) == 1);
}

TEST_CASE("allocation counter: allocated blocks are usable", "[support][fast]") {
  void* block = nullptr;
  REQUIRE(posix_memalign(&block, 256, 100) == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
  std::memset(block, 7, 100);
  block = std::realloc(block, 100000);
  CHECK(static_cast<const char*>(block)[99] == 7);
  std::free(block);
  auto* const zeros = static_cast<const char*>(std::calloc(1000, 1));
  CHECK(std::string(zeros, 1000) == std::string(1000, '\0'));
  std::free(const_cast<char*>(zeros));
}

TEST_CASE("allocation counter: operator new, containers and Eigen are counted", "[support][fast]") {
  AllocationCounter counter;
  const auto number = std::make_unique<double>(1.0);
  sink = number.get();
  CHECK(counter.count() == 1);

  counter = {};
  const auto aligned = std::make_unique<Aligned>();
  sink = aligned.get();
  CHECK(counter.count() == 1);

  counter = {};
  std::vector<int> numbers(1000);
  sink = numbers.data();
  CHECK(counter.count() == 1);

  counter = {};
  Eigen::VectorXd vector(1000);
  sink = vector.data();
  CHECK(counter.count() == 1);

  const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(50, 50);
  Eigen::MatrixXd B = A;
  counter = {};
  B = A * B;  // the hidden temporary of a product that may alias
  CHECK(counter.count() >= 1);
}

TEST_CASE("allocation counter: code without allocations and other threads are not counted", "[support][fast]") {
  Eigen::VectorXd vector = Eigen::VectorXd::Ones(1000);
  const AllocationCounter counter;
  vector = 2 * vector + vector;
  CHECK(counter.count() == 0);

  std::size_t before = 0, after = 0;
  std::thread other([&] {
    before = actio::test::allocations_of_this_thread();
    sink = std::malloc(100);
    std::free(sink);
    after = actio::test::allocations_of_this_thread();
  });
  const AllocationCounter here;
  other.join();
  CHECK(here.count() == 0);
  CHECK(after == before + 1);
}

}  // namespace allocation_guard_test
