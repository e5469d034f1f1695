// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// sin, cos, atan2, asin and acos with the same bits on every processor and from every compiler that rounds as IEEE 754 requires.
// Coefficients are those of Chebyshev interpolation, computed with 300 bits; errors are measured in tests/core/elementary_test.cpp.
#include <cmath>

#include "actio/core/same_bits/exact.hpp"

namespace actio::same_bits {

/// The sine and the cosine of an angle.
template <class T>
struct SinCos {
  T sin,    ///< its sine
      cos;  ///< its cosine
};

namespace detail {

inline constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_rest = 0x1.1a62633145c07p-54;

/// An angle: quarters pi/2 + r.hi + r.lo, |r.hi| <= pi/4 and a rounding error more.
template <class T>
struct Reduced {
  T quarters;  ///< a whole number modulo 4, -2 ... 2
  Two<T> r;    ///< [rad]
};

inline constexpr double moderate_angle = 0x1p20;  ///< below it reduce() is exact to 2^-130 rad

/// Returns an angle without its quarters of a turn. pi/2 is subtracted in four parts: the products with the first three, of 33 bits, are
/// exact.
/// @param x below moderate_angle [rad].                              [Cody and Waite 1980]
template <class T>
Reduced<T> reduce(const T& x) {
  const T k = nearest(T(x * T(0x1.45f306dc9c883p-1)));  // 2/pi
  const T far = x - k * T(0x1.921fb544p+0);
  const Two<T> near = two_sum(far, T(-(k * T(0x1.0b4611a6p-34))));
  const Two<T> nearer = two_sum(near.hi, T(-(k * T(0x1.3198a2ep-69))));
  const T rest = -(k * T(0x1.b839a252049c1p-104) - (near.lo + nearer.lo));  // -0 for x = -0, which remains
  return {k - T(4) * nearest(T(k * T(0.25))), two_sum_ordered(nearer.hi, rest)};
}

/// As reduce(), for an angle of any size. Only the bits of 2/pi count that a fraction of a turn depends on.
/// @param x finite, moderate_angle or more in magnitude.                     [Payne and Hanek 1983]
inline Reduced<double> reduce_huge(double x) {
  static constexpr std::uint32_t two_over_pi[] = {
      0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
      0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
      0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
      0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046};  // words of its binary fraction
  const std::uint64_t bits = bits_of(magnitude(x)), m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;
  const int e = static_cast<int>(bits >> 52U) - 1075;  // |x| = m 2^e
  const int first = e >= 2 ? (e - 2) / 32 : 0;         // the words before it make multiples of four quarters
  std::uint32_t product[9] = {};                       // m times seven words, the lowest first
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t factor = half == 0 ? m & 0xFFFFFFFF : m >> 32U;
    std::uint64_t carry = 0;
    for (int k = 0; k < 7; ++k) {
      carry += factor * two_over_pi[first + 6 - k] + product[k + half];
      product[k + half] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    product[7 + half] = static_cast<std::uint32_t>(carry);
  }
  const int shift = e - 32 * (first + 1) + 64, words = shift / 32, rest = shift % 32;  // 0 ... 65: puts the point below word 8
  std::uint32_t number[9] = {};
  for (int k = words; k < 9; ++k) {
    const std::uint64_t both = std::uint64_t(product[k - words]) << 32U | (k > words ? product[k - words - 1] : 0U);
    number[k] = static_cast<std::uint32_t>(both >> static_cast<unsigned>(32 - rest));
  }
  const bool is_above_half = (number[7] >> 31U) != 0;
  std::uint32_t quarters = number[8];
  if (is_above_half) {  // 1 - fraction, of the next quarter
    ++quarters;
    std::uint64_t carry = 1;
    for (int k = 0; k < 8; ++k) {
      carry += static_cast<std::uint32_t>(~number[k]);
      number[k] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
  }
  Two<double> fraction{0, 0};
  double unit = 0x1p-32;
  for (int k = 7; k >= 2; --k, unit *= 0x1p-32) {
    const Two<double> sum = two_sum(fraction.hi, number[k] * unit);
    fraction = {sum.hi, fraction.lo + sum.lo};
  }
  const Two<double> product_hi = two_product(fraction.hi, half_pi);
  const Two<double> r = two_sum_ordered(product_hi.hi, product_hi.lo + (fraction.hi * half_pi_rest + fraction.lo * half_pi));
  const double turn = (quarters & 3U) == 3U ? -1.0 : static_cast<double>(quarters & 3U), side = x < 0 ? -1.0 : 1.0;
  const double r_side = is_above_half ? -side : side;
  return {side * turn, {r_side * r.hi, r_side * r.lo}};
}

/// Returns sin(r).  @param r up to pi/4.
template <class T>
T sin_of_rest(const Two<T>& r) {
  static constexpr double c[] = {-0x1.5555555555555p-3,  0x1.1111111111110p-7,  -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19,
                                 -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33, -0x1.ab17a79237a19p-41};
  const T z = r.hi * r.hi;
  return select(z < T(0x1p-60), r.hi, T(r.hi + (r.hi * z * polynomial(c, z) + r.lo * (T(1) - T(0.5) * z))));  // the first also keeps -0
}
/// Returns cos(r).  @param r up to pi/4.
template <class T>
T cos_of_rest(const Two<T>& r) {
  static constexpr double c[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16,
                                 -0x1.27e4fa17a41b4p-22, 0x1.1eeb68b109173p-29,  -0x1.907d7aebd5e3dp-37};
  const T z = r.hi * r.hi, half = T(0.5) * z, near = T(1) - half;
  return near + (((T(1) - near) - half) + (z * z * polynomial(c, z) - r.hi * r.lo));
}
template <class T>
SinCos<T> sin_cos_of(const Reduced<T>& x) {
  const T square = x.quarters * x.quarters, even = T(1) - T(0.5) * square;  // of quarters 0, 2: 1, -1
  const auto is_odd = (square - T(1)) * (square - T(1)) < T(0.5);
  const T s = sin_of_rest(x.r), c = cos_of_rest(x.r);
  return {select(is_odd, T(x.quarters * c), T(even * s)), select(is_odd, T(-(x.quarters * s)), T(even * c))};
}

/// Returns the angle of (x, y) to the first axis, -pi ... pi: centre + atan(q) with the centre among atan 0, atan 1/2 and atan 1, |q| <
/// 1/4, then mirrored to the octant. Has no branches.
template <class T>
T angle_of(const T& y, const T& x) {
  static constexpr double c[] = {-0x1.5555555555555p-2, 0x1.999999999980dp-3,  -0x1.2492492469193p-3,
                                 0x1.c71c719248c2fp-4,  -0x1.745d0644255b7p-4, 0x1.3b109b71caa1fp-4,
                                 -0x1.10bc760123e48p-4, 0x1.d73552d7ba04ep-5,  -0x1.4fd33b00c8e83p-5};
  const T size_x = magnitude(x), size_y = magnitude(y), most(std::numeric_limits<double>::max());
  const auto is_steep = size_x < size_y;
  T large = select(is_steep, size_y, size_x), small = select(is_steep, size_x, size_y);
  const auto is_infinite = large > most;
  small = select(is_infinite, select(small > most, T(1), T(small * T(0))), small);  // keeps a NaN
  large = select(is_infinite, T(1), select(large < T(0x1p-1074), T(1), large));
  const T scale = select(large > T(0x1p1000), T(0x1p-100), select(large < T(0x1p-900), T(0x1p100), T(1)));
  small = small * scale;
  large = large * scale;

  const auto is_past_half = small > T(0.72) * large, is_past_zero = small > T(0.25) * large;  // large / 2 is then subtracted exactly
  const T tangent = select(is_past_half, T(1), select(is_past_zero, T(0.5), T(0)));
  const T centre = select(is_past_half, T(0x1.921fb54442d18p-1), select(is_past_zero, T(0x1.dac670561bb4fp-2), T(0)));
  const T centre_rest = select(is_past_half, T(0x1.1a62633145c07p-55), select(is_past_zero, T(0x1.a2b7f222f65e2p-56), T(0)));
  const T q = (small - tangent * large) / (large + tangent * small), z = q * q;

  const auto is_left = has_sign(x);
  const T quarters = select(is_steep, T(1), select(is_left, T(2), T(0)));
  const T side = select(is_steep, select(is_left, T(1), T(-1)), select(is_left, T(-1), T(1)));
  const Two<T> base = two_sum_ordered(T(quarters * T(half_pi)), T(side * centre));
  const T rest = (base.lo + (quarters * T(half_pi_rest) + side * centre_rest)) + side * q * z * polynomial(c, z);
  return with_sign_of(y, T(base.hi + (side * q + rest)));
}

inline Reduced<double> reduced(double x) {
  if (magnitude(x) < moderate_angle) return reduce(x);
  if (!(magnitude(x) < infinity)) return {0, {not_a_number, not_a_number}};
  return reduce_huge(x);
}

}  // namespace detail

///@{
/// Return the sine and the cosine of x [rad], of any size, to 1 ulp; NaN for an infinite one.
inline SinCos<double> sin_cos(double x) { return detail::sin_cos_of(detail::reduced(x)); }
inline double sin(double x) { return sin_cos(x).sin; }
inline double cos(double x) { return sin_cos(x).cos; }
///@}
/// Returns the angle of the point (x, y) to the first axis, to 2 ulp: in -pi ... pi, also for zeros and infinities as std::atan2 [rad].
inline double atan2(double y, double x) { return detail::angle_of(y, x); }
///@{
/// Return the angles with this sine and cosine, to 3 ulp [rad]; NaN beyond -1 ... 1.
inline double asin(double x) { return atan2(x, std::sqrt((1 - x) * (1 + x))); }
inline double acos(double x) { return atan2(std::sqrt((1 - x) * (1 + x)), x); }
///@}

///@{
/// In single precision: computed in double precision, then rounded.
inline SinCos<float> sin_cos(float x) {
  const SinCos<double> both = sin_cos(static_cast<double>(x));
  return {static_cast<float>(both.sin), static_cast<float>(both.cos)};
}
inline float sin(float x) { return sin_cos(x).sin; }
inline float cos(float x) { return sin_cos(x).cos; }
inline float atan2(float y, float x) { return static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x))); }
inline float asin(float x) { return static_cast<float>(asin(static_cast<double>(x))); }
inline float acos(float x) { return static_cast<float>(acos(static_cast<double>(x))); }
///@}

}  // namespace actio::same_bits
