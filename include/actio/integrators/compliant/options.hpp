// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include "actio/constraints/compliance.hpp"
#include "actio/contacts/points.hpp"
#include "actio/core/options.hpp"
#include "actio/solvers/cone/problem.hpp"

namespace actio {

/// How a step's equations are factored.
enum class CompliantBodies : unsigned char {
  automatic,     ///< blocks for several trees of no more than twelve velocities in the mean; else maximal for many closed loops; else articulated
  articulated,   ///< O(bodies + rows) for what touches the world; in iterations of that for contacts between its bodies, dense in its loops
  maximal,       ///< the same, and sparse in loops and couplings: ladders, nets, mechanisms in rows; all bodies need inertia of their own
  iterated,      ///< the same, by conjugate gradients over loops and couplings, O(bodies + rows) each: where loops are loosely tied to each other
  blocks,        ///< dense within a tree of joints, sparse between trees: piles
};

/// How CompliantIntegrator and ConstraintForces make rows of what a model enforces, and solve for their forces.
template <Scalar S>
struct CompliantOptions {
  ConeLaw law = ConeLaw::coulomb;                                   ///< of contacts that slide
  Compliance<S> limit{};                                            ///< of ends of joint ranges; rigid unless told otherwise
  Compliance<S> closure{};                                          ///< of loops and couplings
  /// Loops whose bodies turn by less in a step count how their rows turn: drift h^3, not h^2. Beyond, that would bring energy. 0: never [rad]
  S predictor_turn = S(0.2F);
  S recovery = S(5);                                                ///< most that rigid rows bring back of what is out of place, > 0 [m/s, rad/s]
  S friction_damping = std::numeric_limits<S>::infinity();          ///< of joints that stick, > 0; infinite: they do not creep [N s/m, N m s/rad]
  /// Points of contact; more of them make a step fail with Status::capacity. Left open: as many as the source can find, where it says so by
  /// most_points(), and at least 64.
  std::optional<std::size_t> contact_capacity = {};
  CompliantBodies bodies = CompliantBodies::automatic;              ///< how the equations are factored
  std::size_t tie_capacity = 8;                                     ///< points between moving bodies
  std::size_t fill_capacity = 64;                                   ///< pairs of trees that elimination couples beyond those (blocks)
  S contact_margin = S(0.1F);                                       ///< points farther apart are not looked at, >= 0 [m]
  S tolerance = sizeof(S) >= 8 ? S(1e-12) : S(1e-5);                ///< of the velocities, relative to the free motion, >= 0; 0: to rounding
  int max_iterations = 1000;                                        ///< factorisations of a search for Coulomb's law, >= 1; a step is relaxed where two kinds of search fail
  /// Option by option.
  friend bool operator==(const CompliantOptions&, const CompliantOptions&) = default;

  /// The same with the capacity that is left open filled in for a source of contacts.
  template <class Contacts>
  CompliantOptions completed([[maybe_unused]] const Contacts& contacts) const {
    CompliantOptions options = *this;
    if (contact_capacity) return options;
    options.contact_capacity = 64;
    if constexpr (detail::CountsPoints<Contacts>) options.contact_capacity = std::max(*options.contact_capacity, contacts.most_points());
    return options;
  }

  /// @throws OptionsError that names the option and its range.
  void check() const {
    const auto require = [](bool sound, const char* option, const auto& value, const char* expected) {
      detail::require_option(sound, "CompliantOptions", option, value, expected);
    };
    require(limit.is_valid(), "limit", "negative or not a number", "a stiffness and a damping >= 0");
    require(closure.is_valid(), "closure", "negative or not a number", "a stiffness and a damping >= 0");
    require(recovery > S(0), "recovery", recovery, "> 0");
    require(friction_damping > S(0), "friction_damping", friction_damping, "> 0");
    require(predictor_turn >= S(0), "predictor_turn", predictor_turn, ">= 0");
    require(contact_margin >= S(0) && is_finite(contact_margin), "contact_margin", contact_margin, ">= 0");
    require(tolerance >= S(0) && is_finite(tolerance), "tolerance", tolerance, ">= 0");
    require(max_iterations >= 1, "max_iterations", max_iterations, ">= 1");
  }
};

namespace detail {

/// Options that CompliantOptions::completed() made.
template <Scalar S>
struct CompletedOptions {
  CompliantOptions<S> options;
};

}  // namespace detail
}  // namespace actio
