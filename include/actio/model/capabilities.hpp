// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a scheme can take of a model's active data; what it cannot it refuses by name, in its constructor.
#include <string>
#include <string_view>

#include "actio/model/model.hpp"

namespace actio {

struct Capabilities {
  bool loops = false, couplings = false, limits = false, friction = false, contact = false;
};

namespace detail {
inline void refuse(std::string_view integrator, const std::string& what, std::string_view who_can, std::string_view remedy) {
  throw ModelError(std::string(integrator) + " cannot take " + what + "; " + std::string(who_can) + " can, or " + std::string(remedy));
}
}  // namespace detail

/// @throws ModelError that names the first active thing beyond the scheme, the schemes that take it, and how to switch it off.
template <Scalar S, class Joints>
void require_support(const Model<S, Joints>& model, const Capabilities& can, std::string_view integrator) {
  constexpr std::string_view closing = "maximal, compliant and srm";
  for (const Loop<S>& loop : model.loops()) {
    if (loop.active && !can.loops) detail::refuse(integrator, "loop '" + loop.name + "'", closing, "release the loops");
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (!coupling.active || can.couplings) continue;
    detail::refuse(integrator, "the coupling of joint '" + coupling.name + "'", closing, "release the couplings");
  }
  const Enforcement& enforced = model.enforced();
  if (enforced.limits && !can.limits) detail::refuse(integrator, "enforced joint limits", "compliant", "do not enforce them");
  if (enforced.friction && !can.friction) detail::refuse(integrator, "enforced joint friction", "compliant", "do not enforce it");
  if (enforced.contact && !can.contact) detail::refuse(integrator, "enforced contact", "compliant", "do not enforce it");
}

}  // namespace actio
