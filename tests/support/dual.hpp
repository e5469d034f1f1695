// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A dual number as users would write it, with exactly what the concept Scalar, Eigen and the library's calls require.
#include <Eigen/Core>
#include <cmath>

#include "actio/core/scalar.hpp"

namespace actio::test {

/// x + derivative eps, eps^2 = 0.
struct Dual {
  double x = 0, derivative = 0;

  Dual() = default;
  Dual(double value) : x(value) {}  // NOLINT: numbers are constants
  Dual(double value, double rate) : x(value), derivative(rate) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.derivative + b.derivative}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.derivative - b.derivative}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.x * b.x, a.x * b.derivative + a.derivative * b.x}; }
  friend Dual operator/(const Dual& a, const Dual& b) { return {a.x / b.x, (a.derivative - a.x / b.x * b.derivative) / b.x}; }
  friend Dual operator-(const Dual& a) { return {-a.x, -a.derivative}; }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.x == b.x; }
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.x <=> b.x; }

  friend Dual sqrt(const Dual& a) { return {std::sqrt(a.x), a.derivative / (2 * std::sqrt(a.x))}; }
  friend Dual sin(const Dual& a) { return {std::sin(a.x), a.derivative * std::cos(a.x)}; }
  friend Dual cos(const Dual& a) { return {std::cos(a.x), -a.derivative * std::sin(a.x)}; }
  friend Dual abs(const Dual& a) { return a.x < 0 ? -a : a; }
  friend Dual atan2(const Dual& y, const Dual& a) {
    return {std::atan2(y.x, a.x), (y.derivative * a.x - y.x * a.derivative) / (y.x * y.x + a.x * a.x)};
  }
};

}  // namespace actio::test

namespace actio {
template <>
struct ScalarTraits<test::Dual> {
  using Value = double;
  static double value(const test::Dual& s) { return s.x; }
};
}  // namespace actio

namespace Eigen {
template <>
struct NumTraits<actio::test::Dual> : NumTraits<double> {
  using Real = actio::test::Dual;
  using NonInteger = actio::test::Dual;
  using Nested = actio::test::Dual;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = 2, AddCost = 2, MulCost = 4 };
};
}  // namespace Eigen
