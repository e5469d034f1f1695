// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tableaus of explicit Runge-Kutta methods: times c of the stages, weights a of earlier rates in a stage, weights b of rates in the step.
#include <array>

namespace actio {

/// The explicit Euler method, q_1 = q_0 + h v_0, v_1 = v_0 + h a_0, which gains energy. Every tableau must have these members.
struct ForwardEuler {
  static constexpr int stages = 1,                            ///< number of evaluations in a step
      order = 1;                                              ///< of the error at a given time, in h
  static constexpr std::array<double, 1> c{0},                ///< times of the stages, as shares of the step
      b{1};                                                   ///< weights of the stages' rates in the step: they add up to 1
  static constexpr std::array<std::array<double, 1>, 1> a{};  ///< in row s the weights of the rates before stage s: they add up to c_s
  static constexpr const char* name = "forward_euler";        ///< name in messages
};

/// The explicit midpoint rule.
struct Midpoint {
  /// As in ForwardEuler.
  ///@{
  static constexpr int stages = 2, order = 2;
  static constexpr std::array<double, 2> c{0, 0.5}, b{0, 1};
  static constexpr std::array<std::array<double, 2>, 2> a{{{}, {0.5}}};
  static constexpr const char* name = "midpoint";
  ///@}
};

/// Heun's method of order 2: the explicit trapezoid.
struct Heun {
  /// As in ForwardEuler.
  ///@{
  static constexpr int stages = 2, order = 2;
  static constexpr std::array<double, 2> c{0, 1}, b{0.5, 0.5};
  static constexpr std::array<std::array<double, 2>, 2> a{{{}, {1}}};
  static constexpr const char* name = "heun";
  ///@}
};

/// The classical method of order 4.
struct RungeKutta4 {
  /// As in ForwardEuler.
  ///@{
  static constexpr int stages = 4, order = 4;
  static constexpr std::array<double, 4> c{0, 0.5, 0.5, 1}, b{1. / 6, 1. / 3, 1. / 3, 1. / 6};
  static constexpr std::array<std::array<double, 4>, 4> a{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}};
  static constexpr const char* name = "rk4";
  ///@}
};

}  // namespace actio
