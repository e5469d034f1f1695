// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sums and products without rounding error, as two numbers, and the bits of a double: the parts of which same_bits is made.
// Written for a number type T of doubles that has + - * / and comparisons, so that a SIMD batch computes the same bits in each lane.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "actio/core/scalar.hpp"

namespace actio::same_bits::detail {

/// A number in two parts, hi + lo, where lo is at most a rounding error of hi.
template <class T>
struct Two {
  T hi, lo;
};

/// Returns a + b exactly.                                                          [Knuth 1998, section 4.2.2]
template <class T>
Two<T> two_sum(const T& a, const T& b) {
  const T sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// Returns a + b exactly.  @param a is zero, or |a| >= |b|.                        [Dekker 1971]
template <class T>
Two<T> two_sum_ordered(const T& a, const T& b) {
  const T sum = a + b;
  return {sum, b - (sum - a)};
}
/// Returns a b exactly.  @param a, b below 2^996, their product above 2^-969.      [Dekker 1971]
template <class T>
Two<T> two_product(const T& a, const T& b) {
  const T split(134217729.0), a_split = split * a, b_split = split * b;  // 2^27 + 1
  const T a_hi = a_split - (a_split - a), a_lo = a - a_hi, b_hi = b_split - (b_split - b), b_lo = b - b_hi;
  const T product = a * b;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

/// Returns the integer nearest to x, the even one of two.  @param |x| < 2^51.
template <class T>
T nearest(const T& x) {
  const T shift(6755399441055744.0);  // 1.5 2^52: the sum has no bits for a fraction
  return (x + shift) - shift;
}

/// Returns c[0] + c[1] x + c[2] x^2 + .... Even and odd powers are summed separately, because each step waits for the one before it.
template <class T, std::size_t n>
T polynomial(const double (&c)[n], const T& x) {
  static_assert(n >= 4);
  constexpr std::size_t even = n % 2 == 0 ? n - 2 : n - 1, odd = n % 2 == 0 ? n - 1 : n - 2;
  const T x2 = x * x;
  T sum_even(c[even]), sum_odd(c[odd]);
  for (std::size_t k = even; k >= 2; k -= 2) sum_even = sum_even * x2 + T(c[k - 2]);
  for (std::size_t k = odd; k >= 3; k -= 2) sum_odd = sum_odd * x2 + T(c[k - 2]);
  return sum_odd * x + sum_even;
}

///@{
/// Convert a number to its bits and back. Not by std::bit_cast, which the standard library of Emscripten's clang 14 lacks.
inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline double number_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
///@}
inline constexpr std::uint64_t sign_bit = std::uint64_t(1) << 63U;
inline constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

///@{
/// What sin, cos and atan2 need beside arithmetic, comparisons and select(); a batch has its own, found by argument-dependent lookup.
inline double magnitude(double x) { return number_of(bits_of(x) & ~sign_bit); }  ///< |x|
inline bool has_sign(double x) { return bits_of(x) >= sign_bit; }                ///< also of -0
/// Returns |x| with the sign of s.
inline double with_sign_of(double s, double x) { return number_of((bits_of(x) & ~sign_bit) | (bits_of(s) & sign_bit)); }
///@}

/// Returns 2^k.  @param k -1022 ... 1023.
inline double power_of_two(int k) { return number_of(static_cast<std::uint64_t>(k + 1023) << 52U); }
/// Returns 2^k x, rounded once.  @param x a normal number, k such that -1100 ... 1024 is the range of the result's exponent.
inline double scaled(double x, int k) { return x * power_of_two(k / 2) * power_of_two(k - k / 2); }

/// A positive number 2^exponent mantissa, sqrt(1/2) <= mantissa < sqrt(2).
struct Decomposed {
  int exponent;
  double mantissa;
};
/// @param x positive and finite.
inline Decomposed decompose(double x) {
  constexpr std::uint64_t root_of_half = 0x3FE6A09E667F3BCD;  // the bits of sqrt(1/2)
  const bool is_subnormal = x < 0x1p-1022;
  const std::uint64_t bits = bits_of(is_subnormal ? x * 0x1p54 : x);
  const int exponent = static_cast<int>(static_cast<std::int64_t>(bits - root_of_half) >> 52U);  // rounded down
  const std::uint64_t shift = static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)) << 52U;
  return {is_subnormal ? exponent - 54 : exponent, number_of(bits - shift)};
}

}  // namespace actio::same_bits::detail
