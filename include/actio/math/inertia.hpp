// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inertia of a rigid body: mass, centre of mass and moment of inertia about it.
#include <Eigen/Eigenvalues>

#include "actio/core/precompiled.hpp"
#include "actio/core/types.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/so3.hpp"

namespace actio {

/// Mass, centre of mass and moment of inertia of a body. Products with G need no 6x6 matrix.       [vi_math.md, section 2]
///   G = [[I_com - m hat(c)^2, m hat(c)], [-m hat(c), m I]]
template <Scalar S>
struct Inertia {
  S mass;            ///< [kg]
  Vector3<S> com;    ///< c, centre of mass from the body's origin, in the body's axes [m]
  Matrix3<S> I_com;  ///< about the centre of mass, in the body's axes, symmetric [kg m^2]

  static Inertia zero() { return {S(0), Vector3<S>::Zero(), Matrix3<S>::Zero()}; }  ///< no mass, com at the origin: adds nothing to a body
  /// Returns the inertia of a point mass [kg] at com [m] in the body.
  static Inertia point(const S& mass, const Vector3<S>& com) { return {mass, com, Matrix3<S>::Zero()}; }

  /// Returns the inertia of a solid cuboid about its centre.  @param mass [kg].  @param sizes edge lengths along x, y, z [m].
  static Inertia box(const S& mass, const Vector3<S>& sizes) {
    const Vector3<S> square = sizes.cwiseProduct(sizes) * S(mass / S(12));
    return diagonal(mass, Vector3<S>(square[1] + square[2], square[0] + square[2], square[0] + square[1]));
  }

  /// Returns the inertia of a thin rod about its middle.  @param mass [kg].  @param length [m].  @param axis unit vector along it.
  static Inertia rod(const S& mass, const S& length, const Vector3<S>& axis) {
    const S across = mass * length * length / S(12);
    return {mass, Vector3<S>::Zero(), across * (Matrix3<S>::Identity() - axis * axis.transpose())};
  }

  /// Returns the inertia of a solid ball about its centre.  @param mass [kg].  @param radius [m].
  static Inertia sphere(const S& mass, const S& radius) {
    return diagonal(mass, Vector3<S>::Constant(S(2) * mass * radius * radius / S(5)));
  }

  /// Returns the inertia of a solid cylinder along z about its centre.  @param mass [kg].  @param radius, length [m].
  static Inertia cylinder(const S& mass, const S& radius, const S& length) {
    const S across = mass * (S(3) * radius * radius + length * length) / S(12), along = mass * radius * radius / S(2);
    return diagonal(mass, Vector3<S>(across, across, along));
  }

  /// Returns the inertia of a solid cylinder along z with a half ball on either end, about its centre.  @param mass [kg].
  /// @param radius [m].  @param length of the cylinder between the half balls [m].
  static Inertia capsule(const S& mass, const S& radius, const S& length) {
    const S r2 = radius * radius, l2 = length * length;
    const S ball_share = S(4) * radius / (S(4) * radius + S(3) * length);  // of the volume
    const S ball = mass * ball_share, tube = mass - ball;
    const S along = tube * r2 / S(2) + ball * r2 * S(2) / S(5);
    const S across = tube * (S(3) * r2 + l2) / S(12) + ball * (S(2) * r2 / S(5) + l2 / S(4) + S(3) * length * radius / S(8));
    return diagonal(mass, Vector3<S>(across, across, along));
  }

  /// Returns G V, the momentum of a twist, about the body's origin [N m s, N s].
  ACTIO_INLINE Vector6<S> momentum(const Vector6<S>& V) const {
    using detail::row_times;
    const Vector3<S>& c = com;
    const S x = mass * (V[3] + (V[1] * c[2] - V[2] * c[1])), y = mass * (V[4] + (V[2] * c[0] - V[0] * c[2])),
            z = mass * (V[5] + (V[0] * c[1] - V[1] * c[0]));
    return vector6<S>(row_times(I_com, 0, V[0], V[1], V[2]) + (c[1] * z - c[2] * y),
                      row_times(I_com, 1, V[0], V[1], V[2]) + (c[2] * x - c[0] * z),
                      row_times(I_com, 2, V[0], V[1], V[2]) + (c[0] * y - c[1] * x), x, y, z);
  }

  /// Returns V^T G V / 2 [J].
  S kinetic_energy(const Vector6<S>& V) const {
    const Vector3<S> w = V.template head<3>(), v = V.template tail<3>();
    const Vector3<S> of_com = v + w.cross(com), Iw = I_com * w;
    return (mass * of_com.squaredNorm() + w.dot(Iw)) / S(2);
  }

  /// Returns -ad_V^T G V = (w x n + v x f, w x f) with (n, f) = G V: the wrench that keeps the twist constant [N m, N].
  ACTIO_INLINE Vector6<S> bias(const Vector6<S>& V) const {
    const Vector6<S> mu = momentum(V);
    return vector6<S>((V[1] * mu[2] - V[2] * mu[1]) + (V[4] * mu[5] - V[5] * mu[4]),
                      (V[2] * mu[0] - V[0] * mu[2]) + (V[5] * mu[3] - V[3] * mu[5]),
                      (V[0] * mu[1] - V[1] * mu[0]) + (V[3] * mu[4] - V[4] * mu[3]), V[1] * mu[5] - V[2] * mu[4],
                      V[2] * mu[3] - V[0] * mu[5], V[0] * mu[4] - V[1] * mu[3]);
  }

  /// Returns G, 6x6.
  Matrix6<S> matrix() const {
    const Vector3<S> moment = mass * com;
    const Matrix3<S> mc = so3::hat(moment);
    Matrix6<S> G;
    G.template topLeftCorner<3, 3>() = I_com + of_point(mass, com);
    G.template topRightCorner<3, 3>() = mc;
    G.template bottomLeftCorner<3, 3>() = -mc;
    G.template bottomRightCorner<3, 3>() = mass * Matrix3<S>::Identity();
    return G;
  }

  /// Returns the same inertia, expressed in the frame of the parent P.
  Inertia seen_from_parent(const Pose<S>& T_PB) const {
    const Matrix3<S> half = T_PB.R * I_com;
    Matrix3<S> I = half * T_PB.R.transpose();
    I(1, 0) = I(0, 1);  // rounding must not add up to an asymmetry
    I(2, 0) = I(0, 2);
    I(2, 1) = I(1, 2);
    return {mass, T_PB * com, I};
  }

  /// Returns the inertia of both bodies welded together. Both are expressed in the same frame; either may be massless.
  friend Inertia operator+(const Inertia& a, const Inertia& b) {
    const S total = a.mass + b.mass;
    const S share = select(S(0) < total, S(b.mass / select(S(0) < total, total, S(1))), S(0));
    const Vector3<S> apart = b.com - a.com;
    const S reduced = a.mass * share;
    return {total, a.com + share * apart, a.I_com + b.I_com + of_point(reduced, apart)};  // parallel axis theorem
  }
  Inertia& operator+=(const Inertia& other) { return *this = *this + other; }  ///< adds the inertia of another body, see operator+

  // Checks by which ModelBuilder accepts a body; they use values only and ignore derivatives.

  /// Returns the principal moments of I_com, ascending [kg m^2].
  Vector3<ValueOf<S>> principal_moments() const { return moments(values(I_com)); }

  /// Returns whether a single body of this inertia resists every motion.
  bool is_full() const {
    const auto moments = principal_moments();
    return value_of(mass) > 0 && moments[0] > 16 * epsilon<S> * moments[2];
  }
  /// Returns whether mass, com and I_com contain neither infinity nor NaN.
  bool is_finite() const { return std::isfinite(value_of(mass)) && values(com).allFinite() && values(I_com).allFinite(); }

  /// Returns whether mass and principal moments are not negative beyond rounding, I_com is symmetric and all is finite.
  /// @param tolerance relative to the largest entry of I_com.
  bool is_positive_semidefinite(ValueOf<S> tolerance = 16 * epsilon<S>) const {
    const Matrix3<ValueOf<S>> I = values(I_com);
    const ValueOf<S> scale = tolerance * I.cwiseAbs().maxCoeff();
    return is_finite() && value_of(mass) >= 0 && (I - I.transpose()).cwiseAbs().maxCoeff() <= scale && moments(I)[0] >= -scale;
  }

  /// Returns whether the largest principal moment is at most the sum of the others, as for every distribution of mass.
  /// @param tolerance relative to that sum, for inertias printed with few digits.
  bool satisfies_triangle_inequality(ValueOf<S> tolerance = 16 * epsilon<S>) const {
    const Vector3<ValueOf<S>> m = moments(values(I_com));
    return m[2] <= (m[0] + m[1]) * (1 + tolerance);
  }

 private:
  /// Returns -m hat(c)^2, the inertia of a point mass about the origin.
  static Matrix3<S> of_point(const S& m, const Vector3<S>& c) {
    const S x = m * c[0], y = m * c[1], z = m * c[2], xx = x * c[0], yy = y * c[1], zz = z * c[2], xy = x * c[1], xz = x * c[2],
            yz = y * c[2];
    Matrix3<S> I;
    I << yy + zz, -xy, -xz,  //
        -xy, xx + zz, -yz,   //
        -xz, -yz, xx + yy;
    return I;
  }
  static Inertia diagonal(const S& mass, const Vector3<S>& moments) { return {mass, Vector3<S>::Zero(), moments.asDiagonal()}; }
  template <int cols>
  static Eigen::Matrix<ValueOf<S>, 3, cols> values(const Eigen::Matrix<S, 3, cols>& m) {
    return m.unaryExpr([](const S& s) { return value_of(s); });
  }
  static Vector3<ValueOf<S>> moments(const Matrix3<ValueOf<S>>& I);
};

template <Scalar S>
Vector3<ValueOf<S>> Inertia<S>::moments(const Matrix3<ValueOf<S>>& I) {
  return Eigen::SelfAdjointEigenSolver<Matrix3<ValueOf<S>>>(I, Eigen::EigenvaluesOnly).eigenvalues();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE Vector3<double> Inertia<double>::moments(const Matrix3<double>&);
#endif

}  // namespace actio
