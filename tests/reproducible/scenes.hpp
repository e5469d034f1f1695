// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs that every build must repeat to the last bit.
#include <bit>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "actio/core/status.hpp"
#include "actio/model/state.hpp"

namespace same_bits_program {

using namespace actio;

/// A hash of numbers and of their order: FNV-1a of their bits.
class Hash {
 public:
  void add(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) value_ = (value_ ^ ((bits >> shift) & 0xFFU)) * 0x100000001B3U;
  }
  template <class Numbers>
  void add_all(const Numbers& numbers) {
    for (Eigen::Index k = 0; k < numbers.size(); ++k) add(numbers.data()[k]);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325;
};

/// Steps an integrator and prints the hash of every tenth q and v, as it is after 10, 100, 1000, ... steps and at the end; and to the
/// standard error the time per step.
/// @returns whether all steps succeeded.
template <class Integrator>
bool run(const char* scene, Integrator integrator, State<double> state, double h, long steps) {
  integrator.reset(state);
  Hash hash;
  long next = 10;
  std::printf("%s:", scene);
  const auto start = std::chrono::steady_clock::now();
  for (long k = 1; k <= steps; ++k) {
    if (!integrator.step({}, h)) return std::printf(" step %ld failed\n", k), false;
    if (k % 10 != 0 && k != steps) continue;
    if (integrator.read(state) != Status::converged) return std::printf(" the state after step %ld cannot be read\n", k), false;
    hash.add_all(state.q);
    hash.add_all(state.v);
    if (k != next && k != steps) continue;
    std::printf(" %016" PRIx64, hash.value());
    next *= 10;
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%s: %.2f us per step\n", scene, time.count() / static_cast<double>(steps));
  return std::printf("\n"), true;
}

///@{
/// Run scenes and print a line for each.  @returns whether all steps succeeded.
bool variational_scenes(long steps);
bool contact_scenes(long steps);
bool compliant_scenes(long steps);
bool other_scenes(long steps);
bool lanes_scenes(long steps);
///@}

/// Returns the state in which all joints are at neutral and move.
template <class Model>
State<double> moving(const Model& model) {
  State<double> state = rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 0.1 * static_cast<double>(k % 7 - 3);
  return state;
}

}  // namespace same_bits_program
