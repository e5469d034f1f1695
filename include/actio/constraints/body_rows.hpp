// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows on a relative pose as what they are to the two bodies, each seen from its own centre of mass.
#include "actio/constraints/pose_rows.hpp"
#include "actio/math/small.hpp"

namespace actio {

/// Up to six rows g = 0 between body a and body b, with  dg/dt = on_a . V_a + on_b . V_b.  V: twists about the bodies' centres of mass,
/// in their axes; so the covectors are wrenches there, and of opposite effect.
template <Scalar S>
struct BodyRows {
  std::size_t count = 0;           ///< rows in use, <= 6
  std::array<S, 6> value;          ///< as in PoseRows
  std::array<Vector6<S>, 6> on_a,  ///< wrench on body a for a unit multiplier, about its centre of mass, in its axes
      on_b;                        ///< the same of body b
};

namespace detail {

/// A wrench about a frame's origin, seen from the point c of that frame.
template <Scalar S>
ACTIO_INLINE Vector6<S> about_point(const Vector6<S>& F, const Vector3<S>& c) {
  return vector6<S>(F[0] - (c[1] * F[5] - c[2] * F[4]), F[1] - (c[2] * F[3] - c[0] * F[5]), F[2] - (c[0] * F[4] - c[1] * F[3]), F[3], F[4], F[5]);
}
}  // namespace detail

/// The rows of a pose as rows on the two bodies.
/// @param rows on M, a frame of body b, against a frame of body a.  @param T_aM pose of M in body a.  @param T_bM of M in body b; null
/// where M is the frame of body b.  @param com_a, com_b centres of mass in the bodies' frames [m].
template <Scalar S>
ACTIO_INLINE void to_bodies(const PoseRows<S>& rows, const Pose<S>& T_aM, const Pose<S>* T_bM, const Vector3<S>& com_a, const Vector3<S>& com_b,
                            BodyRows<S>& out) {
  out.count = rows.count;
  for (std::size_t k = 0; k < rows.count; ++k) {
    out.value[k] = rows.value[k];
    const Vector6<S> opposite = T_aM.wrench_to_parent(rows.wrench[k]);
    out.on_a[k] = -detail::about_point<S>(opposite, com_a);
    out.on_b[k] = detail::about_point<S>(T_bM ? T_bM->wrench_to_parent(rows.wrench[k]) : rows.wrench[k], com_b);
  }
}

}  // namespace actio
