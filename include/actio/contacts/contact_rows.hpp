// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>

#include "actio/constraints/row.hpp"
#include "actio/contacts/contact_point.hpp"
#include "actio/math/small.hpp"

namespace actio {

namespace detail {

template <Scalar S, std::size_t n>
std::array<ConstraintRow<S>, n> contact_rows_along(const std::array<Vector3<S>, n>& directions, const ContactPoint<S>& point, const Pose<S>& T_Wa,
                                                   const Pose<S>& T_Wb) {
  std::array<ConstraintRow<S>, n> rows{};
  const auto set_parts = [&](std::size_t part, BodyIndex body, const Pose<S>& T, const S& sign) {
    const Matrix3<S> R = T.R.transpose();
    const Vector3<S> arm = point.p - T.p, p = times(R, arm[0], arm[1], arm[2]);
    for (std::size_t k = 0; k < n; ++k) {
      const Vector3<S> f = times(R, S(sign * directions[k][0]), S(sign * directions[k][1]), S(sign * directions[k][2]));
      rows[k].bodies[part] = {body, spatial<S>(p.cross(f), f)};
    }
  };
  set_parts(0, point.b, T_Wb, S(1));
  if (point.a > 0) set_parts(1, point.a, T_Wa, S(-1));
  rows[0].value = point.gap;
  return rows;
}

}  // namespace detail

/// A contact's normal and two tangents: rates are those of b against a [m/s], the first value is the gap [m].
/// @param T_Wa, T_Wb poses of the two bodies in the world.
template <Scalar S>
std::array<ConstraintRow<S>, 3> contact_rows(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  const auto [t1, t2] = detail::perpendiculars(point.normal);
  return detail::contact_rows_along<S, 3>({point.normal, t1, t2}, point, T_Wa, T_Wb);
}

/// Its normal alone, of what has no friction.
template <Scalar S>
std::array<ConstraintRow<S>, 1> contact_normal_row(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  return detail::contact_rows_along<S, 1>({point.normal}, point, T_Wa, T_Wb);
}

}  // namespace actio
