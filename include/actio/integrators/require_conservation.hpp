// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>

#include "actio/model/capabilities.hpp"

namespace actio {

/// Refuses a model that loses energy, for schemes that rest on time running either way. What a force field takes cannot be seen.
/// @param integrator who refuses.  @param why it cannot be taken and what to do.
/// @throws ModelError that names the joint or what is enforced.
template <Scalar S, class Joints>
void require_conservation(const Model<S, Joints>& model, std::string_view integrator, std::string_view why) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const bool damped = (model.properties().damping.segment(model.v_index(i), model.nv(i)).array() > S(0)).any();
    if (damped) detail::refuse(integrator, "the damping of joint '" + model.joint_name(i) + "'", why);
  }
  if (model.is_dissipative()) detail::refuse(integrator, "enforced friction or contact", why);
}

}  // namespace actio
