// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Displacement, momenta and kinetic energy of one body over a step of the maximal-coordinate integrator, as functions of the body's
// interval velocity. The discrete kinetic energy is that of the kind Quat.
#include "actio/math/displacement.hpp"
#include "actio/math/inertia.hpp"

namespace actio::detail {

/// Interval velocities u = (w, v) of a body: v of its centre of mass, in the body's axes at node k [rad/s, m/s].
///   dQ = (q0, h w / 2),  q0 = sqrt(1 - |h w / 2|^2) > 0;  the centre of mass moves by h v
/// In all members G is the inertia of the body and h the time step [s].  [Brüdigam and Manchester 2020, sec. III; vi_math.md, section 11]
template <Scalar S>
struct BodyStep {
  Vector6<S> u;        ///< (w, v)
  S q0;                ///< scalar part of dQ
  Displacement<S> dT;  ///< displacement of the body's frame over the step

  /// Sets all members from u.  @returns false if the body would rotate by half a revolution or more: q0 and dT then do not change.
  ACTIO_INLINE bool set(const Inertia<S>& G, const Vector6<S>& velocities, const S& h) noexcept {
    using std::sqrt;
    detail::store(u, velocities);
    const S half = h / S(2), x = half * u[0], y = half * u[1], z = half * u[2];
    const S square = S(1) - (x * x + y * y + z * z);
    if (!all(S(0) < square)) return false;
    q0 = sqrt(square);
    dT.dQ = Quaternion<S>(q0, x, y, z);
    const Vector3<S> rotated = dT.minus_identity(G.com);
    dT.d = Vector3<S>(h * u[3] - rotated[0], h * u[4] - rotated[1], h * u[5] - rotated[2]);
    return true;
  }

  /// Returns the step of length 1 s with a displacement; v is zero.
  static BodyStep of_unit_time(const Displacement<S>& dT) noexcept {
    BodyStep step;
    step.u = spatial<S>(Vector3<S>(S(2) * dT.dQ.vec()), Vector3<S>::Zero());
    step.q0 = dT.dQ.w();
    step.dT = dT;
    return step;
  }

  /// Returns -D1 K_d, about the centre of mass and in the axes at node k: (q0 I w + (h/2) w x I w, m v) [N m s, N s].
  ACTIO_INLINE Vector6<S> left_momentum(const Inertia<S>& G, const S& h) const noexcept {
    const Vector3<S> Iw = detail::times(G.I_com, u[0], u[1], u[2]);
    return momentum(G, Iw, h / S(2));
  }
  /// Returns D2 K_d, about the centre of mass and in the axes at node k + 1 [N m s, N s].
  ACTIO_INLINE Vector6<S> right_momentum(const Inertia<S>& G, const S& h) const noexcept {
    const Vector3<S> Iw = detail::times(G.I_com, u[0], u[1], u[2]);
    const Vector6<S> mu = momentum(G, Iw, h / S(-2));
    const Vector3<S> f = dT.rotate_inverse(Vector3<S>(mu[3], mu[4], mu[5]));
    return spatial<S>(Vector3<S>(mu[0], mu[1], mu[2]), f);
  }
  /// Returns u in the axes at node k + 1 [rad/s, m/s].
  Vector6<S> velocity_at_end() const noexcept {
    return spatial<S>(Vector3<S>(u[0], u[1], u[2]), dT.rotate_inverse(Vector3<S>(u[3], u[4], u[5])));
  }
  /// Returns twice the kinetic energy: w I w + m v v [J].
  ACTIO_INLINE S twice_energy(const Inertia<S>& G) const noexcept {
    const Vector3<S> Iw = detail::times(G.I_com, u[0], u[1], u[2]);
    return (Iw[0] * u[0] + Iw[1] * u[1] + Iw[2] * u[2]) + G.mass * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
  }

  /// Returns the angular block of d(left momentum)/du [kg m^2]; the linear one is m, the others are zero.
  ///   D_w = q0 I - (h^2 / 4 q0) (I w) w^T + (h/2) (hat(w) I - hat(I w))
  ACTIO_INLINE Matrix3<S> angular_rate(const Inertia<S>& G, const S& h) const noexcept {
    const Vector3<S> w = u.template head<3>(), Iw = detail::times(G.I_com, u[0], u[1], u[2]);
    const S half = h / S(2), back = half * half / q0;
    Matrix3<S> D;
    for (int c = 0; c < 3; ++c) {
      const S x = G.I_com(0, c), y = G.I_com(1, c), z = G.I_com(2, c);
      D(0, c) = q0 * x - back * Iw[0] * w[c] + half * (w[1] * z - w[2] * y);
      D(1, c) = q0 * y - back * Iw[1] * w[c] + half * (w[2] * x - w[0] * z);
      D(2, c) = q0 * z - back * Iw[2] * w[c] + half * (w[0] * y - w[1] * x);
    }
    const S a = half * Iw[0], b = half * Iw[1], c = half * Iw[2];
    D(0, 1) += c, D(0, 2) -= b, D(1, 0) -= c, D(1, 2) += a, D(2, 0) += b, D(2, 1) -= a;
    return D;
  }

  /// Returns a covector on the twist at node k + 1, about the centre of mass and in the axes there, as one on u, per h.
  /// The variation of the velocities causes
  ///   dphi = h (q0 + (h^2 / 4 q0) w w^T - (h/2) hat(w)) dw,  dx = h dR^T dv
  ACTIO_INLINE Vector6<S> on_velocities(const Vector6<S>& F, const S& h) const noexcept {
    const S half = h / S(2), along = (half * half / q0) * (F[0] * u[0] + F[1] * u[1] + F[2] * u[2]);
    const Vector3<S> f = dT.rotate(Vector3<S>(F[3], F[4], F[5]));
    return vector6<S>(q0 * F[0] + along * u[0] + half * (u[1] * F[2] - u[2] * F[1]),
                      q0 * F[1] + along * u[1] + half * (u[2] * F[0] - u[0] * F[2]),
                      q0 * F[2] + along * u[2] + half * (u[0] * F[1] - u[1] * F[0]), f[0], f[1], f[2]);
  }

 private:
  ACTIO_INLINE Vector6<S> momentum(const Inertia<S>& G, const Vector3<S>& Iw, const S& half) const noexcept {
    return vector6<S>(q0 * Iw[0] + half * (u[1] * Iw[2] - u[2] * Iw[1]), q0 * Iw[1] + half * (u[2] * Iw[0] - u[0] * Iw[2]),
                      q0 * Iw[2] + half * (u[0] * Iw[1] - u[1] * Iw[0]), G.mass * u[3], G.mass * u[4], G.mass * u[5]);
  }
};

}  // namespace actio::detail
