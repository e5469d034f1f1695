// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Coefficients of exp, log and their tangents as functions of t^2 = |w|^2: every small-angle branch of the library is here.
// All are exact to a few roundings at every angle, in float and double, and smooth at zero also on dual numbers, because
// near zero they are polynomials in t^2 without a square root. Formulas: [vi_math.md, section 1.1].
#include <array>
#include <cstddef>
#include <type_traits>

#include "actio/core/elementary.hpp"
#include "actio/core/scalar.hpp"

/// Coefficients of exp, log and their tangents, functions of t^2 = |w|^2.                           [vi_math.md, section 1.1]
namespace actio::series {

/// Coefficients of  exp(w) = I + A hat(w) + B hat(w)^2,  dexp(w) = I + B hat(w) + C hat(w)^2.
template <class S>
struct Exp {
  S A;  ///< sin t / t
  S B;  ///< (1 - cos t) / t^2
  S C;  ///< (t - sin t) / t^3
  /// Returns, lane by lane, a where the mask is true and b elsewhere.
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend Exp select(const Mask& mask, const Exp& a, const Exp& b) {
    return {select(mask, a.A, b.A), select(mask, a.B, b.B), select(mask, a.C, b.C)};
  }
};

/// Coefficients of dexp on SE(3): B, C and their derivatives divided by t.
template <class S>
struct Dexp {
  ///@{
  /// As in Exp.
  S B, C;
  ///@}
  S B1;  ///< B'(t) / t
  S C1;  ///< C'(t) / t
  /// Returns, lane by lane, a where the mask is true and b elsewhere.
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend Dexp select(const Mask& mask, const Dexp& a, const Dexp& b) {
    return {select(mask, a.B, b.B), select(mask, a.C, b.C), select(mask, a.B1, b.B1), select(mask, a.C1, b.C1)};
  }
};

/// The unit quaternion of a rotation vector w is (c, s w).
template <class S>
struct HalfAngle {
  S c;  ///< cos(t/2)
  S s;  ///< sin(t/2) / t
  /// Returns, lane by lane, a where the mask is true and b elsewhere.
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend HalfAngle select(const Mask& mask, const HalfAngle& a, const HalfAngle& b) {
    return {select(mask, a.c, b.c), select(mask, a.s, b.s)};
  }
};

/// Coefficients of  dlog(w) = I - hat(w)/2 + g hat(w)^2:  g and its derivative divided by t.
template <class S>
struct Dlog {
  S g;   ///< (1 - (t/2) cot(t/2)) / t^2
  S g1;  ///< g'(t) / t
};

/// As Dlog, with the second derivative.
template <class S>
struct Dlog2 {
  ///@{
  /// As in Dlog.
  S g, g1;
  ///@}
  S g2;  ///< g1'(t) / t
};

namespace detail {

/// Returns near() where the mask is true and far() elsewhere. Plain numbers evaluate one of the two, a batch those that its lanes need.
template <class Mask, class Near, class Far>
auto where(const Mask& mask, const Near& near, const Far& far) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? near() : far();
  } else {
    if (all(mask)) return near();
    const auto elsewhere = far();
    return any(mask) ? select(mask, near(), elsewhere) : elsewhere;
  }
}

template <class V, std::size_t N>
using Coefficients = std::array<V, N>;

/// Returns the number of terms that makes a series exact to rounding in V: float needs fewer than double.
template <class V>
constexpr std::size_t terms(std::size_t in_float, std::size_t in_double) {
  return std::numeric_limits<V>::digits <= 24 ? in_float : in_double;
}

/// Returns c[0] + c[1] x + c[2] x^2 + .... Even and odd powers are summed separately, because each step waits for the one before it.
template <class S, class V, std::size_t N>
S polynomial(const Coefficients<V, N>& c, const S& x) {
  static_assert(N >= 4);
  const S x2 = x * x;
  constexpr std::size_t even = N % 2 == 0 ? N - 2 : N - 1, odd = N % 2 == 0 ? N - 1 : N - 2;
  S sum_even = x2 * S(c[even]) + S(c[even - 2]);
  S sum_odd = x2 * S(c[odd]) + S(c[odd - 2]);
  for (std::size_t i = even - 2; i >= 2; i -= 2) sum_even = sum_even * x2 + S(c[i - 2]);
  for (std::size_t i = odd - 2; i >= 3; i -= 2) sum_odd = sum_odd * x2 + S(c[i - 2]);
  return sum_odd * x + sum_even;
}

/// Returns the first N coefficients entry(k), each rounded once.
template <class V, std::size_t N, class Entry>
constexpr Coefficients<V, N> table(Entry entry) {
  Coefficients<V, N> c{};
  for (std::size_t k = 0; k < N; ++k) c[k] = static_cast<V>(entry(k));
  return c;
}

constexpr long double inverse_factorial(std::size_t n) {
  long double f = 1;
  for (std::size_t i = 2; i <= n; ++i) f *= static_cast<long double>(i);
  return 1 / f;
}

/// Returns the coefficients of  sum (-1)^k t^2k / (2k + offset)!,  which is cos t, A, B, C for offset 0, 1, 2, 3.
template <class V, std::size_t N>
constexpr Coefficients<V, N> trigonometric(std::size_t offset, long double scale = 1, long double ratio = 1) {
  return table<V, N>([=](std::size_t k) {
    long double r = scale;
    for (std::size_t i = 0; i < k; ++i) r *= -ratio;
    return r * inverse_factorial(2 * k + offset);
  });
}

/// Returns the coefficients of the derivative of that series divided by t:  sum (-1)^(k+1) 2 (k+1) t^2k / (2k + 2 + offset)!.
template <class V, std::size_t N>
constexpr Coefficients<V, N> trigonometric_derivative(std::size_t offset) {
  return table<V, N>(
      [=](std::size_t k) { return static_cast<long double>(2 * (k + 1)) * inverse_factorial(2 * k + 2 + offset) * (k % 2 == 0 ? -1 : 1); });
}

/// Returns the coefficients of 2 asin(s) / s in powers of s^2.
template <class V, std::size_t N>
constexpr Coefficients<V, N> twice_arcsine() {
  return table<V, N>([](std::size_t k) {
    long double r = 2;
    for (std::size_t i = 1; i <= k; ++i) r *= static_cast<long double>(2 * i - 1) / static_cast<long double>(2 * i);
    return r / static_cast<long double>(2 * k + 1);
  });
}

// g has poles at t = 2 pi n:  g = sum_n 2 / ((2 pi n)^2 - t^2).  The power series without the first
// two poles converges up to t = 6 pi. Its terms are all positive, so that g, g1 and g2 do not lose digits by cancellation as the closed
// forms do.
inline constexpr long double pi = 3.14159265358979323846264338327950288L;  // that of libc++'s <numbers> has the digits of a double only
inline constexpr long double pole1 = 4 * pi * pi;
inline constexpr long double pole2 = 4 * pole1;

/// 2 sum_{n >= 3} (2 pi n)^(-2k-2), the power series of g without its first two poles.
inline constexpr std::array<long double, 15> g_tail{2.0007593556872226181e-2L,  2.543812068862562158e-5L,   5.5845683904944151311e-8L,
                                                    1.4088241574761046862e-10L, 3.7567162002157978115e-13L, 1.0280125375360461078e-15L,
                                                    2.8500221292137912383e-18L, 7.9555754107198449836e-21L, 2.2289326645537011567e-23L,
                                                    6.2574711508057722392e-26L, 1.7586730492909679891e-28L, 4.9458469500579387389e-31L,
                                                    1.3913826789080879928e-33L, 3.9150442526453142427e-36L, 1.1017268914671418779e-38L};

/// Returns |B_{2k+2}| / (2k+2)!, coefficient k of the power series of g: 1/12, 1/720, 1/30240, ...
constexpr long double g_coefficient(std::size_t k) {
  long double first = 2, second = 2;
  for (std::size_t i = 0; i <= k; ++i) {
    first /= pole1;
    second /= pole2;
  }
  return g_tail[k] + (second + first);
}

/// Returns coefficient k of the d-th derivative "over t" ((1/t) d/dt, which is 2 d/d(t^2)) of a series c.
template <class Series>
constexpr long double derived(Series c, std::size_t d, std::size_t k) {
  return d == 0 ? c(k) : static_cast<long double>(2 * (k + 1)) * derived(c, d - 1, k + 1);
}

/// Returns pole - t^2, corrected for the rounding of the pole, so that it is exact close to the pole.
template <class S>
S below_pole(long double pole, const S& t2) {
  using V = ValueOf<S>;
  const V high = static_cast<V>(pole);
  return (S(high) - t2) + S(static_cast<V>(pole - static_cast<long double>(high)));
}

/// The first D of g, g1, g2.
template <std::size_t D, class S>
struct DlogArray {
  std::array<S, D> c;
  template <class Mask>
  requires(!std::is_same_v<Mask, bool>) friend DlogArray select(const Mask& mask, const DlogArray& a, const DlogArray& b) {
    DlogArray r = a;
    for (std::size_t i = 0; i < D; ++i) r.c[i] = select(mask, a.c[i], b.c[i]);
    return r;
  }
};

template <std::size_t D, class S>
DlogArray<D, S> dlog_series(const S& t2) {  // t <= 1
  using V = ValueOf<S>;
  constexpr std::size_t n = terms<V>(6, 12);
  static constexpr auto c0 = table<V, n>([](std::size_t k) { return derived(g_coefficient, 0, k); });
  static constexpr auto c1 = table<V, n>([](std::size_t k) { return derived(g_coefficient, 1, k); });
  static constexpr auto c2 = table<V, n>([](std::size_t k) { return derived(g_coefficient, 2, k); });
  DlogArray<D, S> r;
  r.c[0] = polynomial(c0, t2);
  if constexpr (D > 1) r.c[1] = polynomial(c1, t2);
  if constexpr (D > 2) r.c[2] = polynomial(c2, t2);
  return r;
}

template <std::size_t D, class S>
DlogArray<D, S> dlog_poles(const S& t2) {  // t^2 <= 40, just beyond (2 pi)^2
  using V = ValueOf<S>;
  constexpr std::size_t n = terms<V>(9, 15);
  constexpr auto tail = [](std::size_t k) { return g_tail[k]; };
  static constexpr auto c0 = table<V, n>([tail](std::size_t k) { return derived(tail, 0, k); });
  static constexpr auto c1 = table<V, n - 1>([tail](std::size_t k) { return derived(tail, 1, k); });
  static constexpr auto c2 = table<V, n - 2>([tail](std::size_t k) { return derived(tail, 2, k); });
  const S a = S(1) / below_pole(pole1, t2), b = S(1) / below_pole(pole2, t2);
  DlogArray<D, S> r;
  r.c[0] = polynomial(c0, t2) + S(2) * b + S(2) * a;
  if constexpr (D > 1) r.c[1] = polynomial(c1, t2) + S(4) * b * b + S(4) * a * a;
  if constexpr (D > 2) r.c[2] = polynomial(c2, t2) + S(16) * b * b * b + S(16) * a * a * a;
  return r;
}

template <std::size_t D, class S>
DlogArray<D, S> dlog_closed(const S& t2) {
  using elementary::sin_cos, std::sqrt;
  const S t = sqrt(t2), half = t / S(2);
  const auto [sine, cosine] = sin_cos(half);
  const S c = cosine / sine, k = S(1) / (sine * sine);
  const S first = (t * k / S(4) - c / S(2)) / t2;  // g' + 2 g/t
  DlogArray<D, S> r;
  r.c[0] = (S(1) - half * c) / t2;
  if constexpr (D > 1) r.c[1] = (first - S(2) * r.c[0] / t) / t;
  if constexpr (D > 2) {
    const S second = (k / S(2) - t * k * c / S(4)) / t2 - S(2) * first / t - S(2) * r.c[1] + S(2) * r.c[0] / t2;
    r.c[2] = (second - r.c[1]) / t2;
  }
  return r;
}

template <std::size_t D, class S>
DlogArray<D, S> dlog(const S& t2) {
  return where(
      t2 < S(1), [&] { return dlog_series<D>(t2); },
      [&] {
        return where(
            t2 < S(40), [&] { return dlog_poles<D>(t2); }, [&] { return dlog_closed<D>(t2); });
      });
}

}  // namespace detail

/// Returns A, B, C at t^2 [rad^2], of any size.
template <Scalar S>
Exp<S> exp_coefficients(const S& t2) {
  using V = ValueOf<S>;
  constexpr std::size_t n = detail::terms<V>(6, 9);
  static constexpr auto a = detail::trigonometric<V, n>(1);
  static constexpr auto b = detail::trigonometric<V, n>(2);
  static constexpr auto c = detail::trigonometric<V, n>(3);
  return detail::where(
      t2 < S(1),
      [&] {
        return Exp<S>{detail::polynomial(a, t2), detail::polynomial(b, t2), detail::polynomial(c, t2)};
      },
      [&] {
        using elementary::sin, std::sqrt;
        const S t = sqrt(t2), sine = sin(t), half = sin(t / S(2)) / t;
        return Exp<S>{sine / t, S(2) * half * half, (t - sine) / (t2 * t)};
      });
}

/// Returns B, C, B'/t, C'/t at t^2 [rad^2], of any size. The closed forms of the derivatives suffer from cancellation: hence the longer
/// series up to t = 3.
template <Scalar S>
Dexp<S> dexp_coefficients(const S& t2) {
  using V = ValueOf<S>;
  const auto up_to = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    static constexpr auto b = detail::trigonometric<V, n>(2);
    static constexpr auto c = detail::trigonometric<V, n>(3);
    static constexpr auto b1 = detail::trigonometric_derivative<V, n>(2);
    static constexpr auto c1 = detail::trigonometric_derivative<V, n>(3);
    return Dexp<S>{detail::polynomial(b, t2), detail::polynomial(c, t2), detail::polynomial(b1, t2), detail::polynomial(c1, t2)};
  };
  return detail::where(
      t2 < S(1), [&] { return up_to(std::integral_constant<std::size_t, detail::terms<V>(6, 9)>{}); },
      [&] {
        return detail::where(
            t2 < S(9), [&] { return up_to(std::integral_constant<std::size_t, detail::terms<V>(10, 15)>{}); },
            [&] {
              const Exp<S> e = exp_coefficients(t2);
              return Dexp<S>{e.B, e.C, (e.A - S(2) * e.B) / t2, (e.B - S(3) * e.C) / t2};
            });
      });
}

/// Returns cos(t/2) and sin(t/2)/t at t^2 [rad^2], of any size.
template <Scalar S>
HalfAngle<S> half_angle(const S& t2) {
  using V = ValueOf<S>;
  constexpr std::size_t n = detail::terms<V>(5, 8);
  static constexpr auto c = detail::trigonometric<V, n>(0, 1.0L, 0.25L);
  static constexpr auto s = detail::trigonometric<V, n>(1, 0.5L, 0.25L);
  return detail::where(
      t2 < S(1),
      [&] {
        return HalfAngle<S>{detail::polynomial(c, t2), detail::polynomial(s, t2)};
      },
      [&] {
        using elementary::sin_cos, std::sqrt;
        const S t = sqrt(t2);
        const auto [sine, cosine] = sin_cos(S(t / S(2)));
        return HalfAngle<S>{cosine, sine / t};
      });
}

/// Returns g at t^2 [rad^2]; like g1 and g2 it has poles at t = 2 pi n, n > 0, and is regular at pi.
template <Scalar S>
S dlog_coefficient(const S& t2) {
  return detail::dlog<1>(t2).c[0];
}

/// Returns g and g1 at t^2 [rad^2].
template <Scalar S>
Dlog<S> dlog_coefficients(const S& t2) {
  const auto r = detail::dlog<2>(t2);
  return {r.c[0], r.c[1]};
}

/// Returns g, g1 and g2 at t^2 [rad^2].
template <Scalar S>
Dlog2<S> dlog_coefficients2(const S& t2) {
  const auto r = detail::dlog<3>(t2);
  return {r.c[0], r.c[1], r.c[2]};
}

/// Returns 2 atan2(|v|, w) / |v|; v times this factor is the rotation vector of the unit quaternion (w, v).
/// @param v2 |v|^2.  @param w >= 0, with w^2 + v2 = 1 up to rounding: a small defect is accounted for to first order.
template <Scalar S>
S log_factor(const S& v2, const S& w) {
  using V = ValueOf<S>;
  static constexpr auto c = detail::twice_arcsine<V, detail::terms<V>(6, 13)>();
  return detail::where(
      v2 < S(V(1) / V(16)),
      [&] {
        const S defect = (w * w - S(1)) + v2;  // atan2 does not depend on the norm, asin(|v|) does
        const S sine2 = v2 - v2 * defect;
        const S r = detail::polynomial(c, sine2);
        return S(r - r * defect / S(2));
      },
      [&] {
        using elementary::atan2, std::sqrt;
        const S sine = sqrt(v2);
        return S(S(2) * atan2(sine, w) / sine);
      });
}

}  // namespace actio::series
