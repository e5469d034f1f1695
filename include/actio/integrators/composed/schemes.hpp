// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Composition schemes: lengths of steps of a symmetric integrator of order 2, some negative, that together have a higher order. They add up
// to 1, their third powers to 0; order 6 has two further conditions of fifth order.  [Hairer, Lubich, Wanner 2006, chapter V.3]
#include <array>
#include <type_traits>

namespace actio {

/// Order 4, five steps of 0.41, 0.41, -0.66, 0.41, 0.41.                                                       [Suzuki 1990]
/// At the same step its error is about a hundredth of the triple jump's, at equal work about a tenth.
struct Suzuki4 {
  static constexpr int stages = 5,                                        ///< number of inner steps in a step
      order = 4;                                                          ///< of the error at a given time, in h
  static constexpr double a = 0.41449077179437573714;                     ///< 1 / (4 - 4^(1/3))
  static constexpr std::array<double, 5> weights{a, a, 1 - 4 * a, a, a};  ///< lengths of the inner steps, as shares of the whole
};

/// Order 4 with the fewest steps, three of 1.35, -1.70, 1.35.                      [Creutz and Gocksch 1989; Yoshida 1990]
struct TripleJump4 {
  /// As in Suzuki4.
  ///@{
  static constexpr int stages = 3, order = 4;
  static constexpr double a = 1.35120719195965763405;  ///< 1 / (2 - 2^(1/3))
  static constexpr std::array<double, 3> weights{a, 1 - 2 * a, a};
  ///@}
};

/// Order 6, nine steps of 0.08 to 0.71.                                                                   [Kahan and Li 1997]
struct KahanLi6 {
  /// As in Suzuki4; a to d are the first four weights, and in reverse order the last four.
  ///@{
  static constexpr int stages = 9, order = 6;
  static constexpr double a = 0.39216144400731413928, b = 0.33259913678935943860, c = -0.70624617255763935981, d = 0.08221359629355080023;
  static constexpr std::array<double, 9> weights{a, b, c, d, 1 - 2 * (a + b + c + d), d, c, b, a};
  ///@}
};

/// The default scheme of an order.
template <int order>
  requires(order == 4 || order == 6)
using CompositionScheme = std::conditional_t<order == 4, Suzuki4, KahanLi6>;

}  // namespace actio
