// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "actio/constraints/nonholonomic.hpp"
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
  int max_iterations = 8;                                ///< evaluations before a step is split, >= 1; six times as many where it is solved to rounding
  int max_halvings = 10;                                 ///< a step that does not converge is split in two, at most so often, 0 ... 20
  NodeVelocity velocity = NodeVelocity::momentum;        ///< start and read-out
  SpringRule springs = SpringRule::midpoint;             ///< of joints whose q is a vector                 [vi_math.md, section 8]
  bool carry_residual = true;                            ///< what is left unsolved enters the next momenta [vi_math.md, section 14.5]
  /// By which loops, couplings and rolling contacts may be open at the start, > 0 [m, rad].
  ValueOf<S> closure_tolerance = sizeof(ValueOf<S>) >= 8 ? ValueOf<S>(1e-6) : ValueOf<S>(1e-4);
  std::vector<Nonholonomic<S>> nonholonomic = {};        ///< what rolls without slipping or cuts like a blade
  friend bool operator==(const MaximalOptions&, const MaximalOptions&) = default;

  /// @param num_bodies of the model, the world included.  @throws OptionsError that names the option and its range.
  void check(BodyIndex num_bodies) const {
    const auto refuse = [](const char* option, const std::string& value, const char* range) {
      throw OptionsError(std::string("MaximalOptions: ") + option + " is " + value + ", expected " + range);
    };
    if (!(tolerance >= 0) || !std::isfinite(tolerance)) refuse("tolerance", std::to_string(tolerance), ">= 0");
    if (!(closure_tolerance > 0)) refuse("closure_tolerance", std::to_string(closure_tolerance), "> 0");
    if (max_iterations < 1) refuse("max_iterations", std::to_string(max_iterations), ">= 1");
    for (const Nonholonomic<S>& any : nonholonomic) {
      std::visit([&](const auto& constraint) {
        const std::string name = "nonholonomic '" + constraint.name + "'";
        const auto is_direction = [](const Vector3<S>& a) { return value_of(S(a.squaredNorm())) > 0 && is_finite(S(a.squaredNorm())); };
        if (constraint.body < 1 || constraint.body >= num_bodies) refuse((name + " body").c_str(), std::to_string(constraint.body), "a moving body");
        if constexpr (requires { constraint.radius; }) {
          if (!(value_of(constraint.radius) > 0)) refuse((name + " radius").c_str(), std::to_string(value_of(constraint.radius)), "> 0");
          if (!is_direction(constraint.normal)) refuse((name + " normal").c_str(), "no direction", "one");
        } else if (!is_direction(constraint.across)) {
          refuse((name + " across").c_str(), "no direction", "one");
        }
      }, any);
    }
    if (max_halvings < 0 || max_halvings > 20) refuse("max_halvings", std::to_string(max_halvings), "0 ... 20");
  }
};

}  // namespace actio
