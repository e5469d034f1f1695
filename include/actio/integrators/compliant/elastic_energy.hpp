// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The elastic energy of the springs of a model's rows: limits, couplings, loops and contacts.
#include <algorithm>
#include <array>
#include <variant>

#include "actio/constraints/tree_rows.hpp"
#include "actio/contacts/points.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/compliant/options.hpp"

namespace actio::detail {

/// Returns the elastic energy of all rows at q (nq), without tangential springs [J]; 0 for rigid rows.
/// @param at, touching workspaces, which are overwritten; `touching` has room for the contacts.
template <class Model, Scalar S>
S elastic_energy_of_rows(const Model& model, const CompliantOptions<S>& options, KinematicsData<S>& at, const VectorX<S>& q,
                         const ContactFinder<S>& contacts, ContactList<S>& touching) noexcept {
  S sum(0);
  const ModelProperties<S>& joints = model.properties();
  for (BodyIndex i = 1; i < model.num_bodies() && model.enforced().limits; ++i) {
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      const Eigen::Index v = model.v_index(i) + k;
      for (const int side : {1, -1}) {
        if (!is_finite(side > 0 ? joints.lower[v] : joints.upper[v])) continue;
        sum += options.limit.energy(std::min(limit_row<S>(joints, q, model.q_index(i) + k, v, side).value, S(0)));
      }
    }
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (coupling.active) sum += options.closure.energy(coupling_gap<S>(coupling, q));
  }
  forward_kinematics(model, at, q);
  for (const Loop<S>& loop : model.loops()) {
    if (!loop.active) continue;
    std::array<ConstraintRow<S>, 6> rows;
    const std::size_t count = loop_rows(loop, at.T_WB[loop.body_a], at.T_WB[loop.body_b], rows);
    for (std::size_t k = 0; k < count; ++k) sum += options.closure.energy(rows[k].value);
  }
  if (!contacts) return sum;
  touching.clear();
  contacts.find(at.T_WB, S(0), touching);
  for (const ContactPoint<S>& point : touching.points()) {
    const S depth = std::max(S(-point.gap), S(0));
    sum += std::visit([&](const auto& law) { return law.energy(depth); }, point.material->normal);
  }
  return sum;
}

}  // namespace actio::detail
