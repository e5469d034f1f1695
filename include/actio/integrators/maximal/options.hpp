// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "actio/constraints/nonholonomic.hpp"
#include "actio/core/error.hpp"
#include "actio/integrators/variational/options.hpp"

namespace actio {

/// How velocities at a node are told from those of the intervals between nodes.                   [vi_math.md, section 11.4]
enum class NodeVelocity {
  momentum,  ///< those that have the momentum at the node: second order
  interval,  ///< those of the interval before, and the first interval begins with them: as published, first order
};

/// How MaximalIntegrator solves for a step.
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
  /// Option by option.
  friend bool operator==(const MaximalOptions&, const MaximalOptions&) = default;

  /// @param num_bodies of the model, the world included.  @throws OptionsError that names the option and its range.
  void check(BodyIndex num_bodies) const {
    const auto refuse = [](const char* option, const std::string& value, const char* range) {
      throw OptionsError(std::string("MaximalOptions: ") + option + " is " + value + ", expected " + range);
    };
    if (!(tolerance >= 0) || !std::isfinite(tolerance)) refuse("tolerance", std::to_string(tolerance), ">= 0");
    if (!(closure_tolerance > 0)) refuse("closure_tolerance", std::to_string(closure_tolerance), "> 0");
    if (max_iterations < 1) refuse("max_iterations", std::to_string(max_iterations), ">= 1");
    if (max_halvings < 0 || max_halvings > 20) refuse("max_halvings", std::to_string(max_halvings), "0 ... 20");
    for (const Nonholonomic<S>& any : nonholonomic) {
      std::visit([&](const auto& constraint) {
        const auto refuse_its = [&](const char* part, const std::string& value, const char* range) {
          refuse(("nonholonomic '" + constraint.name + "' " + part).c_str(), value, range);
        };
        if (constraint.body < 1 || constraint.body >= num_bodies) refuse_its("body", std::to_string(constraint.body), "a moving body");
        check_shape(constraint, refuse_its);
      }, any);
    }
  }

 private:
  static bool is_direction(const Vector3<S>& a) { return value_of(S(a.squaredNorm())) > 0 && is_finite(S(a.squaredNorm())); }
  static bool is_point(const Vector3<S>& a) { return is_finite(S(a.squaredNorm())); }
  template <class Refuse>
  static void check_shape(const Rolling<S>& rolling, const Refuse& refuse) {
    const auto radius = value_of(rolling.radius);
    if (!(radius > 0) || !std::isfinite(radius)) refuse("radius", std::to_string(radius), "> 0");
    if (!is_direction(rolling.normal)) refuse("normal", "no direction", "one");
    if (!is_point(rolling.axle)) refuse("axle", "not finite", "a direction, or zero for a ball");
    if (!is_point(rolling.center)) refuse("center", "not finite", "a point");
    if (!is_finite(rolling.height)) refuse("height", "not finite", "a number");
  }
  template <class Refuse>
  static void check_shape(const KnifeEdge<S>& knife, const Refuse& refuse) {
    if (!is_direction(knife.across)) refuse("across", "no direction", "one");
    if (!is_point(knife.point)) refuse("point", "not finite", "a point");
  }
};

}  // namespace actio
