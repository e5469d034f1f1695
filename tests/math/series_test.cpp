// SPDX-License-Identifier: BSD-3-Clause
// The coefficients against references in long double: Taylor series, sums over poles, atan2.
#include "actio/math/series.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "support/catch.hpp"

namespace series_test {

using namespace actio;
using Exact = long double;
constexpr Exact exact_pi = 3.14159265358979323846264338327950288L;

/// Returns sum (-1)^k x^k / (2k + offset)!, and its derivative "over t", 2 d/dx.
Exact taylor(Exact x, int offset, bool derivative = false) {
  Exact sum = 0, term = 1;
  for (int i = 2; i <= offset; ++i) term /= i;
  for (int k = 0; k < 60; ++k) {
    if (!derivative) sum += term;
    const Exact next = -term / Exact((2 * k + 1 + offset) * (2 * k + 2 + offset));  // without the factor x^(k+1)
    if (derivative) sum += 2 * Exact(k + 1) * next;
    term = next * x;
  }
  return sum;
}

/// Returns g, g1 or g2 as a sum over the poles 2 pi n; distant poles by an integral with midpoint correction.
Exact pole_sum(Exact x, int derivative) {
  const Exact first = 4 * exact_pi * exact_pi;
  const int last = 3000;
  const Exact m = last + 0.5L;
  Exact sum = 0;
  if (derivative == 0) sum = 2 / (first * m) + 2 * x / (3 * first * first * m * m * m) - 4 / (24 * first * m * m * m);
  if (derivative == 1) sum = 4 / (3 * first * first * m * m * m);
  for (int n = last; n >= 1; --n) {
    const Exact a = 1 / (first * Exact(n) * Exact(n) - x);
    sum += derivative == 0 ? 2 * a : derivative == 1 ? 4 * a * a : 16 * a * a * a;
  }
  return sum;
}

/// Squared angles from 0 to 6 rad, closely spaced, with each switch between formulas and its neighbours.
template <class S>
std::vector<S> squares() {
  std::vector<S> all{S(0), std::numeric_limits<S>::denorm_min(), std::numeric_limits<S>::min(), S(1e-30), S(1e-12)};
  for (int i = 1; i <= 600; ++i) all.push_back(S(i) * S(i) * S(1e-4));
  for (const S seam : {S(1), S(9)}) {
    S below = seam, above = seam;
    for (int ulps = 0; ulps < 3; ++ulps) {
      all.push_back(below = std::nextafter(below, S(0)));
      all.push_back(above = std::nextafter(above, S(100)));
    }
  }
  return all;
}

/// Returns |value - exact| in units of epsilon times the effect that one rounding of the angle can have: |f| + |t f'(t)|.
template <class S>
S error(const S& value, Exact exact, Exact t_times_derivative = 0) {
  return static_cast<S>(std::abs(Exact(value) - exact) / (std::abs(exact) + std::abs(t_times_derivative)) / Exact(epsilon<S>));
}

/// Relative difference.
double off(double value, Exact expected) { return static_cast<double>(std::abs(Exact(value) - expected) / std::abs(expected)); }

/// A stand-in for a SIMD batch with two lanes, to show that lanes on different sides of a switch do not affect each other.
namespace lanes {

struct Mask {
  bool a, b;
};
struct Batch {
  double a = 0, b = 0;
  Batch() = default;
  explicit Batch(double s) : a(s), b(s) {}
  Batch(double first, double second) : a(first), b(second) {}
  Batch operator-() const { return {-a, -b}; }
};
Batch operator+(const Batch& x, const Batch& y) { return {x.a + y.a, x.b + y.b}; }
Batch operator-(const Batch& x, const Batch& y) { return {x.a - y.a, x.b - y.b}; }
Batch operator*(const Batch& x, const Batch& y) { return {x.a * y.a, x.b * y.b}; }
Batch operator/(const Batch& x, const Batch& y) { return {x.a / y.a, x.b / y.b}; }
Mask operator<(const Batch& x, const Batch& y) { return {x.a < y.a, x.b < y.b}; }
bool all(const Mask& m) { return m.a && m.b; }
bool any(const Mask& m) { return m.a || m.b; }
Batch select(const Mask& m, const Batch& x, const Batch& y) { return {m.a ? x.a : y.a, m.b ? x.b : y.b}; }
Batch sqrt(const Batch& x) { return {std::sqrt(x.a), std::sqrt(x.b)}; }
Batch sin(const Batch& x) { return {std::sin(x.a), std::sin(x.b)}; }
Batch cos(const Batch& x) { return {std::cos(x.a), std::cos(x.b)}; }
Batch atan2(const Batch& y, const Batch& x) { return {std::atan2(y.a, x.a), std::atan2(y.b, x.b)}; }

}  // namespace lanes
}  // namespace series_test

template <>
struct actio::ScalarTraits<series_test::lanes::Batch> {
  using Value = double;
};

namespace series_test {

TEMPLATE_TEST_CASE("series: coefficients of exp and dexp are exact to a few roundings at every angle", "[math][series][fast]", float,
                   double) {
  using S = TestType;
  for (const S t2 : squares<S>()) {
    const Exact x = t2, t = std::sqrt(x);
    const Exact A = taylor(x, 1), B = taylor(x, 2), C = taylor(x, 3), B1 = taylor(x, 2, true), C1 = taylor(x, 3, true);
    CAPTURE(t2, t);
    const series::Exp<S> e = series::exp_coefficients(t2);
    CHECK(error(e.A, A, taylor(x, 0) - A) < 2);
    CHECK(error(e.B, B, x * B1) < 2);
    CHECK(error(e.C, C) < 4);
    const series::Dexp<S> d = series::dexp_coefficients(t2);
    CHECK(error(d.B, B, x * B1) < 2);
    CHECK(error(d.C, C) < 4);
    CHECK(error(d.B1, B1, t > 3 ? Exact(0.2) : Exact(0)) < 4);  // B'/t changes sign at 2 pi
    CHECK(error(d.C1, C1) < 8);
    const series::HalfAngle<S> half = series::half_angle(t2);
    CHECK(error(half.c, taylor(x / 4, 0), t / 2 * std::sin(t / 2)) < 2);
    CHECK(error(half.s, taylor(x / 4, 1) / 2, taylor(x / 4, 0) / 2) < 2);
  }
}

TEMPLATE_TEST_CASE("series: coefficients of dlog are exact to a few roundings up to 2 pi", "[math][series][fast]", float, double) {
  using S = TestType;
  std::vector<S> squared = squares<S>();
  const S pole = static_cast<S>(4 * exact_pi * exact_pi);
  for (const S below : {S(0.1), S(1e-3), 8 * epsilon<S> * pole}) squared.push_back(pole - below);
  for (std::size_t i = 0; i < squared.size(); i += i % 60 < 8 ? 1 : 7) {  // each reference value sums 3000 poles
    const S t2 = squared[i];
    CAPTURE(t2);
    const series::Dlog2<S> d = series::dlog_coefficients2(t2);
    CHECK(error(d.g, pole_sum(t2, 0)) < 2);
    CHECK(error(d.g1, pole_sum(t2, 1)) < 4);
    CHECK(error(d.g2, pole_sum(t2, 2)) < 6);
    CHECK(error(series::dlog_coefficient(t2), pole_sum(t2, 0)) < 2);
    CHECK(error(series::dlog_coefficients(t2).g, pole_sum(t2, 0)) < 2);
    CHECK(error(series::dlog_coefficients(t2).g1, pole_sum(t2, 1)) < 4);
  }
}

TEST_CASE("series: dlog coefficients have their known values and agree with the closed forms", "[math][series][fast]") {
  const series::Dlog2<double> zero = series::dlog_coefficients2(0.0);
  CHECK(zero.g == 1.0 / 12);
  CHECK(zero.g1 == 1.0 / 360);
  CHECK(off(zero.g2, 1.0 / 3780) < 1e-15);
  const double pi = std::numbers::pi;
  CHECK(off(series::dlog_coefficient(pi * pi), 1 / (pi * pi)) < 1e-15);
  for (const double t : {1.5, 3.0, 4.5, 6.0, 6.3, std::sqrt(40.0), 6.4, 8.0, 11.0}) {  // the last angles lie beyond the first pole
    CAPTURE(t);
    const Exact x = Exact(t) * Exact(t);
    const series::Dlog2<double> d = series::dlog_coefficients2(t * t);
    CHECK(off(d.g, (1 - t / 2 / std::tan(t / 2)) / x) < 1e-12);
    CHECK(off(d.g, pole_sum(x, 0)) < 1e-12);
    CHECK(off(d.g1, pole_sum(x, 1)) < 1e-11);
    CHECK(off(d.g2, pole_sum(x, 2)) < 1e-11);
  }
}

TEMPLATE_TEST_CASE("series: the factor of the quaternion logarithm is exact to a few roundings", "[math][series][fast]", float, double) {
  using S = TestType;
  std::vector<S> squares_of_sine{S(0), std::numeric_limits<S>::denorm_min(), S(1e-30), S(1)};
  for (int i = 1; i < 500; ++i) squares_of_sine.push_back(S(i) * S(i) * S(4e-6));
  for (const S seam : {S(0.0625)}) {
    for (const S neighbour : {S(0), S(1)}) squares_of_sine.push_back(std::nextafter(seam, neighbour));
    squares_of_sine.push_back(seam);
  }
  for (const S v2 : squares_of_sine) {
    for (const S drift : {S(0), 40 * epsilon<S>, -1000 * epsilon<S>}) {  // a quaternion whose norm has drifted by rounding
      const S w = std::sqrt(1 - v2) * (1 + drift);
      const Exact v = std::sqrt(Exact(v2));
      CAPTURE(v2, w);
      CHECK(error(series::log_factor(v2, w), v > 0 ? 2 * std::atan2(v, Exact(w)) / v : 2 / Exact(w)) < 2);
    }
  }
}

TEST_CASE("series: dual numbers give the derivatives that the coefficients define, also at zero", "[math][series][fast]") {
  using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  for (const double t2 : {0.0, 1e-20, 0.3, 0.999, 1.001, 4.0, 8.99, 9.01, 30.0}) {
    CAPTURE(t2);
    const Dual x(t2, 1, 0);
    const auto twice = [](const Dual& s) { return 2 * s.derivatives()[0]; };
    const series::Dexp<double> d = series::dexp_coefficients(t2);
    const series::Exp<Dual> e = series::exp_coefficients(x);
    CHECK(off(twice(e.B), d.B1) < 1e-13);
    CHECK(off(twice(e.C), d.C1) < 1e-13);
    CHECK(off(twice(e.A), -series::exp_coefficients(t2).B + d.C) < 1e-13);  // A'/t = C - B
    CHECK(off(twice(series::dexp_coefficients(x).B), d.B1) < 1e-13);
    const series::HalfAngle<double> half = series::half_angle(t2);
    CHECK(off(twice(series::half_angle(x).c), -half.s / 2) < 1e-13);
    const series::Dlog2<double> g = series::dlog_coefficients2(t2);
    CHECK(off(twice(series::dlog_coefficients2(x).g), g.g1) < 1e-13);
    CHECK(off(twice(series::dlog_coefficients2(x).g1), g.g2) < 1e-13);
  }
  for (const double angle : {0.0, 1e-9, 0.2, 0.4, 0.6, 2.0}) {  // d/da of factor * sin(a/2) is 1
    CAPTURE(angle);
    const Dual a(angle, 1, 0);
    const Dual sine = sin(a / 2), w = cos(a / 2), v2 = sine * sine;
    const Dual log = series::log_factor(v2, w) * sine;
    CHECK(std::abs(log.value() - angle) <= 1e-15 * angle);
    CHECK(off(log.derivatives()[0], 1) < 1e-14);
  }
}

TEST_CASE("series: each lane of a batch gets the value that it would get alone", "[math][series][fast]") {
  using lanes::Batch;
  const auto check = [](const Batch& both, double first, double second) {
    CHECK(off(both.a, first) < 4e-15);  // not bitwise: a compiler may fuse multiplication and addition in one and not in the other
    CHECK(off(both.b, second) < 4e-15);
  };
  for (const double a : {0.0, 0.5, 2.0, 20.0, 50.0}) {
    for (const double b : {0.0, 0.5, 2.0, 20.0, 50.0}) {
      CAPTURE(a, b);
      const Batch x(a, b);
      check(series::exp_coefficients(x).C, series::exp_coefficients(a).C, series::exp_coefficients(b).C);
      check(series::dexp_coefficients(x).B1, series::dexp_coefficients(a).B1, series::dexp_coefficients(b).B1);
      check(series::half_angle(x).s, series::half_angle(a).s, series::half_angle(b).s);
      check(series::dlog_coefficient(x), series::dlog_coefficient(a), series::dlog_coefficient(b));
      check(series::dlog_coefficients2(x).g2, series::dlog_coefficients2(a).g2, series::dlog_coefficients2(b).g2);
      const Batch sine2 = x / Batch(50), w(std::sqrt(1 - sine2.a), std::sqrt(1 - sine2.b));
      check(series::log_factor(sine2, w), series::log_factor(sine2.a, w.a), series::log_factor(sine2.b, w.b));
    }
  }
}

}  // namespace series_test
