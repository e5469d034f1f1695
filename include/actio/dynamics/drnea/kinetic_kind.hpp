// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How variational integrators discretise the kinetic energy of a body over a step: the kinds Split, Se3, Mixed and Quat, each given by the
// momentum at the start of the step, mu^- = -D1 K_d(dT), in the body frame there. All are left-invariant, symmetric and of second order;
// the momentum at the end of the step is mu^+ = Ad_dT^T mu^-.
#include <concepts>

#include "actio/math/displacement.hpp"
#include "actio/math/inertia.hpp"
#include "actio/math/momentum_rate.hpp"
#include "actio/math/se3.hpp"
#include "actio/model/model.hpp"

namespace actio {

namespace detail {

/// A kinetic kind: the momentum that moves a body over a displacement in a step h, and its exact rate
/// K = d mu^- / d theta for the variation [theta] dT of the displacement; K is not symmetric.    [vi_math.md, section 7.1]
/// Both are of the body in its frame at node k, about the origin of that frame [N m s, N s]; inverse_h = 1/h [1/s].
template <class K, class S>
concept KineticKind = requires(const Inertia<S>& G, const Displacement<S>& dT, S inverse_h) {
  { K::left_momentum(G, dT, inverse_h) } -> std::convertible_to<Vector6<S>>;
  { K::left_momentum_rate(G, dT, inverse_h) } -> std::convertible_to<detail::MomentumRate<S>>;
};

/// Returns K of a kind whose momentum is n(dR) + c x f about the body's origin, f = (m/h) (displacement of the centre of mass).
/// @param K_n rate of n by the rotation.
template <Scalar S>
ACTIO_INLINE MomentumRate<S> rate_about_com(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h, const Matrix3<S>& K_n) {
  const Vector3<S> lever = detail::sum<S>(dT.rotate(G.com), dT.d);  // theta moves the centre of mass by theta x lever
  const S m = G.mass * inverse_h, o(0);
  const S x = m * G.com[0], y = m * G.com[1], z = m * G.com[2];
  const S a = m * lever[0], b = m * lever[1], c = m * lever[2];
  const S dot = x * lever[0] + y * lever[1] + z * lever[2];
  using Block = typename MomentumRate<S>::Block;
  // -[c] m [lever] = (c . lever) m - m lever c^T
  return {Block::rows(K_n(0, 0) + (dot - a * G.com[0]), K_n(0, 1) - a * G.com[1], K_n(0, 2) - a * G.com[2],  //
                      K_n(1, 0) - b * G.com[0], K_n(1, 1) + (dot - b * G.com[1]), K_n(1, 2) - b * G.com[2],  //
                      K_n(2, 0) - c * G.com[0], K_n(2, 1) - c * G.com[1], K_n(2, 2) + (dot - c * G.com[2])),
          Block::rows(o, -z, y, z, o, -x, -y, x, o), Block::rows(o, c, -b, -c, o, a, b, -a, o), Block::rows(m, o, o, o, m, o, o, o, m)};
}

}  // namespace detail

/// Translation of the centre of mass and logarithm of the rotation; exact for the centre of mass of a free body, Galilean
/// invariant, and the cheapest: the default.                                         [vi_math.md, section 2.1, kind split]
///   K_d = m |ds|^2 / (2h) + w^T I_com w / (2h),   w = log dR,  ds = displacement of the centre of mass
struct Split {
  ///@{
  /// See KineticKind.
  template <Scalar S>
  ACTIO_INLINE static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const Vector3<S> w = quaternion::log<S>(dT.dQ);
    const Vector3<S> f = (G.mass * inverse_h) * (dT.d + dT.minus_identity(G.com));
    const Vector3<S> Iw = G.I_com * w;
    const Vector3<S> n = so3::dlog_transpose<S>(w, Iw) * inverse_h;
    return spatial<S>(n + G.com.cross(f), f);
  }
  template <Scalar S>
  ACTIO_INLINE static detail::MomentumRate<S> left_momentum_rate(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    // (L^T I + M1(w, I w)) L with M1 = a w^T + s - [z] and L^T w = w
    const Vector3<S> w = quaternion::log<S>(dT.dQ), Iw = detail::times(G.I_com, w[0], w[1], w[2]);
    const series::Dlog<S> c = series::dlog_coefficients<S>(w.squaredNorm());
    const Matrix3<S> Lt = so3::detail::quadratic<S>(w, S(ValueOf<S>(0.5)), c.g);
    const Matrix3<S> I_turned = detail::congruence<S>(Lt, G.I_com);
    const Vector3<S> wI = w.cross(Iw), z = Iw / S(2) + c.g * wI, a = c.g1 * w.cross(wI) - c.g * Iw;
    const S scale = c.g * w.dot(Iw);
    Matrix3<S> K_n;
    for (int k = 0; k < 3; ++k) {
      const S x = Lt(k, 0), y = Lt(k, 1), u = Lt(k, 2);  // column k of L
      K_n(0, k) = I_turned(0, k) + a[0] * w[k] + scale * x + (z[2] * y - z[1] * u);
      K_n(1, k) = I_turned(1, k) + a[1] * w[k] + scale * y + (z[0] * u - z[2] * x);
      K_n(2, k) = I_turned(2, k) + a[2] * w[k] + scale * u + (z[1] * x - z[0] * y);
    }
    return detail::rate_about_com<S>(G, dT, inverse_h, inverse_h * K_n);
  }
  ///@}
};

/// The logarithm on SE(3), as published; exact for a body that rotates about a fixed axis or moves along a screw.
///   K_d = x^T G x / (2h),  x = log dT                                 [Lee et al. 2016, (10); vi_math.md, section 2.1, kind se3]
struct Se3 {
  ///@{
  /// See KineticKind.
  template <Scalar S>
  ACTIO_INLINE static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const Vector6<S> x = dT.log();
    return se3::dlog_transpose<S>(x, G.momentum(x)) * inverse_h;
  }
  template <Scalar S>
  ACTIO_INLINE static detail::MomentumRate<S> left_momentum_rate(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const Vector6<S> x = dT.log();
    const Matrix6<S> L = se3::dlog<S>(x), rate = L.transpose() * G.matrix() + se3::dlog_transpose_derivative<S>(x, G.momentum(x));
    return detail::MomentumRate<S>::of(inverse_h * (rate * L));
  }
  ///@}
};

/// Translation of the centre of mass and sine map of the rotation, the same discrete mechanics as maximal coordinates.
///   K_rot = h/2 omega^T I_com omega,  omega = 2 v / h,  (q0, v) = dQ             [vi_math.md, section 2.1, kind quat]
struct Quat {
  ///@{
  /// See KineticKind.
  template <Scalar S>
  ACTIO_INLINE static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const S sign = select(dT.dQ.w() < S(0), S(-1), S(1));
    const Vector3<S> v = sign * dT.dQ.vec();
    const Vector3<S> f = (G.mass * inverse_h) * (dT.d + dT.minus_identity(G.com));
    const Vector3<S> L = G.I_com * v * (S(2) * inverse_h);
    const Vector3<S> n = (sign * dT.dQ.w()) * L + v.cross(L);
    return spatial<S>(n + G.com.cross(f), f);
  }
  template <Scalar S>
  ACTIO_INLINE static detail::MomentumRate<S> left_momentum_rate(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const S sign = select(dT.dQ.w() < S(0), S(-1), S(1)), q0 = sign * dT.dQ.w();
    const Vector3<S> v = sign * dT.dQ.vec(), L = G.I_com * v * (S(2) * inverse_h);
    const Matrix3<S> dv = (q0 * Matrix3<S>::Identity() - so3::hat<S>(v)) / S(2);  // rate of v by the rotation; that of q0 is -v/2
    const Matrix3<S> rate = (S(2) * inverse_h) * (q0 * G.I_com + so3::hat<S>(v) * G.I_com) - so3::hat<S>(L);
    return detail::rate_about_com<S>(G, dT, inverse_h, rate * dv - L * v.transpose() / S(2));
  }
  ///@}
};

/// Se3 for bodies that a single fixed axis connects to the world, whose motion it integrates exactly; Split for all others. The action is
/// a sum over the bodies, so that a mixture conserves what its parts conserve.   [vi_math.md, sections 2.1 and 14.5, idea 4]
struct Mixed {};

namespace detail {

/// Returns whether joint i lets body i rotate, slide or screw about one axis that is fixed in the world.
template <class Model>
ACTIO_INLINE bool is_on_fixed_axis(const Model& model, BodyIndex i) {
  if (model.parent(i) > 0 || model.nv(i) != 1) return false;
  return visit_joint(model, i, []<JointType J>(const J&) { return joints::has_constant_subspace<J>(); });
}

}  // namespace detail
}  // namespace actio
