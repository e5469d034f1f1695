// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>

#include "actio/model/capabilities.hpp"

namespace actio {
/// The first body without mass or with a vanishing moment of inertia; 0 when there is none.
template <Scalar S, class Joints>
BodyIndex first_without_inertia(const Model<S, Joints>& model) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (!model.inertia(i).is_full()) return i;
  }
  return 0;
}

/// Refuses such bodies, for schemes in which every body moves on its own.
/// @param integrator who refuses, for the message.  @throws ModelError that names the body.
template <Scalar S, class Joints>
void require_body_inertia(const Model<S, Joints>& model, std::string_view integrator) {
  const BodyIndex i = first_without_inertia(model);
  if (i == 0) return;
  throw ModelError(std::string(integrator) + " moves every body on its own, but body '" + model.body_name(i) + "' has " +
                   (value_of(model.inertia(i).mass) > 0 ? "no moment of inertia about one of its axes" : "no mass") +
                   ": give it some, or take an integrator in joint coordinates");
}

}  // namespace actio
