// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// exp, log and their relatives, powers and roots, with the same bits on every processor and from every compiler that rounds as IEEE 754
// requires. Coefficients are those of Chebyshev interpolation; errors are measured in tests/core/elementary_test.cpp.
#include <cmath>

#include "actio/core/same_bits/exact.hpp"

namespace actio::same_bits {

namespace detail {

inline constexpr double ln2_first = 0x1.62e42fee00000p-1, ln2_rest = 0x1.a39ef35793c76p-33;  // 32 bits, so that k ln2_first is exact

/// 2^exponent (1 + (r + rest)), |r| <= ln(2)/2.
struct Exponential {
  int exponent;
  double r, rest;
};
/// Returns exp(x + x_rest).  @param x between -760 and 760.
inline Exponential exponential(double x, double x_rest = 0) {
  static constexpr double c[] = {0x1.5555555555555p-3,  0x1.5555555554cb7p-5,  0x1.1111111110e6ap-7,
                                 0x1.6c16c1738ff55p-10, 0x1.a01a01a4b322fp-13, 0x1.a019c9a5652d3p-16,
                                 0x1.71de17e40edfep-19, 0x1.2880411bad1aap-22, 0x1.af236aac51d05p-26};
  const double k = nearest(x * 0x1.71547652b82fep+0);  // 1/ln 2
  const Two<double> part = two_sum(x - k * ln2_first, -(k * ln2_rest)), r = two_sum_ordered(part.hi, part.lo + x_rest);
  return {static_cast<int>(k), r.hi, r.hi * r.hi * (0.5 + r.hi * polynomial(c, r.hi)) + (r.lo + r.lo * r.hi)};
}
inline double evaluate(const Exponential& e) { return scaled(1 + (e.r + e.rest), e.exponent); }

/// Returns ln(2^exponent (1 + f)) + rest.  @param 1 + f between sqrt(1/2) and sqrt(2).
inline double logarithm(int exponent, double f, double rest) {
  static constexpr double c[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476c42p-2, 0x1.c71c720168526p-3,
                                 0x1.745cf8fe328f9p-3, 0x1.3b1c36b445cebp-3, 0x1.0fbe71ad855c9p-3, 0x1.0c05166ec4148p-3};
  // ln(1 + f) = 2 artanh(s) = 2 s + s^3 c(s^2), and 2 s = f - s f
  const double s = f / (2 + f), z = s * s, half = 0.5 * f * f, k = exponent;
  return k * ln2_first - ((half - (s * (half + z * polynomial(c, z)) + (k * ln2_rest + rest))) - f);
}

/// Returns ln(x) with an error of 2^-65 of it.  @param x positive and finite.
inline Two<double> precise_logarithm(double x) {
  static constexpr double c[] = {0x1.999999999999ep-2, 0x1.249249248e528p-2, 0x1.c71c71d7ea2cfp-3, 0x1.745d09ef07fc1p-3,
                                 0x1.3b18b95437042p-3, 0x1.1018a101268bcp-3, 0x1.08792f79f52f8p-3};
  const Decomposed parts = decompose(x);
  // ln(1 + f) = 2 artanh(s) = s (2 + 2/3 s^2 + s^4 c(s^2)),  s = f / (2 + f)
  const double f = parts.mantissa - 1, s = f / (2 + f), k = parts.exponent;
  const Two<double> below = two_sum_ordered(2.0, f), s_below = two_product(s, below.hi);
  const double s_rest = (((f - s_below.hi) - s_below.lo) - s * below.lo) / below.hi;
  const Two<double> square = two_product(s, s);
  const double square_rest = square.lo + 2 * s * s_rest;
  const Two<double> third = two_product(square.hi, 0x1.5555555555555p-1);
  const double third_rest = third.lo + (square_rest * 0x1.5555555555555p-1 + square.hi * 0x1.5555555555555p-55);
  const Two<double> sum = two_sum_ordered(third.hi, third_rest + square.hi * square.hi * polynomial(c, square.hi));
  const Two<double> further = two_product(s, sum.hi);
  const Two<double> all = two_sum_ordered(2 * s, further.hi);
  const double all_rest = all.lo + (further.lo + (2 * s_rest + (s * sum.lo + s_rest * sum.hi)));
  const Two<double> with_exponent = two_sum(k * ln2_first, all.hi);
  return two_sum_ordered(with_exponent.hi, with_exponent.lo + (all_rest + k * ln2_rest));
}

/// Returns x^y.  @param x positive and finite, y finite.
inline double positive_power(double x, double y) {
  if (magnitude(y) > 0x1p70) {  // so that products below do not overflow; ln x is 2^-53 or more
    if (x == 1) return 1;
    return (x > 1) == (y > 0) ? infinity : 0.0;
  }
  const Two<double> ln = precise_logarithm(x), product = two_product(y, ln.hi);
  if (product.hi > 710) return infinity;
  if (product.hi < -746) return 0;
  return evaluate(exponential(product.hi, product.lo + y * ln.lo));
}

}  // namespace detail

/// Returns e^x, to 1 ulp.
inline double exp(double x) {
  if (x > 710) return detail::infinity;
  if (x < -746) return 0;
  return x != x ? x : detail::evaluate(detail::exponential(x));
}
/// Returns e^x - 1, to 2 ulp, without cancellation.
inline double expm1(double x) {
  if (!(detail::magnitude(x) > 0x1p-54)) return x;
  if (x > 710) return detail::infinity;
  if (x < -40) return -1;
  if (x != x) return x;
  const detail::Exponential e = detail::exponential(x);
  if (e.exponent > 60) return detail::evaluate(e);
  const detail::Two<double> sum = detail::two_sum(1 - detail::power_of_two(-e.exponent), e.r);  // e^x - 1 = 2^k (1 - 2^-k + r + rest)
  return detail::scaled(sum.hi + (sum.lo + e.rest), e.exponent);
}
/// Returns the natural logarithm, to 1 ulp; NaN of a negative number.
inline double log(double x) {
  if (!(x > 0)) return x == 0 ? -detail::infinity : detail::not_a_number;
  if (!(x < detail::infinity)) return x;
  const detail::Decomposed parts = detail::decompose(x);
  return detail::logarithm(parts.exponent, parts.mantissa - 1, 0);
}
/// Returns ln(1 + x), to 2 ulp, without cancellation; NaN below -1.
inline double log1p(double x) {
  if (!(detail::magnitude(x) > 0x1p-54)) return x;
  if (!(x > -1)) return x == -1 ? -detail::infinity : detail::not_a_number;
  if (!(x < detail::infinity)) return x;
  const detail::Two<double> sum = detail::two_sum(1.0, x);
  const detail::Decomposed parts = detail::decompose(sum.hi);
  if (parts.exponent == 0) return detail::logarithm(0, x, 0);
  return detail::logarithm(parts.exponent, parts.mantissa - 1, sum.lo / sum.hi);
}
/// Returns the logarithm to base 2, to 2 ulp, exact for powers of two; NaN of a negative number.
inline double log2(double x) {
  if (!(x > 0) || !(x < detail::infinity)) return log(x);
  const detail::Decomposed parts = detail::decompose(x);
  return parts.exponent + detail::logarithm(0, parts.mantissa - 1, 0) * 0x1.71547652b82fep+0;
}
/// Returns x^y, to 1 ulp; for zeros, infinities, NaN and negative x as std::pow.
inline double pow(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (x != x || y != y) return x + y;
  const double size = detail::magnitude(x), size_y = detail::magnitude(y);
  const std::int64_t below = size_y < 0x1p53 ? static_cast<std::int64_t>(size_y) : 0;  // all larger numbers are even
  const bool is_whole = size_y >= 0x1p53 || static_cast<double>(below) == size_y,
             is_negative = detail::has_sign(x) && is_whole && below % 2 == 1;
  if (x < 0 && !is_whole && size < detail::infinity) return detail::not_a_number;
  double power = 0;
  if (!(size_y < detail::infinity))
    power = size == 1 ? 1.0 : (size > 1) == (y > 0) ? detail::infinity : 0.0;
  else if (size == 0 || !(size < detail::infinity))
    power = (size == 0) == (y < 0) ? detail::infinity : 0.0;
  else
    power = detail::positive_power(size, y);
  return is_negative ? -power : power;
}
/// Returns the cube root, to 1 ulp.
inline double cbrt(double x) {
  const double size = detail::magnitude(x);
  if (!(size > 0 && size < detail::infinity)) return x;
  const detail::Decomposed parts = detail::decompose(size);
  const int third = (parts.exponent + 1200) / 3 - 400;  // rounded down
  const double m = parts.mantissa * static_cast<double>(1 << (parts.exponent - 3 * third));
  double root = 0.6774 + m * (0.3338 - m * 0.02517);  // to a few hundredths
  for (int k = 0; k < 2; ++k) {                       // Halley's iteration, which triples the digits
    const double cube = root * root * root;
    root = root * (cube + 2 * m) / (2 * cube + m);
  }
  const detail::Two<double> square = detail::two_product(root, root), cube = detail::two_product(square.hi, root);
  root += (((m - cube.hi) - cube.lo) - square.lo * root) / (3 * square.hi);
  return detail::with_sign_of(x, root * detail::power_of_two(third));
}
/// Returns the length of (x, y), to 2 ulp, without overflow in between; infinite if one of them is.
inline double hypot(double x, double y) {
  const double a = detail::magnitude(x), b = detail::magnitude(y);
  if (a == detail::infinity || b == detail::infinity) return detail::infinity;
  const double most = a > b ? a : b;
  const double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1, p = a * scale, q = b * scale;
  return std::sqrt(p * p + q * q) * (1 / scale);
}

///@{
/// In single precision: computed in double precision, then rounded.
inline float exp(float x) { return static_cast<float>(exp(static_cast<double>(x))); }
inline float expm1(float x) { return static_cast<float>(expm1(static_cast<double>(x))); }
inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
inline float log2(float x) { return static_cast<float>(log2(static_cast<double>(x))); }
inline float pow(float x, float y) { return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y))); }
inline float cbrt(float x) { return static_cast<float>(cbrt(static_cast<double>(x))); }
inline float hypot(float x, float y) { return static_cast<float>(hypot(static_cast<double>(x), static_cast<double>(y))); }
///@}

}  // namespace actio::same_bits
