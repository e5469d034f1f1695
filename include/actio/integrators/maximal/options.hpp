// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of MaximalIntegrator.
#include <cmath>
#include <cstddef>
#include <optional>

#include "actio/constraints/compliance.hpp"
#include "actio/core/options.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/integrators/shared/rebound.hpp"
#include "actio/integrators/shared/sliding.hpp"

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
  /// Updates from a guess, >= 1: Newton's, of which up to 9 were seen to solve to rounding; quasi-Newton where limits, friction or contacts act.
  int max_iterations = 50;
  int max_halvings = 10;                                 ///< a step that does not converge is split in two, at most this many times, 0 ... 20
  NodeVelocity velocity = NodeVelocity::momentum;        ///< start and read-out
  SpringRule springs = SpringRule::midpoint;             ///< of joints whose q is a vector                 [vi_math.md, section 8]
  bool carry_residual = true;                            ///< the remaining residual enters the next momenta [vi_math.md, section 14.5]
  /// Largest constraint violation of loops, couplings and rolling contacts at a reset, > 0 [m, rad].
  ValueOf<S> closure_tolerance = sizeof(ValueOf<S>) >= 8 ? ValueOf<S>(1e-6) : ValueOf<S>(1e-4);
  /// Fastest return of joints that a step finds beyond enforced limits, and of bodies that overlap, > 0 [rad/s, m/s]. They then rest there.
  ValueOf<S> recovery = ValueOf<S>(0.1F);
  Impacts impacts = Impacts::located;                    ///< of contacts and limits with restitution
  Reversals reversals = Reversals::in_step;              ///< of slip against friction
  Compliance<ValueOf<S>> limit{};                        ///< compliance of enforced joint limits; rigid by default
  /// Compliance of loops and couplings, rigid by default, in the violations of their rows: of a rotation the sine of half the angle.
  Compliance<ValueOf<S>> closure{};
  /// Number of contact points; with more of them a step fails with Status::capacity. Left open, it is the number that the source declares
  /// by most_points(), if it does, and at least 64.
  std::optional<std::size_t> contact_capacity = {};
  std::size_t tie_capacity = 8;                          ///< number of contact points between moving bodies
  ValueOf<S> contact_margin = ValueOf<S>(0.1F);          ///< points with a larger gap are ignored, >= 0 [m]
  /// Compares option by option.
  friend bool operator==(const MaximalOptions&, const MaximalOptions&) = default;

  /// Checks every option.  @throws OptionsError that names the option and its range.
  void check() const {
    const auto require = [](bool sound, std::string_view option, const auto& value, const char* expected) {
      detail::require_option(sound, "MaximalOptions", option, value, expected);
    };
    require(tolerance >= 0 && std::isfinite(tolerance), "tolerance", tolerance, "a finite number >= 0");
    require(closure_tolerance > 0, "closure_tolerance", closure_tolerance, "> 0");
    require(recovery > 0, "recovery", recovery, "> 0");
    require(limit.stiffness >= 0, "limit.stiffness", limit.stiffness, ">= 0");
    require(limit.damping >= 0, "limit.damping", limit.damping, ">= 0");
    require(closure.stiffness >= 0, "closure.stiffness", closure.stiffness, ">= 0");
    require(closure.damping >= 0, "closure.damping", closure.damping, ">= 0");
    require(contact_margin >= 0 && std::isfinite(contact_margin), "contact_margin", contact_margin, "a finite number >= 0");
    require(max_iterations >= 1, "max_iterations", max_iterations, ">= 1");
    require(max_halvings >= 0 && max_halvings <= 20, "max_halvings", max_halvings, "0 ... 20");
  }
};

}  // namespace actio
