// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/math/inertia.hpp"

namespace actio {

/// A symmetric 6 x 6 operator from twists to wrenches, such as an articulated-body inertia, in 3 x 3 blocks:
///   [ I  H ; H^T  M ], I and M symmetric to the last bit.
/// Symmetry is kept exactly: otherwise rounding grows from body to body.              [vi_math.md, section 7.4]
template <Scalar S>
struct SymmetricInertia {
  Matrix3<S> I, H, M;

  static SymmetricInertia zero() { return {Matrix3<S>::Zero(), Matrix3<S>::Zero(), Matrix3<S>::Zero()}; }
  /// The inertia of a rigid body about the origin of its frame.                       [vi_math.md, section 2]
  static SymmetricInertia of(const Inertia<S>& G) {
    const Vector3<S>& c = G.com;
    const Vector3<S> mc = G.mass * c;
    const S xx = mc[0] * c[0], yy = mc[1] * c[1], zz = mc[2] * c[2], xy = mc[0] * c[1], xz = mc[0] * c[2], yz = mc[1] * c[2];
    SymmetricInertia A;
    A.I << G.I_com(0, 0) + (yy + zz), G.I_com(0, 1) - xy, G.I_com(0, 2) - xz,  //
        G.I_com(0, 1) - xy, G.I_com(1, 1) + (xx + zz), G.I_com(1, 2) - yz,     //
        G.I_com(0, 2) - xz, G.I_com(1, 2) - yz, G.I_com(2, 2) + (xx + yy);
    A.H << S(0), -mc[2], mc[1], mc[2], S(0), -mc[0], -mc[1], mc[0], S(0);
    A.M << G.mass, S(0), S(0), S(0), G.mass, S(0), S(0), S(0), G.mass;
    return A;
  }

  SymmetricInertia& operator+=(const SymmetricInertia& other) {
    I += other.I;
    H += other.H;
    M += other.M;
    return *this;
  }
  /// A V for one or several twists.
  template <int n>
  Eigen::Matrix<S, 6, n> operator*(const Eigen::Matrix<S, 6, n>& V) const {
    Eigen::Matrix<S, 6, n> F;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < 3; ++r) {
        F(r, c) = I(r, 0) * V(0, c) + I(r, 1) * V(1, c) + I(r, 2) * V(2, c) + H(r, 0) * V(3, c) + H(r, 1) * V(4, c) + H(r, 2) * V(5, c);
        F(3 + r, c) = H(0, r) * V(0, c) + H(1, r) * V(1, c) + H(2, r) * V(2, c) + M(r, 0) * V(3, c) + M(r, 1) * V(4, c) + M(r, 2) * V(5, c);
      }
    }
    return F;
  }
  /// A -= U D^-1 U^T
  template <int n>
  void subtract(const Eigen::Matrix<S, 6, n>& U, const Eigen::Matrix<S, n, n>& D_inverse) {
    const Eigen::Matrix<S, 6, n> K = U * D_inverse;
    for (int k = 0; k < n; ++k) {
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r <= c; ++r) {
          I(r, c) -= K(r, k) * U(c, k);
          M(r, c) -= K(3 + r, k) * U(3 + c, k);
        }
        for (int r = 0; r < 3; ++r) H(r, c) -= K(r, k) * U(3 + c, k);
      }
    }
    mirror(I);
    mirror(M);
  }
  /// The same operator on twists and wrenches expressed in the parent: Ad_T^-T A Ad_T^-1, T = T_PB.
  SymmetricInertia seen_from_parent(const Pose<S>& T) const {
    const Matrix3<S>& R = T.R;
    const Vector3<S>& p = T.p;
    SymmetricInertia A{congruence(R, I), R * H * R.transpose(), congruence(R, M)};
    // Shift the origin: H'' = H' + [p] M',  I'' = I' - H' [p] - (H'' [p])^T
    const Matrix3<S> before = A.H;
    for (int c = 0; c < 3; ++c) A.H.col(c) += p.cross(A.M.col(c));
    for (int r = 0; r < 3; ++r) {  // (X [p]) row r = X.row(r) x p
      for (int c = r; c < 3; ++c) A.I(r, c) -= cross_entry(before, r, p, c) + cross_entry(A.H, c, p, r);
    }
    mirror(A.I);
    return A;
  }
  Matrix6<S> matrix() const { return (Matrix6<S>() << I, H, H.transpose(), M).finished(); }

 private:
  /// Entry (r, c) of X [p].
  static S cross_entry(const Matrix3<S>& X, int r, const Vector3<S>& p, int c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    return X(r, a) * p[b] - X(r, b) * p[a];
  }
  static void mirror(Matrix3<S>& X) {
    X(1, 0) = X(0, 1);
    X(2, 0) = X(0, 2);
    X(2, 1) = X(1, 2);
  }
  /// R X R^T of a symmetric X, symmetric to the last bit.
  static Matrix3<S> congruence(const Matrix3<S>& R, const Matrix3<S>& X) {
    const Matrix3<S> Y = R * X;
    Matrix3<S> Z;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r <= c; ++r) Z(r, c) = Y(r, 0) * R(c, 0) + Y(r, 1) * R(c, 1) + Y(r, 2) * R(c, 2);
    }
    mirror(Z);
    return Z;
  }
};

}  // namespace actio
