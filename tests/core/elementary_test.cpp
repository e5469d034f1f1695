// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/elementary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include "support/catch.hpp"

namespace elementary_test {

using namespace actio;

/// Random numbers that are the same with every standard library.                                       [Steele, Lea and Flood 2014]
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(bits() >> 11U) * 0x1p-53); }
  /// Returns a number of either sign and a random exponent.
  double of_scale(int low, int high) {
    const int exponent = low + static_cast<int>(bits() % static_cast<unsigned>(high - low + 1));
    const double mantissa = between(1, 2);
    return std::ldexp(bits() % 2 == 0 ? -mantissa : mantissa, exponent);
  }
  /// Returns a number within a few units in the last place of a multiple of pi/2.
  double near_quarter() {
    const double quarter = static_cast<double>(static_cast<long double>(bits() % 600000) * 1.57079632679489661923132169163975144L);
    return quarter * (1 + (static_cast<double>(bits() % 7) - 3) * 0x1p-53);
  }

 private:
  std::uint64_t state_;
};

/// Returns the error of a number in units of the last place of the exact one.
template <class T>
double error_in_ulps(T got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(static_cast<T>(exact))) return got == static_cast<T>(exact) ? 0 : 1e9;
  int exponent = std::numeric_limits<T>::min_exponent;
  if (exact != 0) static_cast<void>(std::frexp(exact, &exponent));
  const int digits = std::numeric_limits<T>::digits;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - digits));
}

constexpr int samples = 12000;  // of each range

template <class F, class Exact, class Argument>
double worst_error(const F& f, const Exact& exact, const Argument& argument) {
  double worst = 0;
  for (int k = 0; k < samples; ++k) {
    const double x = argument();
    worst = std::max(worst, error_in_ulps(f(x), exact(static_cast<long double>(x))));
  }
  return worst;
}
template <class F, class Exact, class Arguments>
double worst_error_of_two(const F& f, const Exact& exact, const Arguments& arguments) {
  double worst = 0;
  for (int k = 0; k < samples; ++k) {
    const auto [x, y] = arguments();
    worst = std::max(worst, error_in_ulps(f(x, y), exact(static_cast<long double>(x), static_cast<long double>(y))));
  }
  return worst;
}
#define FUNCTION(name) [](auto x) { return same_bits::name(x); }, [](long double x) { return std::name(x); }
#define FUNCTION_OF_TWO(name) \
  [](auto x, auto y) { return same_bits::name(x, y); }, [](long double x, long double y) { return std::name(x, y); }

#if (defined(__FMA__) || defined(__aarch64__)) && !defined(ACTIO_REPRODUCIBLE)
constexpr bool may_fuse = true;  // multiplications and additions, which changes bits and makes some errors larger
#else
constexpr bool may_fuse = false;
#endif
constexpr bool has_reference = std::numeric_limits<long double>::digits >= 64 && !may_fuse;

TEST_CASE("elementary: sine and cosine are exact to an ulp at every scale and next to multiples of pi/2", "[core][elementary][fast]") {
  if (!has_reference) ACTIO_SKIP("long double has no more digits than double, or the compiler may fuse multiplications and additions");
  Random random(1);
  const auto small = [&] { return random.between(-1, 1); };
  const auto turns = [&] { return random.between(-100, 100); };
  const auto scales = [&] { return random.of_scale(-1074, 20); };
  const auto huge = [&] { return random.of_scale(19, 1023); };
  const auto near_quarter = [&] { return random.near_quarter(); };
  CHECK(worst_error(FUNCTION(sin), small) < 1);
  CHECK(worst_error(FUNCTION(sin), turns) < 1);
  CHECK(worst_error(FUNCTION(sin), scales) < 1);
  CHECK(worst_error(FUNCTION(sin), huge) < 1);
  CHECK(worst_error(FUNCTION(sin), near_quarter) < 1);
  CHECK(worst_error(FUNCTION(cos), small) < 1);
  CHECK(worst_error(FUNCTION(cos), turns) < 1);
  CHECK(worst_error(FUNCTION(cos), huge) < 1);
  CHECK(worst_error(FUNCTION(cos), near_quarter) < 1);
  // The double that is nearest to a multiple of pi/2 relative to its size.             [Muller 2016]
  CHECK(error_in_ulps(same_bits::cos(0x1.6ac5b262ca1ffp+849), std::cos(0x1.6ac5b262ca1ffp+849L)) < 1);
}

TEST_CASE("elementary: inverse functions of angles are exact to 2 or 3 ulp", "[core][elementary][fast]") {
  if (!has_reference) ACTIO_SKIP("long double has no more digits than double, or the compiler may fuse multiplications and additions");
  Random random(2);
  const auto near = [&] { return std::array{random.between(-1, 1), random.between(-1, 1)}; };
  const auto scales = [&] {
    const double x = random.of_scale(-1060, 1010);
    return std::array{x, x * random.of_scale(-9, 9)};
  };
  const auto apart = [&] { return std::array{random.of_scale(-1074, 1022), random.of_scale(-1074, 1022)}; };
  const auto cosine = [&] { return random.between(-1, 1); };
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(atan2), near) < 2);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(atan2), scales) < 2);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(atan2), apart) < 2);
  CHECK(worst_error(FUNCTION(asin), cosine) < 3);
  CHECK(worst_error(FUNCTION(acos), cosine) < 3);
}

TEST_CASE("elementary: exponentials and logarithms are exact to an ulp, those about 1 to 2", "[core][elementary][fast]") {
  if (!has_reference) ACTIO_SKIP("long double has no more digits than double, or the compiler may fuse multiplications and additions");
  Random random(3);
  const auto all = [&] { return random.between(-745.2, 709.8); };
  const auto small = [&] { return random.of_scale(-60, 0); };
  const auto positive = [&] { return std::abs(random.of_scale(-1074, 1023)); };
  const auto near_one = [&] { return random.between(0.5, 2); };
  const auto around_one = [&] { return 1 + random.of_scale(-52, -2); };
  CHECK(worst_error(FUNCTION(exp), all) < 1);
  CHECK(worst_error(FUNCTION(exp), small) < 1);
  CHECK(worst_error(FUNCTION(expm1), all) < 2);
  CHECK(worst_error(FUNCTION(expm1), small) < 2);
  CHECK(worst_error(FUNCTION(log), positive) < 1);
  CHECK(worst_error(FUNCTION(log), near_one) < 1);
  CHECK(worst_error(FUNCTION(log), around_one) < 1);
  CHECK(worst_error(FUNCTION(log1p), small) < 2);
  CHECK(worst_error(FUNCTION(log1p), positive) < 2);
  CHECK(worst_error(FUNCTION(log2), positive) < 2);
  CHECK(worst_error(FUNCTION(log2), near_one) < 2);
  for (int k = -1074; k <= 1023; ++k) REQUIRE(same_bits::log2(std::ldexp(1.0, k)) == k);
}

TEST_CASE("elementary: powers, roots and lengths are exact to an ulp or 2", "[core][elementary][fast]") {
  if (!has_reference) ACTIO_SKIP("long double has no more digits than double, or the compiler may fuse multiplications and additions");
  Random random(4);
  const auto scales = [&] { return random.of_scale(-1074, 1023); };
  const auto near = [&] { return std::array{random.between(0, 2), random.between(-10, 10)}; };
  const auto apart = [&] { return std::array{std::abs(random.of_scale(-1074, 1023)), random.of_scale(-10, 1)}; };
  const auto about_one = [&] { return std::array{1 + random.of_scale(-40, -4), random.of_scale(0, 40)}; };
  const auto law = [&] { return std::array{std::abs(random.of_scale(-30, 0)), 1.5}; };
  const auto sides = [&] {
    const double x = random.of_scale(-1060, 1000);
    return std::array{x, x * random.of_scale(-9, 9)};
  };
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(pow), near) < 1);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(pow), apart) < 1);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(pow), about_one) < 1);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(pow), law) < 1);
  CHECK(worst_error(FUNCTION(cbrt), scales) < 1);
  CHECK(worst_error_of_two(FUNCTION_OF_TWO(hypot), sides) < 2);
  for (double k = 1; k < 200; ++k) {
    REQUIRE(same_bits::cbrt(k * k * k) == k);
    REQUIRE(same_bits::pow(k, 3.0) == k * k * k);
  }
}

TEST_CASE("elementary: single precision is exact to rounding", "[core][elementary][fast]") {
  Random random(5);
  const auto check = [&](const auto& f, const auto& exact, double low, double high) {
    double worst = 0;
    for (int k = 0; k < 4000; ++k) {
      const float x = static_cast<float>(random.between(low, high));
      worst = std::max(worst, error_in_ulps(f(x), exact(static_cast<long double>(x))));
    }
    return worst;
  };
  CHECK(check(FUNCTION(sin), -100, 100) < 0.51);
  CHECK(check(FUNCTION(cos), -1e6, 1e6) < 0.51);
  CHECK(check(FUNCTION(exp), -100, 88) < 0.51);
  CHECK(check(FUNCTION(log), 0, 100) < 0.51);
  CHECK(check(FUNCTION(cbrt), -100, 100) < 0.51);
  CHECK(std::same_as<decltype(same_bits::atan2(1.0F, 1.0F)), float>);
  CHECK(same_bits::atan2(1.0F, -1.0F) == static_cast<float>(3 * std::numbers::pi / 4));
}

/// Whether both are NaN, or the same to 4 ulp, sign of zero included.
bool is_close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::signbit(a) != std::signbit(b)) return false;
  return a == b || std::abs(a - b) <= 9e-16 * std::abs(b);
}

TEST_CASE("elementary: zeros, infinities, NaN and the smallest numbers give what they give in the standard library",
          "[core][elementary][fast]") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array values{0.0,
                              -0.0,
                              0.5,
                              -0.5,
                              1.0,
                              -1.0,
                              1.5,
                              -1.5,
                              2.0,
                              -2.0,
                              3.0,
                              -3.0,
                              1e17,
                              -1e17,
                              inf,
                              -inf,
                              nan,
                              1e300,
                              -1e300,
                              5e-324,
                              -5e-324,
                              1e-310,
                              -1e-310,
                              0x1p53,
                              -0x1p53,
                              0x1p53 + 2,
                              0x1p52 + 1,
                              -0x1p52 - 1,
                              800.0,
                              -800.0,
                              1e-20,
                              -1e-20,
                              1.7976931348623157e308,
                              -1.7976931348623157e308};
  const auto check = [&](const std::string& name, const auto& f, const auto& reference) {
    for (const double x : values) {
      CAPTURE(name, x, f(x), reference(x));
      REQUIRE(is_close(f(x), reference(x)));
    }
  };
#define CHECK_VALUES(name) \
  check(                   \
      #name, [](double x) { return same_bits::name(x); }, [](double x) { return std::name(x); })
  CHECK_VALUES(sin);
  CHECK_VALUES(cos);
  CHECK_VALUES(asin);
  CHECK_VALUES(acos);
  CHECK_VALUES(exp);
  CHECK_VALUES(expm1);
  CHECK_VALUES(log);
  CHECK_VALUES(log1p);
  CHECK_VALUES(log2);
  CHECK_VALUES(cbrt);
  for (const double x : values) {
    for (const double y : values) {
      CAPTURE(x, y);
      REQUIRE(is_close(same_bits::atan2(x, y), std::atan2(x, y)));
      REQUIRE(is_close(same_bits::hypot(x, y), std::hypot(x, y)));
      REQUIRE(is_close(same_bits::pow(x, y), std::pow(x, y)));
    }
  }
}

TEST_CASE("elementary: the bits are those that every other build has", "[core][elementary][fast]") {
  if (may_fuse) ACTIO_SKIP("the compiler may fuse multiplications and additions");
  Random random(6);
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a, of 64 bits at once
  const auto add = [&](double x) { hash = (hash ^ (std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x))) * 0x100000001B3U; };
  for (int k = 0; k < 20000; ++k) {
    const double x = random.of_scale(-30, 30), y = random.of_scale(-30, 30), size = std::abs(x), part = random.between(-1, 1);
    add(same_bits::sin(x)), add(same_bits::cos(x)), add(same_bits::atan2(x, y)), add(same_bits::asin(part)), add(same_bits::acos(part));
    add(same_bits::exp(part * 700)), add(same_bits::expm1(part)), add(same_bits::log(size)), add(same_bits::log1p(size));
    add(same_bits::log2(size)), add(same_bits::pow(size, part * 20)), add(same_bits::cbrt(x)), add(same_bits::hypot(x, y));
    add(same_bits::sin(std::ldexp(x, 500))), add(same_bits::cos(std::ldexp(y, 900)));
  }
  CHECK(hash == 0xA032D65CDB48A23E);
}

TEST_CASE("elementary: the library calls these functions in a reproducible build, and otherwise those of the standard library",
          "[core][elementary][fast]") {
  Random random(7);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.between(-3, 3), y = random.between(0, 3);
#ifdef ACTIO_REPRODUCIBLE
    REQUIRE(elementary::sin(x) == same_bits::sin(x));
    REQUIRE(elementary::pow(y, x) == same_bits::pow(y, x));
#else
    REQUIRE(elementary::sin(x) == std::sin(x));
    REQUIRE(elementary::pow(y, x) == std::pow(y, x));
#endif
    const auto [sine, cosine] = elementary::sin_cos(x);
    REQUIRE((sine == elementary::sin(x) && cosine == elementary::cos(x)));
  }
}

}  // namespace elementary_test
