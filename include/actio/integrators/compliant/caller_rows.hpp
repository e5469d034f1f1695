// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Constraint rows that a caller adds to those of the model.
#include <array>
#include <limits>

#include "actio/contacts/points.hpp"
#include "actio/model/model.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio {

/// A group of rows that a caller adds to those of the model: a single row, or the normal and tangents of a contact.
template <Scalar S>
struct CallerRows {
  RowKind kind = RowKind::bilateral;  ///< which forces it may have
  /// The rows. In a contact the first is the normal, and all of them act on the same bodies. Their bias is that of a motion straight on: as
  /// in ConstraintRow, but free and planar joints keep their velocities in the world.
  std::array<ConstraintRow<S>, 3> rows{};
  int count = 1;                           ///< number of rows: 2 or 3 for a contact, else 1
  /// Compliance of the first row. For friction rows the limit is `friction` [N, N m] and the damper is `tangential_damping`. With a
  /// `tangential_stiffness`, the value of a friction row or of a contact's tangents is the stretch of that spring [m, rad]; the caller
  /// updates it.
  ContactMaterial<S> law{};

  /// Returns the constraint value = 0; rigid by default.
  static CallerRows bilateral(const ConstraintRow<S>& row, const Compliance<S>& spring = {}) {
    return {RowKind::bilateral, {row}, 1, {spring}};
  }
  /// Returns the constraint value >= 0; rigid by default.
  static CallerRows unilateral(const ConstraintRow<S>& row, const Compliance<S>& spring = {}) {
    return {RowKind::unilateral, {row}, 1, {spring}};
  }
  /// Returns dry friction, |force| <= limit [N, N m], with a damper where it sticks [N s/m, N m s/rad], which may be infinite.
  static CallerRows friction(const ConstraintRow<S>& row, const S& limit, const S& damping = std::numeric_limits<S>::infinity()) {
    return {RowKind::friction, {row}, 1, {{}, limit, damping}};
  }
  /// Returns a contact with friction in both tangential directions.  @param T_Wa, T_Wb poses of the point's bodies in the world.
  static CallerRows contact(const ContactPoint<S>& point, const ContactMaterial<S>& material, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
    return {RowKind::contact, contact_rows(point, T_Wa, T_Wb), 3, material};
  }

  /// Whether the model has these bodies and joints, each row has one or two of them, `count` and `law` suit the kind, and all numbers are
  /// finite.
  template <class Joints>
  bool fits(const Model<S, Joints>& model) const {
    if (kind == RowKind::contact ? count < 2 || count > 3 : count != 1) return false;
    if (!law.is_valid() || (kind == RowKind::bilateral && !std::holds_alternative<Compliance<S>>(law.normal))) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const ConstraintRow<S>& row = rows[k];
      if (!is_finite(row.value) || !is_finite(row.bias)) return false;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto& body = row.bodies[side];
        const auto& joint = row.joints[side];
        if (body.body < 0 || body.body >= model.num_bodies() || joint.v < -1 || joint.v >= model.nv()) return false;
        if (!detail::all_finite(body.wrench) || !is_finite(joint.coefficient)) return false;
        if (kind == RowKind::contact && (body.body != rows[0].bodies[side].body || joint.v >= 0)) return false;
      }
      if (row.num_parts() < 1 || row.num_parts() > 2) return false;
    }
    return true;
  }
};

}  // namespace actio
