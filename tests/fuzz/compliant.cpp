// SPDX-License-Identifier: BSD-3-Clause
// `compliant` with its options, and ConstraintForces.
#include "actio/integrators/compliant.hpp"

#include "actio/integrators/constraint_forces.hpp"
#include "fuzz/laws.hpp"

namespace fuzz {

namespace {

CompliantOptions<double> choose_options(Choices& c) {
  CompliantOptions<double> options;
  const unsigned chosen = static_cast<unsigned>(c.below(256));
  if ((chosen & 1U) != 0) options.tolerance = 0;
  if ((chosen & 2U) != 0) options.law = static_cast<ConeLaw>(c.below(2));
  if ((chosen & 4U) != 0) options.limit = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 8U) != 0) options.closure = {c.scale(8), c.happens(2) ? c.scale(6) : 0};
  if ((chosen & 16U) != 0) options.factorization = static_cast<Factorization>(c.below(6));
  if ((chosen & 32U) != 0) options.friction_damping = c.scale(6);
  if ((chosen & 64U) != 0) options.predictor_rotation = 0;
  if ((chosen & 128U) != 0) options.contact_capacity = static_cast<std::size_t>(c.below(20));
  return options;
}
PlaneContacts<double> ground(Choices& c) {
  ContactMaterial<double> material{.friction = std::abs(c.number())};
  if (c.happens(2)) material.normal = Compliance<double>{c.scale(8), c.scale(4)};
  if (c.happens(4)) material.tangential_damping = c.scale(6);
  if (c.happens(4)) material.tangential_damping = c.scale(4), material.tangential_stiffness = c.scale(6);
  return PlaneContacts<double>(material, Vector3<double>::UnitZ(), -1);
}

template <class Contacts>
void solve(const Chosen& at, const CompliantOptions<double>& options, const Contacts& contacts, Choices& c) {
  auto forces = built([&] { return ConstraintForces(at.model, options, contacts); });
  if (!forces || !forces->solve(at.state, choose_input(c, at.model), choose_step(c))) return;
  require(detail::is_finite_vector(forces->velocity()) && detail::is_finite_vector(forces->row_forces()), "forces that are solved for are finite");
}

}  // namespace

void compliant(const Chosen& at, int kind, Choices& c) {
  const CompliantOptions<double> options = choose_options(c);
  if (at.model.enforced().contact) {
    const auto contacts = built([&] { return ground(c); });
    if (!contacts) return;
    if (kind < 64) solve(at, options, *contacts, c);
    const auto integrator = built([&] { return CompliantIntegrator(at.model, options, *contacts); });
    if (integrator) obeys(*integrator, at.state, c);
  } else {
    if (kind < 64) solve(at, options, NoContacts(), c);
    const auto integrator = built([&] { return CompliantIntegrator(at.model, options); });
    if (integrator) obeys(*integrator, at.state, c);
  }
}

}  // namespace fuzz
