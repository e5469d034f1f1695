// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Four numbers in one SIMD register, which together are a Scalar: code written for one body then computes four. Eigen's fixed-size
// matrices pass through memory between expressions, which slows a recursion; the vector types of the compilers stay in registers.
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "actio/core/elementary.hpp"
#include "actio/core/scalar.hpp"
#include "actio/core/types.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace actio {

namespace detail {

template <class T>
struct Four {
  T v[4];
  ACTIO_INLINE const T& operator[](int k) const { return v[k]; }
  ACTIO_INLINE T& operator[](int k) { return v[k]; }
};

/// The type that stores four S: a SIMD register where one is wide enough, else an array.
template <class S>
struct RegisterOf { using type = Four<S>; };
/// Returns four booleans as the lowest bits of a number.
ACTIO_INLINE int bits(const Four<bool>& m) { return m[0] | m[1] << 1 | m[2] << 2 | m[3] << 3; }
#ifdef __AVX__
template <>
struct RegisterOf<double> { typedef double type __attribute__((vector_size(32))); };
template <class Register>
ACTIO_INLINE int bits(const Register& m) { return _mm256_movemask_pd(std::bit_cast<__m256d>(m)); }
#endif

/// Applies f to each entry, or to all entries at once in a register.
template <class Result, class F, class T, class... More>
ACTIO_INLINE auto lanewise(F f, const Four<T>& a, const More&... more) {
  return Four<Result>{{Result(f(a[0], more[0]...)), Result(f(a[1], more[1]...)), Result(f(a[2], more[2]...)), Result(f(a[3], more[3]...))}};
}
template <class Result, class F, class Register, class... More>
ACTIO_INLINE auto lanewise(F f, const Register& a, const More&... more) {
  return f(a, more...);
}

/// Returns entry k in all four places.
template <int k, class T>
ACTIO_INLINE Four<T> spread(const Four<T>& a) { return {{a[k], a[k], a[k], a[k]}}; }
template <int k, class Register>
ACTIO_INLINE Register spread(const Register& a) { return __builtin_shufflevector(a, a, k, k, k, k); }
/// Returns a with entry k taken from b.
template <int k, class T>
ACTIO_INLINE Four<T> blend(Four<T> a, const Four<T>& b) { return a[k] = b[k], a; }
template <int k, class Register>
ACTIO_INLINE Register blend(const Register& a, const Register& b) {
  return decltype(a < b){-(k == 0), -(k == 1), -(k == 2), -(k == 3)} ? b : a;  // g++ 12 would decompose a shuffle
}

/// Four numbers of type S, with arithmetic entry by entry.
template <class S>
class Packet4 {
 public:
  using Register = typename detail::RegisterOf<S>::type;  ///< SIMD register where one holds four S, else an array of four

  Packet4() = default;  ///< uninitialised
  /// All four entries are the same.
  ACTIO_INLINE Packet4(const S& all) : v_{all, all, all, all} {}  // NOLINT: numbers are constants
  ACTIO_INLINE static Packet4 of(const S& a, const S& b, const S& c, const S& d) { return from(Register{a, b, c, d}); }  ///< entries 0 to 3
  /// Returns the packet whose entries are in a register.
  ACTIO_INLINE static Packet4 from(const Register& v) {
    Packet4 p;
    p.v_ = v;
    return p;
  }
  /// Returns the numbers at p[0] to p[3], which need not be aligned.
  ACTIO_INLINE static Packet4 load(const S* p) {
    if constexpr (std::is_arithmetic_v<S>) {
      Packet4 loaded;
      std::memcpy(&loaded.v_, p, sizeof loaded.v_);
      return loaded;
    } else {
      return of(p[0], p[1], p[2], p[3]);
    }
  }
  /// Writes the entries to p[0] to p[3], which need not be aligned.
  ACTIO_INLINE void store(S* p) const {
    if constexpr (std::is_arithmetic_v<S>) {
      std::memcpy(p, &v_, sizeof v_);
    } else {
      for (int k = 0; k < 4; ++k) p[k] = v_[k];
    }
  }
  ACTIO_INLINE const Register& entries() const { return v_; }  ///< all four, as one register
  ACTIO_INLINE S operator[](int k) const { return v_[k]; }     ///< entry k, 0 <= k < 4
  /// Returns entry k in all four places.
  template <int k>
  ACTIO_INLINE Packet4 spread() const { return from(detail::spread<k>(v_)); }
  /// Returns this packet with entry k taken from b.
  template <int k>
  ACTIO_INLINE Packet4 with(const Packet4& b) const { return from(detail::blend<k>(v_, b.v_)); }

  ///@{
  /// Entry by entry.
  ACTIO_INLINE friend Packet4 operator+(const Packet4& a, const Packet4& b) { return from(detail::lanewise<S>(std::plus<>(), a.v_, b.v_)); }
  ACTIO_INLINE friend Packet4 operator-(const Packet4& a, const Packet4& b) {
    return from(detail::lanewise<S>(std::minus<>(), a.v_, b.v_));
  }
  ACTIO_INLINE friend Packet4 operator*(const Packet4& a, const Packet4& b) {
    return from(detail::lanewise<S>(std::multiplies<>(), a.v_, b.v_));
  }
  ACTIO_INLINE friend Packet4 operator/(const Packet4& a, const Packet4& b) {
    return from(detail::lanewise<S>(std::divides<>(), a.v_, b.v_));
  }
  ACTIO_INLINE friend Packet4 operator-(const Packet4& a) { return from(detail::lanewise<S>(std::negate<>(), a.v_)); }
  ACTIO_INLINE Packet4& operator+=(const Packet4& b) { return *this = *this + b; }
  ACTIO_INLINE Packet4& operator-=(const Packet4& b) { return *this = *this - b; }
  ACTIO_INLINE Packet4& operator*=(const Packet4& b) { return *this = *this * b; }
  ACTIO_INLINE Packet4& operator/=(const Packet4& b) { return *this = *this / b; }
  ///@}

  ///@{
  /// Return a + b c and a - b c, each in one instruction where the processor has one.
  ACTIO_INLINE friend Packet4 plus_product(const Packet4& a, const Packet4& b, const Packet4& c) {
    return from(detail::lanewise<S>([](const auto& x, const auto& y, const auto& z) { return x + y * z; }, a.v_, b.v_, c.v_));
  }
  ACTIO_INLINE friend Packet4 minus_product(const Packet4& a, const Packet4& b, const Packet4& c) {
    return from(detail::lanewise<S>([](const auto& x, const auto& y, const auto& z) { return x - y * z; }, a.v_, b.v_, c.v_));
  }
  ///@}

  /// The result of a comparison: a boolean for each entry.
  struct Mask {
    /// The booleans, in the type that a comparison of two registers returns.
    decltype(detail::lanewise<bool>(std::less<>(), std::declval<Register>(), std::declval<Register>())) m;
    ACTIO_INLINE friend bool all(const Mask& mask) { return detail::bits(mask.m) == 15; }  ///< whether all four are true
    ACTIO_INLINE friend bool any(const Mask& mask) { return detail::bits(mask.m) != 0; }   ///< whether one or more are true
    /// Returns, entry by entry, a where the mask is true and b elsewhere.
    ACTIO_INLINE friend Packet4 select(const Mask& mask, const Packet4& a, const Packet4& b) {
      return from(detail::lanewise<S>([](auto which, auto x, auto y) { return which ? x : y; }, mask.m, a.entries(), b.entries()));
    }
  };
  /// Entry by entry.
  ACTIO_INLINE friend Mask operator<(const Packet4& a, const Packet4& b) { return {detail::lanewise<bool>(std::less<>(), a.v_, b.v_)}; }
  ACTIO_INLINE friend Mask operator>(const Packet4& a, const Packet4& b) { return b < a; }  ///< entry by entry

  ///@{
  /// Entry by entry.
  friend Packet4 sqrt(const Packet4& a) {
    using std::sqrt;
    return of(sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]));
  }
  friend Packet4 sin(const Packet4& a) {
    using elementary::sin;
    return of(sin(a[0]), sin(a[1]), sin(a[2]), sin(a[3]));
  }
  friend Packet4 cos(const Packet4& a) {
    using elementary::cos;
    return of(cos(a[0]), cos(a[1]), cos(a[2]), cos(a[3]));
  }
  friend Packet4 atan2(const Packet4& a, const Packet4& b) {
    using elementary::atan2;
    return of(atan2(a[0], b[0]), atan2(a[1], b[1]), atan2(a[2], b[2]), atan2(a[3], b[3]));
  }
  ///@}

 private:
  Register v_;
};

/// Three numbers with the functions of a Packet4 that is used for three.
template <class S>
struct Three {
  S v[3];  ///< the numbers

  Three() = default;  ///< uninitialised
  /// All three are the same.
  ACTIO_INLINE Three(const S& all) : v{all, all, all} {}  // NOLINT: numbers are constants
  ACTIO_INLINE Three(const S& a, const S& b, const S& c) : v{a, b, c} {}  ///< entries 0 to 2
  ACTIO_INLINE static Three of(const S& a, const S& b, const S& c, const S&) { return {a, b, c}; }  ///< from the entries of a packet
  ACTIO_INLINE const S& operator[](int k) const { return v[k]; }                                    ///< entry k, 0 <= k < 3
  /// Returns these numbers with entry k taken from b.
  template <int k>
  ACTIO_INLINE Three with(const Three& b) const { return {k == 0 ? b[0] : v[0], k == 1 ? b[1] : v[1], k == 2 ? b[2] : v[2]}; }
  ///@{
  /// Entry by entry.
  ACTIO_INLINE friend Three operator+(const Three& a, const Three& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
  ACTIO_INLINE friend Three operator-(const Three& a, const Three& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
  ACTIO_INLINE friend Three operator*(const Three& a, const Three& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }
  ACTIO_INLINE friend Three operator*(const Three& a, const S& b) { return {a[0] * b, a[1] * b, a[2] * b}; }
  ACTIO_INLINE friend Three plus_product(const Three& a, const Three& b, const Three& c) {
    return {a[0] + b[0] * c[0], a[1] + b[1] * c[1], a[2] + b[2] * c[2]};
  }
  ACTIO_INLINE friend Three minus_product(const Three& a, const Three& b, const Three& c) {
    return {a[0] - b[0] * c[0], a[1] - b[1] * c[1], a[2] - b[2] * c[2]};
  }
  ///@}
};

/// Three numbers that are computed alike: in one register where one holds four, with a fourth that does not count.
template <class S>
using PackedThree = std::conditional_t<std::is_same_v<typename Packet4<S>::Register, Four<S>>, Three<S>, Packet4<S>>;

}  // namespace detail

/// Traits of a packet. A packet has no single value, hence no value().
template <class S>
struct ScalarTraits<detail::Packet4<S>> {
  using Value = ValueOf<S>;  ///< that of an entry
};
/// Whether the entries carry derivatives; plain numbers do not.
template <class S>
inline constexpr bool has_derivatives<detail::Packet4<S>> = has_derivatives<S>;

}  // namespace actio

/// @cond
// Traits that Eigen needs: those of S.
namespace Eigen {
template <class S>
struct NumTraits<actio::detail::Packet4<S>> : NumTraits<S> {
  using Real = actio::detail::Packet4<S>;
  using NonInteger = actio::detail::Packet4<S>;
  using Nested = actio::detail::Packet4<S>;
  using Literal = actio::detail::Packet4<S>;
};
}  // namespace Eigen
/// @endcond
