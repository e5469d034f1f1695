// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of CompliantIntegrator and ConstraintForces.
#include <limits>
#include <optional>

#include "actio/constraints/compliance.hpp"
#include "actio/contacts/points.hpp"
#include "actio/core/options.hpp"
#include "actio/equations/factorization.hpp"
#include "actio/solvers/cone/problem.hpp"

namespace actio {

/// How CompliantIntegrator and ConstraintForces make rows of the constraints of a model and solve for their forces.
template <Scalar S>
struct CompliantOptions {
  ConeLaw law = ConeLaw::coulomb;                                   ///< law of contacts that slide
  Compliance<S> limit{};                                            ///< compliance of joint limits; rigid by default
  Compliance<S> closure{};                                          ///< compliance of loops and couplings; rigid by default
  /// Loops whose bodies rotate by less than this in a step include the rate of change of their Jacobian: drift h^3, not h^2. Beyond, that
  /// would add energy. 0: never [rad]
  S predictor_rotation = S(0.2F);
  S recovery = S(5);                                                ///< fastest correction of the violation of rigid rows, > 0 [m/s, rad/s]
  S friction_damping = std::numeric_limits<S>::infinity();          ///< of joints that stick, > 0; infinite: no creep [N s/m, N m s/rad]
  /// Number of contact points; with more of them a step fails with Status::capacity. Left open, it is the number that the source declares
  /// by most_points(), if it does, and at least 64.
  std::optional<std::size_t> contact_capacity = {};
  Factorization factorization = Factorization::automatic;           ///< how rows between moving bodies are solved; not sweeps
  std::size_t tie_capacity = 8;                                     ///< number of contact points between moving bodies
  std::size_t fill_capacity = 64;                                   ///< further pairs of trees that elimination couples (blocks)
  S contact_margin = S(0.1F);                                       ///< points with a larger gap are ignored, >= 0 [m]
  S tolerance = sizeof(S) >= 8 ? S(1e-12) : S(1e-5);  ///< of the velocities, relative to the free motion, >= 0; 0: to rounding
  /// Largest number of factorisations, >= 1, in each search of the cone solver: for Coulomb's law from the guess and from convex solutions,
  /// along a path between the laws, and for the convex law. Updates that share their factors with the one before are cheap and not limited.
  /// Where neither of the first two searches succeeds, the forces are those of the convex law and the step is relaxed.
  int max_factorizations = 1000;
  /// Compares option by option.
  friend bool operator==(const CompliantOptions&, const CompliantOptions&) = default;

  /// Returns the options with a contact capacity that is left open filled in for a source of contacts.
  template <class Contacts>
  CompliantOptions completed(const Contacts& contacts) const {
    CompliantOptions options = *this;
    if (!contact_capacity) options.contact_capacity = detail::contact_capacity_for(contacts);
    return options;
  }

  /// Checks every option.  @throws OptionsError that names the option and its range.
  void check() const {
    const auto require = [](bool sound, const char* option, const auto& value, const char* expected) {
      detail::require_option(sound, "CompliantOptions", option, value, expected);
    };
    require(limit.stiffness >= S(0), "limit.stiffness", limit.stiffness, ">= 0");
    require(limit.damping >= S(0), "limit.damping", limit.damping, ">= 0");
    require(closure.stiffness >= S(0), "closure.stiffness", closure.stiffness, ">= 0");
    require(closure.damping >= S(0), "closure.damping", closure.damping, ">= 0");
    require(factorization != Factorization::sweeps, "factorization", name(factorization), "any but sweeps, which are for variational");
    require(recovery > S(0), "recovery", recovery, "> 0");
    require(friction_damping > S(0), "friction_damping", friction_damping, "> 0");
    require(predictor_rotation >= S(0), "predictor_rotation", predictor_rotation, ">= 0");
    require(contact_margin >= S(0) && is_finite(contact_margin), "contact_margin", contact_margin, "a finite number >= 0");
    require(tolerance >= S(0) && is_finite(tolerance), "tolerance", tolerance, "a finite number >= 0");
    require(max_factorizations >= 1, "max_factorizations", max_factorizations, ">= 1");
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
