// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Explicit Runge-Kutta methods: stages at times c, made of the rates before them by a; the step by b.
#include <array>

namespace actio {

struct ForwardEuler {
  static constexpr int stages = 1, order = 1;
  static constexpr std::array<double, 1> c{0}, b{1};
  static constexpr std::array<std::array<double, 1>, 1> a{};
  static constexpr const char* name = "forward_euler";
};

/// The explicit midpoint rule.
struct Midpoint {
  static constexpr int stages = 2, order = 2;
  static constexpr std::array<double, 2> c{0, 0.5}, b{0, 1};
  static constexpr std::array<std::array<double, 2>, 2> a{{{}, {0.5}}};
  static constexpr const char* name = "midpoint";
};

/// Heun's method of order 2: the explicit trapezoid.
struct Heun {
  static constexpr int stages = 2, order = 2;
  static constexpr std::array<double, 2> c{0, 1}, b{0.5, 0.5};
  static constexpr std::array<std::array<double, 2>, 2> a{{{}, {1}}};
  static constexpr const char* name = "heun";
};

/// The classical method of order 4.
struct RungeKutta4 {
  static constexpr int stages = 4, order = 4;
  static constexpr std::array<double, 4> c{0, 0.5, 0.5, 1}, b{1. / 6, 1. / 3, 1. / 3, 1. / 6};
  static constexpr std::array<std::array<double, 4>, 4> a{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}};
  static constexpr const char* name = "rk4";
};

}  // namespace actio
