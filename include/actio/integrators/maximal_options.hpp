// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "actio/core/error.hpp"
#include "actio/integrators/variational_options.hpp"

namespace actio {

/// How velocities at a node are told from those of the intervals between nodes.                   [vi_math.md, section 11.4]
enum class NodeVelocity {
  momentum,  ///< those that have the momentum at the node: second order
  interval,  ///< those of the interval before, and the first interval begins with them: as published, first order
};

template <Scalar S>
struct MaximalOptions {
  ValueOf<S> tolerance = default_tolerance<ValueOf<S>>;  ///< of the residual, relative to the motion's sqrt(2 K); 0 solves to rounding, >= 0
  int max_iterations = 50;                               ///< Newton updates in a step, >= 1
  int max_halvings = 10;                                 ///< a step that does not converge is split in two, at most so often, 0 ... 20
  NodeVelocity velocity = NodeVelocity::momentum;        ///< start and read-out
  SpringRule springs = SpringRule::midpoint;             ///< of joints whose q is a vector                 [vi_math.md, section 8]
  bool carry_residual = true;                            ///< what is left unsolved enters the next momenta [vi_math.md, section 14.5]
  ValueOf<S> closure_tolerance = sizeof(ValueOf<S>) >= 8 ? ValueOf<S>(1e-6) : ValueOf<S>(1e-4);  ///< by which loops and couplings may be open at the start, > 0 [m, rad]
  friend bool operator==(const MaximalOptions&, const MaximalOptions&) = default;

  /// @throws OptionsError that names the option and its range.
  void check() const {
    const auto refuse = [](const char* option, const std::string& value, const char* range) {
      throw OptionsError(std::string("MaximalOptions: ") + option + " is " + value + ", expected " + range);
    };
    if (!(tolerance >= 0) || !std::isfinite(tolerance)) refuse("tolerance", std::to_string(tolerance), ">= 0");
    if (!(closure_tolerance > 0)) refuse("closure_tolerance", std::to_string(closure_tolerance), "> 0");
    if (max_iterations < 1) refuse("max_iterations", std::to_string(max_iterations), ">= 1");
    if (max_halvings < 0 || max_halvings > 20) refuse("max_halvings", std::to_string(max_halvings), "0 ... 20");
  }
};

}  // namespace actio
