// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dual numbers for forward differentiation: a value and its derivative along one direction.
#include <Eigen/Core>

#include <cmath>
#include <compare>
#include <concepts>
#include <limits>
#include <type_traits>

#include "actio/core/elementary.hpp"
#include "actio/core/scalar.hpp"

namespace actio {

/// A dual number: a value and its derivative along one direction,  value + derivative eps,  eps^2 = 0.  Comparisons use the values only.
template <std::floating_point T>
struct Dual {
  T value{},         ///< the number itself
      derivative{};  ///< its derivative along the direction

  constexpr Dual() = default;  ///< zero, with a zero derivative
  /// Makes a constant: its derivative is zero.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr Dual(Number constant) : value(static_cast<T>(constant)) {}  // NOLINT: numbers are constants
  constexpr Dual(T x, T dx) : value(x), derivative(dx) {}  ///< x + dx eps

  ///@{
  /// Arithmetic by the rules of differentiation. Where a divisor is zero, neither part is finite.
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.derivative + b.derivative}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.derivative - b.derivative}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.value * b.value, a.value * b.derivative + a.derivative * b.value}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  ///@}
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }    ///< compares the values only
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }  ///< compares the values only

  ///@{
  /// Functions that the library and Eigen call, or that a force law may need: the function of the value and its derivative by the chain
  /// rule. The derivative of sqrt is not finite at zero.
  friend Dual sqrt(const Dual& a) {
    const T root = std::sqrt(a.value);
    return {root, a.derivative / (2 * root)};
  }
  friend Dual abs(const Dual& a) { return a.value < 0 ? -a : a; }
  friend Dual sin(const Dual& a) { return sin_cos(a).sin; }
  friend Dual cos(const Dual& a) { return sin_cos(a).cos; }
  friend elementary::SinCos<Dual> sin_cos(const Dual& a) {
    using elementary::sin_cos;  // its own, where T is a dual number
    const auto [s, c] = sin_cos(a.value);
    return {{s, c * a.derivative}, {c, -s * a.derivative}};
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    return {elementary::atan2(y.value, x.value),
            (y.derivative * x.value - y.value * x.derivative) / (x.value * x.value + y.value * y.value)};
  }
  friend Dual exp(const Dual& a) {
    const T power = elementary::exp(a.value);
    return {power, power * a.derivative};
  }
  friend Dual log(const Dual& a) { return {elementary::log(a.value), a.derivative / a.value}; }
  /// Returns a to the power n.  @param a > 0.
  friend Dual pow(const Dual& a, const Dual& n) {
    const T power = elementary::pow(a.value, n.value);
    return {power, power * (n.value * a.derivative / a.value + elementary::log(a.value) * n.derivative)};
  }
  ///@}
};

/// Traits of a dual number: it is made of T, and its primal part is `value`.
template <class T>
struct ScalarTraits<Dual<T>> {
  using Value = T;                                      ///< see ScalarTraits
  static T value(const Dual<T>& s) { return s.value; }  ///< see ScalarTraits
};

/// Returns the vector x as dual numbers with the derivatives dx.  @param x, dx of the same size.
template <class X, class DX>
auto dual_vector(const Eigen::MatrixBase<X>& x, const Eigen::MatrixBase<DX>& dx) {
  using T = typename X::Scalar;
  return x.binaryExpr(dx, [](const T& value, const T& derivative) { return Dual<T>(value, derivative); }).eval();
}
/// Returns the values of a vector or matrix of Dual numbers, in the same shape.
template <class X>
  requires requires { typename Eigen::internal::traits<X>::Scalar; }  // otherwise it competes with other functions named values<...>(...)
auto values(const X& x) {
  return x.unaryExpr([](const typename X::Scalar& s) { return s.value; }).eval();
}
/// Returns the derivatives of a vector or matrix of Dual numbers, in the same shape.
template <class X>
  requires requires { typename Eigen::internal::traits<X>::Scalar; }
auto derivatives(const X& x) {
  return x.unaryExpr([](const typename X::Scalar& s) { return s.derivative; }).eval();
}

}  // namespace actio

/// @cond
// Traits that the standard library and Eigen need: those of T.
template <class T>
struct std::numeric_limits<actio::Dual<T>> : std::numeric_limits<T> {};

template <class T>
struct Eigen::NumTraits<actio::Dual<T>> : Eigen::NumTraits<T> {
  using Real = actio::Dual<T>;
  using NonInteger = actio::Dual<T>;
  using Nested = actio::Dual<T>;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 2, AddCost = 2, MulCost = 4 };
};
/// @endcond
