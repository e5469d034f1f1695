// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where a joint sits on its parent, with what its pose needs from there, computed once.
#include "actio/core/elementary.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/so3.hpp"

namespace actio {

/// The pose T_PF of a joint in its parent, and for a joint that first turns about an axis a fixed in F, the terms of that rotation:
///   R_PF exp([a] angle) = R_PF + sin(angle) R_PF [a] + (1 - cos(angle)) R_PF [a]^2                      [Rodrigues]
/// A rotation then costs 18 multiplications, instead of those of exp([a] angle) and of a product of two matrices.
template <Scalar S>
struct Mount {
  Pose<S> T;                             ///< T_PF
  Matrix3<S> once = Matrix3<S>::Zero(),  ///< R_PF [a]
      twice = Matrix3<S>::Zero();        ///< R_PF [a]^2

  /// Of a joint without such an axis.
  explicit Mount(const Pose<S>& T_PF) : T(T_PF) {}
  /// @param axis a in F, unit.
  Mount(const Pose<S>& T_PF, const Vector3<S>& axis) : T(T_PF), once(T_PF.R * so3::hat(axis)), twice(once * so3::hat(axis)) {}

  /// Returns R_PF exp([a] angle).  @param angle [rad].
  ACTIO_INLINE Matrix3<S> turned(const S& angle) const {
    using elementary::sin_cos;
    const auto [s, c] = sin_cos(S(angle / S(2)));
    const S sine = S(2) * s * c, versine = S(2) * s * s;
    Matrix3<S> R;
    for (Eigen::Index k = 0; k < 9; ++k) R(k) = T.R(k) + (sine * once(k) + versine * twice(k));
    return R;
  }
};

}  // namespace actio
