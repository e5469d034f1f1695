// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of MaximalIntegrator.
#include <cmath>
#include <vector>

#include "actio/constraints/nonholonomic.hpp"
#include "actio/core/options.hpp"
#include "actio/dynamics/joint_terms.hpp"

namespace actio {

/// How velocities at a node follow from those of the intervals between nodes.                     [vi_math.md, section 11.4]
enum class NodeVelocity {
  momentum,  ///< the velocities that have the momentum at the node: second order
  interval,  ///< those of the preceding interval, and the first interval begins with them: as published, first order
};

/// How MaximalIntegrator solves for a step.
template <Scalar S>
struct MaximalOptions {
  ValueOf<S> tolerance = default_tolerance<ValueOf<S>>;  ///< of the residual, relative to the motion's sqrt(2 K), >= 0; 0: to rounding
  int max_iterations = 10;                               ///< root-finder updates from a guess, >= 1; up to 9 were seen to solve to rounding
  int max_halvings = 10;                                 ///< a step that does not converge is split in two, at most so often, 0 ... 20
  NodeVelocity velocity = NodeVelocity::momentum;        ///< start and read-out
  SpringRule springs = SpringRule::midpoint;             ///< of joints whose q is a vector                 [vi_math.md, section 8]
  bool carry_residual = true;                            ///< the remaining residual enters the next momenta [vi_math.md, section 14.5]
  /// Largest constraint violation of loops, couplings and rolling contacts at a reset, > 0 [m, rad].
  ValueOf<S> closure_tolerance = sizeof(ValueOf<S>) >= 8 ? ValueOf<S>(1e-6) : ValueOf<S>(1e-4);
  std::vector<Nonholonomic<S>> nonholonomic = {};        ///< rolling without slipping, knife edges
  /// Compares option by option.
  friend bool operator==(const MaximalOptions&, const MaximalOptions&) = default;

  /// Checks every option.  @param num_bodies of the model, including the world.  @throws OptionsError that names the option and its range.
  void check(BodyIndex num_bodies) const {
    const auto require = [](bool sound, std::string_view option, const auto& value, const char* expected) {
      detail::require_option(sound, "MaximalOptions", option, value, expected);
    };
    require(tolerance >= 0 && std::isfinite(tolerance), "tolerance", tolerance, ">= 0");
    require(closure_tolerance > 0, "closure_tolerance", closure_tolerance, "> 0");
    require(max_iterations >= 1, "max_iterations", max_iterations, ">= 1");
    require(max_halvings >= 0 && max_halvings <= 20, "max_halvings", max_halvings, "0 ... 20");
    for (const Nonholonomic<S>& any : nonholonomic) {
      std::visit([&](const auto& constraint) {
        const auto require_part = [&](bool sound, std::string_view part, const auto& value, const char* expected) {
          require(sound, detail::concat({part, " of nonholonomic '", constraint.name, "'"}), value, expected);
        };
        require_part(constraint.body >= 1 && constraint.body < num_bodies, "body", constraint.body, "a moving body");
        check_shape(constraint, require_part);
      }, any);
    }
  }

 private:
  static bool is_direction(const Vector3<S>& a) { return value_of(S(a.squaredNorm())) > 0 && is_finite(S(a.squaredNorm())); }
  static bool is_point(const Vector3<S>& a) { return is_finite(S(a.squaredNorm())); }
  template <class Require>
  static void check_shape(const Rolling<S>& rolling, const Require& require) {
    const auto radius = value_of(rolling.radius);
    require(radius > 0 && std::isfinite(radius), "radius", radius, "> 0");
    require(is_direction(rolling.normal), "normal", "zero or not finite", "a direction");
    require(is_point(rolling.axle), "axle", "not finite", "a direction, or zero for a ball");
    require(is_point(rolling.center), "center", "not finite", "a point");
    require(is_finite(rolling.height), "height", rolling.height, "a finite number");
  }
  template <class Require>
  static void check_shape(const KnifeEdge<S>& knife, const Require& require) {
    require(is_direction(knife.across), "across", "zero or not finite", "a direction");
    require(is_point(knife.point), "point", "not finite", "a point");
  }
};

}  // namespace actio
