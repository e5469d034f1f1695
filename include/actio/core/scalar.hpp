// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the library computes with: float, double, dual numbers, SIMD batches.
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

namespace actio {

/// How a scalar type relates to plain numbers. Specialise it for a dual number or a SIMD batch:
/// `Value` is the float or double it is made of, `value(s)` its primal part (for a batch: unused).
template <class S>
struct ScalarTraits {
  using Value = S;                                     ///< a plain number is made of itself
  static const Value& value(const S& s) { return s; }  ///< and is its own primal part
};

/// Dual numbers in Eigen's manner (AutoDiffScalar): a `.value()`, `.derivatives()` and a `Scalar` inside.
template <class S>
  requires requires(const S& s) {
    s.value();
    s.derivatives();
    typename S::Scalar;
  }
struct ScalarTraits<S> {
  using Value = typename ScalarTraits<typename S::Scalar>::Value;                                ///< of the innermost
  static Value value(const S& s) { return ScalarTraits<typename S::Scalar>::value(s.value()); }  ///< of the innermost
};

/// The float or double behind a scalar: the type of options and tolerances.
template <class S>
using ValueOf = typename ScalarTraits<S>::Value;

/// The primal part of a scalar: itself for float and double.
template <class S>
ValueOf<S> value_of(const S& s) {
  return ScalarTraits<S>::value(s);
}

/// Whether S carries derivatives beside its value, so that an iteration whose values have converged may not be done: true for all
/// that is no plain number. A SIMD batch specialises it to false.
template <class S>
inline constexpr bool has_derivatives = !std::same_as<S, ValueOf<S>>;

/// A number the algorithms run on: a field with comparisons, made from plain numbers.
template <class S>
concept Scalar = std::floating_point<ValueOf<S>> && std::constructible_from<S, ValueOf<S>> && requires(S a, const S& b) {
  a = b + b;
  a = b - b;
  a = b * b;
  a = b / b;
  a = -b;
  b < b;
};

/// Machine epsilon of the float or double behind S.
template <class S>
inline constexpr ValueOf<S> epsilon = std::numeric_limits<ValueOf<S>>::epsilon();

///@{
/// A comparison of plain or dual numbers is a bool; a SIMD batch brings its own mask type and its own overloads, found by
/// argument-dependent lookup. Code on a Scalar never branches on a comparison: it asks `all`, `any` or selects.
constexpr bool all(bool mask) { return mask; }
constexpr bool any(bool mask) { return mask; }
///@}

/// a where mask holds, b elsewhere.
template <class S>
constexpr S select(bool mask, const S& a, const S& b) {
  return mask ? a : b;
}

/// True in the lanes where s is neither infinite nor NaN.
template <class S>
bool is_finite(const S& s) {
  return std::isfinite(value_of(s));
}

}  // namespace actio
