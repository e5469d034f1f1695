// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Discrete kinetic energies K_d(dT) of one body over a step, by their left momentum mu^- = -D1 K_d in the body frame at the
// old node. All are left-invariant, symmetric and of second order; the right momentum is mu^+ = Ad_dT^T mu^-.
#include "actio/math/displacement.hpp"
#include "actio/math/inertia.hpp"
#include "actio/math/se3.hpp"

namespace actio {

/// A kinetic kind: the momentum, per step length, that carries a body over a displacement.
template <class K, class S>
concept KineticKind = requires(const Inertia<S>& G, const Displacement<S>& dT, S inverse_h) {
  { K::left_momentum(G, dT, inverse_h) } -> std::convertible_to<Vector6<S>>;
};

/// Translation of the centre of mass and logarithm of the rotation; exact for the centre of mass of a free body, Galilean
/// invariant, and the cheapest: the default.                                         [vi_math.md, section 2.1, kind split]
///   K_d = m |ds|^2 / (2h) + w^T I_com w / (2h),   w = log dR,  ds = displacement of the centre of mass
struct Split {
  template <Scalar S>
  static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const Vector3<S> w = quaternion::log<S>(dT.dQ);
    const Vector3<S> f = (G.mass * inverse_h) * (dT.d + dT.minus_identity(G.com));
    const Vector3<S> Iw = G.I_com * w;
    const Vector3<S> n = so3::dlog_transpose<S>(w, Iw) * inverse_h;
    return spatial<S>(n + G.com.cross(f), f);
  }
};

/// The logarithm on SE(3), as published; exact for a body that turns about a fixed axis or screws.
///   K_d = x^T G x / (2h),  x = log dT                                 [Lee et al. 2016, (10); vi_math.md, section 2.1, kind se3]
struct Se3 {
  template <Scalar S>
  static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const Vector6<S> x = dT.log();
    return se3::dlog_transpose<S>(x, G.momentum(x)) * inverse_h;
  }
};

/// Translation of the centre of mass and sine map of the rotation, the same discrete mechanics as maximal coordinates.
///   K_rot = h/2 omega^T I_com omega,  omega = 2 v / h,  (q0, v) = dQ             [vi_math.md, section 2.1, kind quat]
struct Quat {
  template <Scalar S>
  static Vector6<S> left_momentum(const Inertia<S>& G, const Displacement<S>& dT, const S& inverse_h) {
    const S sign = select(dT.dQ.w() < S(0), S(-1), S(1));
    const Vector3<S> v = sign * dT.dQ.vec();
    const Vector3<S> f = (G.mass * inverse_h) * (dT.d + dT.minus_identity(G.com));
    const Vector3<S> L = G.I_com * v * (S(2) * inverse_h);
    const Vector3<S> n = (sign * dT.dQ.w()) * L + v.cross(L);
    return spatial<S>(n + G.com.cross(f), f);
  }
};

}  // namespace actio
