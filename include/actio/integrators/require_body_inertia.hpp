// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>

#include "actio/model/capabilities.hpp"

namespace actio {
namespace detail {

/// Whether a body on its own resists every motion.
template <Scalar S>
bool has_full_inertia(const Inertia<S>& G) {
  const auto moments = G.principal_moments();
  return value_of(G.mass) > 0 && moments[0] > 16 * epsilon<S> * moments[2];
}

}  // namespace detail

/// Refuses bodies without mass or with a vanishing moment of inertia, for schemes in which every body moves on its own.
/// @throws ModelError that names the body.
template <Scalar S, class Joints>
void require_body_inertia(const Model<S, Joints>& model, std::string_view integrator) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<S>& G = model.inertia(i);
    if (detail::has_full_inertia(G)) continue;
    throw ModelError(std::string(integrator) + " moves every body on its own, but body '" + model.body_name(i) + "' has " +
                     (value_of(G.mass) > 0 ? "no moment of inertia about one of its axes" : "no mass") +
                     ": give it some, or take an integrator in joint coordinates");
  }
}

}  // namespace actio
