// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The choices that the bytes of a fuzzer make, and what a wrong answer does.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "actio/math/pose.hpp"
#include "actio/math/so3.hpp"

namespace fuzz {

/// Ends the program, which the fuzzer reports with its input, unless something holds.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::abort();
}

/// Makes one choice after the other from bytes, the first ones when these have ended. In wild choices some numbers are extreme or not finite.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size), is_wild_(below(8) == 7) {}

  /// Returns one of 0 ... count - 1, count <= 256.
  int below(int count) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % count;
  }
  bool happens(int in) { return below(in) == in - 1; }  ///< once in so many times
  /// Returns a number of magnitude 0 or 0.01 ... 1.28.
  double number() {
    const int k = below(256);
    if (is_wild_ && k > 250) return extreme();
    return static_cast<double>(k < 128 ? k : 127 - k) * 0.01;
  }
  /// Returns a number > 0 from 10^-most to 10^most, more often one close to 1.
  double scale(int most) {
    const double exponent = number();
    return std::pow(10.0, exponent * std::abs(exponent) * most / 1.64);
  }
  actio::Vector3<double> vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  actio::Pose<double> pose() {
    const actio::Vector3<double> p = vector();
    if (!happens(2)) return actio::Pose<double>::translation(p.x(), p.y(), p.z());
    return {actio::so3::exp<double>(3 * vector()), p};
  }

 private:
  double extreme() {
    constexpr double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
    constexpr double some[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
                               most,     -most,     std::numeric_limits<double>::denorm_min(),
                               1e-300,   1e-160,    1e160,
                               -0.0,     1e-15,     1e15,
                               3.141592653589793,   1 + std::numeric_limits<double>::epsilon()};
    return some[below(static_cast<int>(std::size(some)))];
  }

  const std::uint8_t* data_;
  std::size_t size_;
  bool is_wild_;
};

}  // namespace fuzz
