// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which of a model's active data an integration scheme supports. Its constructor refuses other active data by name.
#include <string>
#include <string_view>

#include "actio/model/model.hpp"

namespace actio {

/// The active data that a scheme supports in its steps. Every scheme supports the tree, inertia, damping, armature, springs and constant
/// forces.
struct Capabilities {
  bool loops = false,        ///< loop closures
      couplings = false,     ///< couplings of two joints
      limits = false,        ///< joint ranges
      friction = false,      ///< dry joint friction
      contact = false,       ///< collision shapes
      nonholonomic = false,  ///< rolling, knife edges
      servos = false,        ///< springs and dampers with limited forces
      restitution = false,   ///< impacts of joint limits
      dampers = false;       ///< dampers of springs between points
};

namespace detail {
inline void refuse(std::string_view integrator, const std::string& what, std::string_view remedy) {
  throw Unsupported(std::string(integrator), what, std::string(remedy));
}
}  // namespace detail

/// Checks that a scheme supports all active data of a model.  @param integrator name of the scheme, for messages.
/// @throws Unsupported that names the first active item that the scheme does not support, and how to switch it off.
template <Scalar S, class Joints>
void require_support(const Model<S, Joints>& model, const Capabilities& can, std::string_view integrator) {
  for (const Loop<S>& loop : model.loops()) {
    if (loop.active && !can.loops) detail::refuse(integrator, "loop '" + loop.name + "'", "release the loops by with_loops(false)");
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (!coupling.active || can.couplings) continue;
    detail::refuse(integrator, "the coupling of joint '" + coupling.name + "'", "release the couplings by with_couplings(false)");
  }
  for (const Nonholonomic<S>& constraint : model.nonholonomic()) {
    if (!constraint.active || can.nonholonomic) continue;
    detail::refuse(integrator, detail::title(constraint), "take MaximalIntegrator, or release it by with_nonholonomic(false)");
  }
  for (const PointSpring<S>& spring : model.springs()) {
    if (!(spring.damping > S(0)) || can.dampers) continue;
    detail::refuse(integrator, "the damper of " + detail::title(spring), "take another integrator, or set it to 0 in with_springs()");
  }
  if (!model.servos().empty() && !can.servos) detail::refuse(integrator, "servos", "remove them by with_servos({})");
  const Enforcement& enforced = model.enforced();
  if (enforced.limits && !can.limits) detail::refuse(integrator, "enforced joint limits", "switch them off in with_enforced()");
  if (enforced.limits && !can.restitution && (model.properties().restitution.array() > S(0)).any()) {
    detail::refuse(integrator, "restitution of joint limits", "take VariationalIntegrator or MaximalIntegrator, or set it to 0 in with_properties()");
  }
  if (enforced.friction && !can.friction) detail::refuse(integrator, "enforced joint friction", "switch it off in with_enforced()");
  if (enforced.contact && !can.contact) detail::refuse(integrator, "enforced contact", "switch it off in with_enforced()");
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void require_support(const Model<double>&, const Capabilities&, std::string_view);
#endif

}  // namespace actio
