// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds a configuration in which all loops and couplings are closed and rolling bodies touch their planes.
#include <cmath>
#include <string>

#include "actio/core/error.hpp"
#include "actio/core/text.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/equations/maximal_system.hpp"
#include "actio/model/describe.hpp"

namespace actio {

/// Returns a configuration near q in which all active loops and couplings are closed and rolling bodies touch their planes: about the
/// nearest one, in the metric of the bodies' inertia. Knife edges and the no-slip
/// condition restrict velocities only, and are ignored.
/// @param q (nq).  @returns (nq), with a constraint violation of 1e5 eps at most [m, rad].
/// @throws ModelError that names what stays open; for bodies without inertia, and if q is not a configuration of the model.
template <Scalar S, class Joints>
VectorX<S> close_loops(const Model<S, Joints>& model, const std::type_identity_t<VectorX<S>>& q) {
  using V = ValueOf<S>;
  constexpr int max_iterations = 100;
  detail::require_body_inertia(model, "close_loops");
  if (const std::string why = model.why_not_configuration(q); !why.empty()) throw ModelError("close_loops: " + why);
  detail::MaximalSystem<Model<S, Joints>> system(model, std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), false),
                                                 detail::Closures::rigid, detail::RowsOf::configurations);
  const auto& bodies = system.bodies();
  detail::ConstrainedPose<S> at = bodies.make_pose(), next = at;
  bodies.place(at, q);
  BodyArray<detail::BodyStep<S>> motion(model.num_bodies());
  VectorX<S> x(system.size()), nothing = VectorX<S>::Zero(model.nv());
  S before = bodies.most_open(at).second;
  for (int k = 0; k < max_iterations && value_of(before) > epsilon<S>; ++k) {
    x.setZero();
    for (BodyIndex i = 1; i < bodies.size(); ++i) {
      for (int r = 0; r < bodies[i].rows; ++r) x[system.row(i) + r] -= at.rows[i].value[static_cast<std::size_t>(r)];
    }
    if (!system.project(at, nothing, x)) break;
    V largest(0);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i)
      largest = std::max(largest, V(value_of(S(system.u_of(i, x).template head<3>().norm()))));
    x /= S(std::max(V(1), 2 * largest));  // no body rotates by more than half a radian
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) motion[i].set(model.inertia(i), system.u_of(i, x), S(1));
    bodies.move(at, motion, S(1), false, next, nothing);
    bodies.set_coordinates(at.q, next);
    bodies.place(at, next.q);
    const S open = bodies.most_open(at).second;
    if (value_of(open) < 1000 * epsilon<S> && !(open < before)) break;
    before = open;
  }
  if (const auto [k, open] = bodies.most_open(at); !(value_of(open) <= V(1e5) * epsilon<S>)) {
    throw ModelError("close_loops: " + describe(model, bodies.culprit(k)) + " still has a constraint violation of " +
                     detail::to_text(double(value_of(open)), 3) +
                     " (m or rad): start closer to a closed configuration, or check the frames of the loop");
  }
  return at.q;
}

}  // namespace actio
