// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scalar types of the library: float, double, dual numbers and SIMD batches.
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace actio {

/// How a scalar type relates to plain numbers. Specialise it for a dual number or a SIMD batch:
/// `Value` is the float or double it is made of, `value(s)` its primal part (for a batch: unused).
template <class S>
struct ScalarTraits {
  using Value = S;                                     ///< a plain number is made of itself
  static const Value& value(const S& s) { return s; }  ///< and is its own primal part
};

/// Traits of dual numbers like Eigen's AutoDiffScalar, which have `.value()`, `.derivatives()` and a nested type `Scalar`.
template <class S>
  requires requires(const S& s) {
    s.value();
    s.derivatives();
    typename S::Scalar;
  }
struct ScalarTraits<S> {
  using Value = typename ScalarTraits<typename S::Scalar>::Value;                                ///< that of the innermost number
  static Value value(const S& s) { return ScalarTraits<typename S::Scalar>::value(s.value()); }  ///< that of the innermost number
};

/// The float or double that a scalar is made of: the type of options and tolerances.
template <class S>
using ValueOf = typename ScalarTraits<S>::Value;

/// Returns the primal part of a scalar; for float and double, the number itself.
template <class S>
ValueOf<S> value_of(const S& s) {
  return ScalarTraits<S>::value(s);
}

/// Whether S carries derivatives in addition to its value, so that an iteration may need further steps after its values have converged.
/// True for every type that is not a plain number; a SIMD batch specialises it to false.
template <class S>
inline constexpr bool has_derivatives = !std::same_as<S, ValueOf<S>>;

/// A number type that the algorithms accept: a field with comparisons, constructible from plain numbers.
template <class S>
concept Scalar = std::floating_point<ValueOf<S>> && std::constructible_from<S, ValueOf<S>> && requires(S a, const S& b) {
  a = b + b;
  a = b - b;
  a = b * b;
  a = b / b;
  a = -b;
  b < b;
};

/// Whether S is several numbers at once, as a SIMD batch is: a comparison is then a mask and not a bool.
template <class S>
inline constexpr bool has_lanes = !std::same_as<decltype(std::declval<const S&>() < std::declval<const S&>()), bool>;

/// Machine epsilon of the float or double that S is made of.
template <class S>
inline constexpr ValueOf<S> epsilon = std::numeric_limits<ValueOf<S>>::epsilon();

///@{
/// Returns whether all lanes, or any lane, of a mask are true. A comparison of plain or dual numbers is a bool; a SIMD batch has its own
/// mask type and its own overloads, found by argument-dependent lookup. Code on a Scalar never branches on a comparison directly: it calls
/// `all`, `any` or `select`.
constexpr bool all(bool mask) { return mask; }
constexpr bool any(bool mask) { return mask; }
///@}

/// Returns a where the mask is true, b elsewhere.
template <class S>
constexpr S select(bool mask, const S& a, const S& b) {
  return mask ? a : b;
}

/// Returns true in the lanes where s is neither infinite nor NaN.
template <class S>
bool is_finite(const S& s) {
  return std::isfinite(value_of(s));
}

}  // namespace actio
