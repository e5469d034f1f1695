// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Several numbers in SIMD registers, which together are a Scalar: code written for one instance of a model then computes one instance in
// each lane.
#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "actio/core/elementary.hpp"
#include "actio/core/scalar.hpp"
#include "actio/core/types.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>  // Eigen has read it; all others took a sixth of the time to read actio.hpp
#endif

namespace actio {

namespace detail {

/// Largest number of bytes that the processor computes with at once.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

template <class T, std::size_t n>
struct Halves;
/// The type that stores n numbers: one register, or halves where one is not wide enough.
template <class T, std::size_t n, bool fits = (n * sizeof(T) <= register_bytes)>
struct LanesOf {
  typedef T type __attribute__((vector_size(n * sizeof(T))));
  static_assert(alignof(type) <= EIGEN_MAX_ALIGN_BYTES, "Eigen aligns its memory to less than a register, by EIGEN_MAX_ALIGN_BYTES");
};
template <class T, std::size_t n>
struct LanesOf<T, n, false> {
  using type = Halves<T, n / 2>;
};
template <class T, std::size_t n>
struct Halves {
  typename LanesOf<T, n>::type low, high;
};
/// The integer, 0 or -1, that a comparison of registers returns in a lane.
template <class S>
using Truth = std::remove_cvref_t<decltype((typename LanesOf<S, 2>::type{} < typename LanesOf<S, 2>::type{})[0])>;

///@{
/// Applies f to registers, half by half where there are several.  @tparam T type of an entry of the result.
template <class T, class F, class Register, class... More>
ACTIO_INLINE auto on_registers(F f, const Register& a, const More&... more) {
  return f(a, more...);
}
template <class T, class F, class A, std::size_t n, class... More>
ACTIO_INLINE auto on_registers(F f, const Halves<A, n>& a, const More&... more) {
  return Halves<T, n>{on_registers<T>(f, a.low, more.low...), on_registers<T>(f, a.high, more.high...)};
}
///@}

/// Returns a register with the same number in every lane.
template <std::size_t n, class S>
ACTIO_INLINE auto in_all_lanes(const S& x) -> typename LanesOf<S, n>::type {
  if constexpr (n * sizeof(S) > register_bytes) {
    return {in_all_lanes<n / 2>(x), in_all_lanes<n / 2>(x)};
  } else {
    typename LanesOf<S, n>::type all{};
    for (std::size_t k = 0; k < n; ++k) all[k] = x;
    return all;
  }
}

///@{
/// Returns lane k.
template <class Register>
ACTIO_INLINE auto lane(const Register& a, std::size_t k) {
  return a[k];
}
template <class T, std::size_t n>
ACTIO_INLINE T lane(const Halves<T, n>& a, std::size_t k) {
  return k < n ? lane(a.low, k) : lane(a.high, k - n);
}
///@}
///@{
/// Sets lane k.
template <class Register, class T>
ACTIO_INLINE void set_lane(Register& a, std::size_t k, const T& x) {
  a[k] = x;
}
template <class T, std::size_t n>
ACTIO_INLINE void set_lane(Halves<T, n>& a, std::size_t k, const T& x) {
  if (k < n) set_lane(a.low, k, x);
  else set_lane(a.high, k - n, x);
}
///@}

///@{
/// Returns the booleans of a comparison as the lowest bits of a number.
template <class Register>
ACTIO_INLINE unsigned bits_of(const Register& mask) {
  constexpr std::size_t lanes = sizeof(Register) / sizeof(mask[0]);
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(Register) == 64 && lanes == 8) return _mm512_movepi64_mask(std::bit_cast<__m512i>(mask));
  if constexpr (sizeof(Register) == 64 && lanes == 16) return _mm512_movepi32_mask(std::bit_cast<__m512i>(mask));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Register) == 32 && lanes == 4) return static_cast<unsigned>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
  if constexpr (sizeof(Register) == 32 && lanes == 8) return static_cast<unsigned>(_mm256_movemask_ps(std::bit_cast<__m256>(mask)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Register) == 16 && lanes == 2) return static_cast<unsigned>(_mm_movemask_pd(std::bit_cast<__m128d>(mask)));
  if constexpr (sizeof(Register) == 16 && lanes == 4) return static_cast<unsigned>(_mm_movemask_ps(std::bit_cast<__m128>(mask)));
#endif
  unsigned bits = 0;
  for (std::size_t k = 0; k < lanes; ++k) bits |= static_cast<unsigned>(mask[k] != 0) << k;
  return bits;
}
template <class T, std::size_t n>
ACTIO_INLINE unsigned bits_of(const Halves<T, n>& mask) {
  return bits_of(mask.low) | bits_of(mask.high) << n;
}
///@}

/// Returns the square roots of a register.
template <class Register>
ACTIO_INLINE Register square_roots(const Register& a) {
  constexpr std::size_t lanes = sizeof(Register) / sizeof(a[0]);
  [[maybe_unused]] constexpr bool is_double = sizeof(a[0]) == 8;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(Register) == 64 && is_double) return std::bit_cast<Register>(_mm512_maskz_sqrt_pd(0xff, std::bit_cast<__m512d>(a)));
  if constexpr (sizeof(Register) == 64 && !is_double) return std::bit_cast<Register>(_mm512_maskz_sqrt_ps(0xffff, std::bit_cast<__m512>(a)));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Register) == 32 && is_double) return std::bit_cast<Register>(_mm256_sqrt_pd(std::bit_cast<__m256d>(a)));
  if constexpr (sizeof(Register) == 32 && !is_double) return std::bit_cast<Register>(_mm256_sqrt_ps(std::bit_cast<__m256>(a)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Register) == 16 && is_double) return std::bit_cast<Register>(_mm_sqrt_pd(std::bit_cast<__m128d>(a)));
  if constexpr (sizeof(Register) == 16 && !is_double) return std::bit_cast<Register>(_mm_sqrt_ps(std::bit_cast<__m128>(a)));
#endif
  Register roots = a;
  for (std::size_t k = 0; k < lanes; ++k) roots[k] = std::sqrt(a[k]);
  return roots;
}

/// Returns sines and cosines of the lanes: of moderate angles at once, of others one by one.
template <class B>
same_bits::SinCos<B> sin_cos_of_lanes(const B& x) {
  same_bits::SinCos<B> result;
  const auto set_lane = [&](int k) {
    const auto one = same_bits::sin_cos(x[k]);
    result.sin.set(k, one.sin);
    result.cos.set(k, one.cos);
  };
  if constexpr (std::same_as<ValueOf<B>, double>) {
    result = same_bits::detail::sin_cos_of(same_bits::detail::reduce(x));
    const auto is_moderate = abs(x) < B(same_bits::detail::moderate_angle);
    for (int k = 0; k < B::lanes && !all(is_moderate); ++k) {
      if (!is_moderate[k]) set_lane(k);
    }
  } else {
    for (int k = 0; k < B::lanes; ++k) set_lane(k);
  }
  return result;
}

}  // namespace detail

/// N numbers in SIMD registers, one for each of N instances that are computed at once. No operation mixes lanes: the bits of a lane depend
/// on that lane only. A comparison returns a Mask, which is no bool: code asks all(), any() or select().
/// @tparam S float or double.  @tparam N 2, 4, 8 or 16.
template <std::floating_point S, int N>
  requires(N == 2 || N == 4 || N == 8 || N == 16)
class Batch {
 public:
  static constexpr int lanes = N;                                                           ///< number of lanes
  using Register = typename detail::LanesOf<S, static_cast<std::size_t>(N)>::type;  ///< one SIMD register, or several

  Batch() = default;  ///< uninitialised
  /// The same number in all lanes.
  ACTIO_INLINE Batch(const S& all) : v_(detail::in_all_lanes<static_cast<std::size_t>(N)>(all)) {}  // NOLINT: numbers are constants
  /// Returns the batch whose lanes are in a register.
  ACTIO_INLINE static Batch from(const Register& v) {
    Batch b;
    b.v_ = v;
    return b;
  }
  /// Returns the batch with number(k) in lane k.
  template <class Number>
  ACTIO_INLINE static Batch of(Number number) {
    Batch b(S(0));
    for (int k = 0; k < N; ++k) b.set(k, number(k));
    return b;
  }
  ACTIO_INLINE const Register& registers() const { return v_; }                                    ///< all lanes
  ACTIO_INLINE S operator[](int k) const { return detail::lane(v_, static_cast<std::size_t>(k)); }  ///< lane k, 0 <= k < N
  ACTIO_INLINE void set(int k, const S& x) { detail::set_lane(v_, static_cast<std::size_t>(k), x); }  ///< sets lane k

  ///@{
  /// Lane by lane.
  ACTIO_INLINE friend Batch operator+(const Batch& a, const Batch& b) {
    return from(detail::on_registers<S>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x + y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Batch operator-(const Batch& a, const Batch& b) {
    return from(detail::on_registers<S>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x - y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Batch operator*(const Batch& a, const Batch& b) {
    return from(detail::on_registers<S>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x * y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Batch operator/(const Batch& a, const Batch& b) {
    return from(detail::on_registers<S>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x / y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Batch operator-(const Batch& a) {
    return from(detail::on_registers<S>([](const auto& x) ACTIO_INLINE_LAMBDA { return -x; }, a.v_));
  }
  ACTIO_INLINE Batch& operator+=(const Batch& b) { return *this = *this + b; }
  ACTIO_INLINE Batch& operator-=(const Batch& b) { return *this = *this - b; }
  ACTIO_INLINE Batch& operator*=(const Batch& b) { return *this = *this * b; }
  ACTIO_INLINE Batch& operator/=(const Batch& b) { return *this = *this / b; }
  ///@}

  /// A boolean for each lane, the result of a comparison.
  class Mask {
   public:
    using Register = typename detail::LanesOf<detail::Truth<S>, static_cast<std::size_t>(N)>::type;  ///< of integers, 0 or -1

    Mask() = default;  ///< uninitialised
    ACTIO_INLINE explicit Mask(const Register& m) : m_(m) {}  ///< from the result of a comparison of registers
    /// Returns the mask that is which(k) in lane k.
    template <class Which>
    static Mask of(Which which) {
      const Batch chosen = Batch::of([&](int k) { return which(k) ? S(1) : S(0); });
      return chosen > Batch(S(0));
    }
    ACTIO_INLINE unsigned bits() const { return detail::bits_of(m_); }             ///< lane k is bit k
    ACTIO_INLINE bool operator[](int k) const { return (bits() >> k & 1U) != 0; }  ///< lane k, 0 <= k < N

    ACTIO_INLINE friend bool all(const Mask& mask) { return mask.bits() == (1U << N) - 1U; }  ///< whether all lanes are true
    ACTIO_INLINE friend bool any(const Mask& mask) { return mask.bits() != 0; }               ///< whether one or more are true
    ///@{
    /// Lane by lane.
    ACTIO_INLINE friend Mask operator&(const Mask& a, const Mask& b) {
      return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x & y; }, a.m_, b.m_));
    }
    ACTIO_INLINE friend Mask operator|(const Mask& a, const Mask& b) {
      return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x | y; }, a.m_, b.m_));
    }
    ACTIO_INLINE friend Mask operator!(const Mask& a) {
      return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x) ACTIO_INLINE_LAMBDA { return ~x; }, a.m_));
    }
    /// Returns a where the mask is true and b elsewhere; where it is false, a may be NaN.
    ACTIO_INLINE friend Batch select(const Mask& mask, const Batch& a, const Batch& b) {
      return from(detail::on_registers<S>([](const auto& which, const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return which ? x : y; },
                                       mask.m_, a.registers(), b.registers()));
    }
    ///@}

   private:
    Register m_;
  };
  ///@{
  /// Lane by lane; false where a number is NaN, except for !=.
  ACTIO_INLINE friend Mask operator<(const Batch& a, const Batch& b) {
    return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x < y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Mask operator<=(const Batch& a, const Batch& b) {
    return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x <= y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Mask operator>(const Batch& a, const Batch& b) { return b < a; }
  ACTIO_INLINE friend Mask operator>=(const Batch& a, const Batch& b) { return b <= a; }
  ACTIO_INLINE friend Mask operator==(const Batch& a, const Batch& b) {
    return Mask(detail::on_registers<detail::Truth<S>>([](const auto& x, const auto& y) ACTIO_INLINE_LAMBDA { return x == y; }, a.v_, b.v_));
  }
  ACTIO_INLINE friend Mask operator!=(const Batch& a, const Batch& b) { return !(a == b); }
  /// Neither infinite nor NaN.
  ACTIO_INLINE friend Mask is_finite(const Batch& a) { return abs(a) <= Batch(std::numeric_limits<S>::max()); }
  ///@}

  ///@{
  /// Lane by lane. min and max return the second number where one is NaN.
  ACTIO_INLINE friend Batch abs(const Batch& a) { return select(a < Batch(S(0)), -a, a + Batch(S(0))); }
  ACTIO_INLINE friend Batch min(const Batch& a, const Batch& b) { return select(a < b, a, b); }
  ACTIO_INLINE friend Batch max(const Batch& a, const Batch& b) { return select(b < a, a, b); }
  ACTIO_INLINE friend Batch sqrt(const Batch& a) {
    return from(detail::on_registers<S>([](const auto& x) ACTIO_INLINE_LAMBDA { return detail::square_roots(x); }, a.v_));
  }
  friend same_bits::SinCos<Batch> sin_cos(const Batch& a) { return detail::sin_cos_of_lanes(a); }
  friend Batch sin(const Batch& a) { return sin_cos(a).sin; }
  friend Batch cos(const Batch& a) { return sin_cos(a).cos; }
  friend Batch atan2(const Batch& y, const Batch& x) {
    return of([&](int k) { return elementary::atan2(y[k], x[k]); });
  }
  ///@}

 private:
  Register v_;
};

/// Traits of a batch: it is made of S. It has no single value, hence no value().
template <class S, int N>
struct ScalarTraits<Batch<S, N>> {
  using Value = S;  ///< that of a lane
};
/// A batch carries no derivatives.
template <class S, int N>
inline constexpr bool has_derivatives<Batch<S, N>> = false;

}  // namespace actio

/// @cond
// Traits that Eigen needs: those of S.
template <class S, int N>
struct Eigen::NumTraits<actio::Batch<S, N>> : Eigen::NumTraits<S> {
  using Real = actio::Batch<S, N>;
  using NonInteger = actio::Batch<S, N>;
  using Nested = actio::Batch<S, N>;
  using Literal = actio::Batch<S, N>;
};
/// @endcond
