// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/shared/increment_history.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace increment_history_test {

using namespace actio;
using Eigen::VectorXd;

/// Increments of a motion that is a polynomial of the given degree in the number of the step.
VectorXd increment(int degree, double k) { return VectorXd::Constant(2, 1.0) + Eigen::Vector2d(3, -2) * std::pow(k, degree); }

TEST_CASE("increment history: extrapolation of order n continues polynomials of degree n - 1 exactly", "[integrators][history][fast]") {
  for (int order = 1; order <= 6; ++order) {
    IncrementHistory<double> history(2);
    for (int k = 0; k < 7; ++k) history.push(increment(order - 1, k), 0.1);
    VectorXd x(2);
    CAPTURE(order);
    CHECK(history.extrapolate(order, 0.1, x) == order);
    // the sum of the magnitudes of the weights is 2^order
    CHECK((x - increment(order - 1, 7)).norm() < 1e-13 * std::pow(2, order) * increment(order - 1, 7).norm());
    for (int k = 0; k < 7; ++k) history.push(increment(order, k), 0.1);
    history.extrapolate(order, 0.1, x);
    CHECK((x - increment(order, 7)).norm() > 1e-3);
  }
}

TEMPLATE_TEST_CASE("increment history: rounding does not lower the order of a smooth motion", "[integrators][history][fast]", double,
                   float) {
  using S = TestType;
  IncrementHistory<S> history(3);
  const auto increment = [](int k) {
    const double t = 1e-3 * k;
    return VectorX<S>(Eigen::Vector3d(1e-3 * std::cos(3 * t), 2e-3, 5e-4 * std::sin(2 * t + 1)).cast<S>());
  };
  for (int k = 0; k < 50; ++k) {
    VectorX<S> x(3);
    if (k >= 6) CHECK(history.extrapolate(6, S(1), x) == 6);
    if (k >= 6) CHECK((x - increment(k)).norm() < 200 * epsilon<S> * increment(k).norm());  // 63 times the rounding of each increment
    history.push(increment(k), S(1));
  }
}

/// Pose of a body whose path is a polynomial of the given degree in time.
Eigen::Vector2d position(int degree, double t) {
  return Eigen::Vector2d(1.5 * t, 0.2) + Eigen::Vector2d(0.7, -2) * std::pow(t - 0.3, degree);
}

/// Pushes the increments of steps of the given lengths, starting at t = 0.  @returns the time reached.
double walk(IncrementHistory<double>& history, int degree, const std::vector<double>& lengths) {
  double t = 0;
  for (const double h : lengths) {
    history.push(position(degree, t + h) - position(degree, t), h);
    t += h;
  }
  return t;
}

TEST_CASE("increment history: with steps of varying length, paths that are polynomials in time are continued exactly",
          "[integrators][history][fast]") {
  const double g = 1 / (4 - std::cbrt(4.0));
  const auto [lengths, h] = GENERATE_COPY(table<std::vector<double>, double>({{{0.9, 1.1, 1, 0.8, 1.2, 1, 0.9}, 0.7},
                                                                              {{0.9, 1.1, 1, 0.8, 1.2, 1, 0.9}, -0.7},
                                                                              {{1, 1, 1, 1, 1, 1}, 0.5},
                                                                              {{-1, -0.8, -0.7, -0.6, -0.5, -0.4}, -0.3},
                                                                              {{g, g, 1 - 4 * g, g, g, g, g}, 1 - 4 * g}}));
  for (int order = 1; order <= 6; ++order) {
    IncrementHistory<double> history(2);
    const double t = walk(history, order, lengths);
    VectorXd x = VectorXd::Constant(2, std::nan(""));
    CAPTURE(lengths, h, order);
    const Eigen::Vector2d expected = position(order, t + h) - position(order, t);
    CHECK(history.extrapolate(order, h, x) == order);
    CHECK((x - expected).norm() < 1e-12 * std::pow(1 + std::abs(t), order));
  }
}

TEST_CASE("increment history: step lengths that differ in the last digit have a negligible effect", "[integrators][history][fast]") {
  IncrementHistory<double> equal(2), nearly(2);
  for (int k = 0; k < 6; ++k) {
    equal.push(increment(3, k), 0.1);
    nearly.push(increment(3, k), k % 2 == 0 ? 0.1 : 0.1 * (1 + 1e-15));
  }
  VectorXd x(2), y(2);
  CHECK(equal.extrapolate(6, 0.1, x) == 6);
  CHECK(nearly.extrapolate(6, 0.1, y) == 6);
  CHECK((x - y).norm() < 1e-11 * x.norm());
}

TEST_CASE("increment history: the order is reduced where the weights would be too large", "[integrators][history][fast]") {
  IncrementHistory<double> history(2);
  VectorXd x = VectorXd::Constant(2, 42);
  CHECK(history.extrapolate(6, 0.1, x) == 0);
  CHECK(x[0] == 42);
  walk(history, 1, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  CHECK(history.extrapolate(6, 0.1, x) == 6);
  CHECK(history.extrapolate(6, 0.01, x) == 6);  // weights are small for interpolation
  const int doubled = history.extrapolate(6, 0.2, x), tenfold = history.extrapolate(6, 1.0, x);
  CHECK(doubled < 6);
  CHECK(doubled >= 3);
  CHECK(tenfold < doubled);
  CHECK(history.extrapolate(6, 1000.0, x) == 0);
  CHECK(history.extrapolate(6, std::numeric_limits<double>::max(), x) == 0);

  history.clear();
  CHECK(history.size() == 0);
  CHECK(history.extrapolate(6, 0.1, x) == 0);
}

TEST_CASE("increment history: the order is reduced where the motion is too fast for its steps", "[integrators][history][fast]") {
  IncrementHistory<double> slow(1), fast(1), noisy(1);
  for (int k = 0; k < 6; ++k) {
    slow.push(VectorXd::Constant(1, std::sin(0.3 * k)), 0.1);
    fast.push(VectorXd::Constant(1, std::sin(2.0 * k)), 0.1);
    noisy.push(VectorXd::Constant(1, 1 + (k % 2 == 0 ? 1e-5 : -1e-5)), 0.1);
  }
  VectorXd x(1);
  CHECK(slow.extrapolate(6, 0.1, x) == 6);
  CHECK(std::abs(x[0] - std::sin(0.3 * 6)) < 2e-3);
  const int order = fast.extrapolate(6, 0.1, x);
  CHECK(order < 3);
  CHECK(std::abs(x[0]) < 3);  // sixth order would give 40
  CHECK(noisy.extrapolate(6, 0.1, x) == 6);
}

TEST_CASE("increment history: a step back to a node is extrapolated to this node, although nodes coincide",
          "[integrators][history][fast]") {
  IncrementHistory<double> history(2);
  walk(history, 3, {0.1, 0.1, 0.1, 0.1, 0.1});
  const VectorXd last = position(3, 0.5) - position(3, 0.4);
  VectorXd x(2);
  history.extrapolate(6, -0.1, x);
  CHECK((x + last).norm() < 1e-15);
  history.push(-last, -0.1);
  CHECK(history.extrapolate(6, 0.1, x) == 1);  // two nodes at the same time determine no polynomial
  CHECK((x - last).norm() < 1e-15);
}

TEST_CASE("increment history: what was added before a clear has no effect on the bits", "[integrators][history][fast]") {
  const std::vector<double> lengths{0.1, 0.13, 0.1, 0.1, -0.1, 0.1, 0.1};  // two nodes coincide on the way
  for (std::size_t before = 0; before <= lengths.size(); ++before) {
    IncrementHistory<double> fresh(2), used(2);
    for (std::size_t k = 0; k < before; ++k) used.push(increment(2, static_cast<double>(k)), lengths[k]);
    used.clear();
    for (int k = 0; k < 8; ++k) {
      VectorXd x = VectorXd::Zero(2), y = x;
      CAPTURE(before, k);
      CHECK(fresh.extrapolate(6, 0.1, x) == used.extrapolate(6, 0.1, y));
      CHECK(x == y);
      for (IncrementHistory<double>* history : {&fresh, &used}) history->push(VectorXd::Constant(2, std::sin(0.3 * k)), k % 3 == 0 ? 0.1 : 0.12);
    }
  }
}

}  // namespace increment_history_test
