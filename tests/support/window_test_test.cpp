// SPDX-License-Identifier: BSD-3-Clause
// A test for trends that never fails would let every drift pass, so it is tried on series with a known trend.
#include "support/window_test.hpp"

#include <limits>
#include <numbers>

#include "support/catch.hpp"

using actio::test::window_test;
using actio::test::WindowTest;

namespace window_test_test {

/// Pseudo-random numbers uniform in [-1, 1).
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}
  double operator()() { return static_cast<double>(bits_() >> 11) * 0x1p-52 - 1; }

 private:
  std::mt19937_64 bits_;
};

/// Returns a bounded oscillation of amplitude 1 with `turns` periods, plus noise, plus a trend of that size over the run.
std::vector<double> series(std::size_t size, double turns, double noise, double trend, std::uint64_t seed = 1) {
  Noise draw(seed);
  std::vector<double> x(size);
  for (std::size_t k = 0; k < size; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(size);
    x[k] = std::sin(2 * std::numbers::pi * turns * t) + noise * draw() + trend * t;
  }
  return x;
}

/// Returns noise with a correlation time of `time` samples and a standard deviation of 1.
std::vector<double> correlated_noise(std::size_t size, double time, std::uint64_t seed) {
  Noise draw(seed);
  const double keep = std::exp(-1 / time), add = std::sqrt((1 - keep * keep) * 3);
  std::vector<double> x(size);
  double now = 0;
  for (int k = 0; k < 20 * time; ++k) now = keep * now + add * draw();  // forget the start
  for (double& value : x) value = now = keep * now + add * draw();
  return x;
}

TEST_CASE("window test: a bounded oscillation passes", "[support][window_test][fast]") {
  for (const std::size_t size : {400u, 6000u, 60000u, 600000u}) {
    CAPTURE(size);
    CHECK(window_test(series(size, 87.3, 0, 0)).passed());
    CHECK(window_test(series(size, 87.3, 0.5, 0)).passed());
  }
  CHECK(window_test(series(60000, 0, 1, 0)).passed());  // pure noise
  CHECK(window_test(std::vector<double>(1000, 3.0)).passed());  // a constant
  CHECK(window_test(std::vector<double>(1000, 0.0)).passed());
}

TEST_CASE("window test: a trend of one band fails, and so does one of a fifth of it", "[support][window_test][fast]") {
  for (const std::size_t size : {400u, 6000u, 60000u}) {
    for (const double sign : {1.0, -1.0}) {
      CAPTURE(size, sign);
      CHECK_FALSE(window_test(series(size, 87.3, 0, 2 * sign)).passed());
      CHECK_FALSE(window_test(series(size, 87.3, 0.2, 2 * sign)).passed());
      CHECK_FALSE(window_test(series(size, 87.3, 0.2, 0.6 * sign)).passed());
      CHECK_FALSE(window_test(series(size, 0, 0, sign)).passed());  // a pure trend
    }
  }
}

TEST_CASE("window test: a jump fails, and so does a growing band about a moving mean", "[support][window_test][fast]") {
  std::vector<double> jump = series(20000, 200, 0.1, 0), growing = jump;
  for (std::size_t k = 0; k < jump.size(); ++k) {
    if (k > 15000) jump[k] += 1;
    const double t = static_cast<double>(k) / static_cast<double>(jump.size());
    growing[k] = t * (growing[k] + 1);
  }
  CHECK_FALSE(window_test(jump).passed());
  CHECK_FALSE(window_test(growing).passed());
}

// Ten means of pure noise span more than three standard errors of a difference in one run of twelve, by the definition of the test.
TEST_CASE("window test: slowly decorrelating noise is rarely taken for a trend and hides no large one", "[support][window_test][fast]") {
  int passed = 0, trends = 0;
  double standard_error = 0;
  const std::size_t size = 20000;
  const double time = 30;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> x = correlated_noise(size, time, seed);
    const WindowTest test = window_test(x);
    CHECK(test.correlation > time / 2);
    CHECK(test.correlation < time * 3);
    CHECK(test.block >= test.correlation);
    for (const double error : test.standard_errors) standard_error += error / 200;
    passed += test.passed();
    for (std::size_t k = 0; k < size; ++k) x[k] += test.band * static_cast<double>(k) / static_cast<double>(size);
    trends += !window_test(x).passed();
  }
  CHECK(passed >= 16);
  CHECK(trends == 20);
  const double expected = std::sqrt(2 * time / (size / 10));  // of the mean of 2000 samples with correlation time 30
  CHECK(std::abs(standard_error / expected - 1) < 0.25);
}

TEST_CASE("window test: the result is reproducible, and too few or non-finite values are refused", "[support][window_test][fast]") {
  const std::vector<double> x = series(5000, 33, 0.3, 0.1);
  CHECK(window_test(x, 7).standard_errors == window_test(x, 7).standard_errors);
  CHECK_THROWS_AS(window_test(std::vector<double>(399, 1.0)), std::invalid_argument);
  std::vector<double> broken = x;
  broken[1234] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(window_test(broken), std::invalid_argument);
}

}  // namespace window_test_test
