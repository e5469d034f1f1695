// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <limits>

#include "actio/contacts/points.hpp"
#include "actio/model/model.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio {

/// Rows that a caller wants held beside those of the model: one, or the normal and tangents of a contact.
template <Scalar S>
struct HeldRows {
  RowKind kind = RowKind::bilateral;  ///< which forces it may bring
  /// Of a contact the first is the normal; all of them on the same bodies. Their bias is of a motion that goes straight on: as in ConstraintRow
  /// but for free and planar joints, whose velocities stay the same in the world.
  std::array<ConstraintRow<S>, 3> rows{};
  int count = 1;                           ///< of a contact 2 or 3, else 1
  /// Spring of the first row; of friction rows the limit is `friction` [N, N m] and the damper `tangential_damping`. Where it has a
  /// `tangential_stiffness`, the value of a friction row, or of a contact's tangents, is that spring's stretch [m, rad], which the caller keeps.
  ContactMaterial<S> law{};

  /// value = 0, to which the spring draws: rigid unless told otherwise.
  static HeldRows bilateral(const ConstraintRow<S>& row, const Compliance<S>& spring = {}) { return {RowKind::bilateral, {row}, 1, {spring}}; }
  /// value >= 0: rigid unless told otherwise.
  static HeldRows unilateral(const ConstraintRow<S>& row, const Compliance<S>& spring = {}) { return {RowKind::unilateral, {row}, 1, {spring}}; }
  /// |force| <= limit [N, N m], where it sticks with a damper [N s/m, N m s/rad], which may be infinite.
  static HeldRows friction(const ConstraintRow<S>& row, const S& limit, const S& damping = std::numeric_limits<S>::infinity()) {
    return {RowKind::friction, {row}, 1, {{}, limit, damping}};
  }
  /// A contact with friction in both directions.  @param T_Wa, T_Wb poses of the point's bodies in the world.
  static HeldRows contact(const ContactPoint<S>& point, const ContactMaterial<S>& material, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
    return {RowKind::contact, contact_rows(point, T_Wa, T_Wb), 3, material};
  }

  /// Whether there are such bodies and joints, one or two in each row, `count` and `law` suit the kind, and every number is one.
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
