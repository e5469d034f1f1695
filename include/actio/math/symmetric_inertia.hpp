// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Symmetric 6 x 6 operators from twists to wrenches, such as articulated-body inertias, in 3 x 3 blocks.
#include "actio/math/inertia.hpp"

namespace actio::detail {

/// A symmetric 6 x 6 operator from twists to wrenches, such as an articulated-body inertia, in 3 x 3 blocks:
///   [ I  H ; H^T  M ], I and M symmetric to the last bit.
/// Symmetry is kept exactly: otherwise rounding grows from body to body.              [vi_math.md, section 7.4]
template <Scalar S>
struct SymmetricInertia {
  Matrix3<S> I,  ///< angular part by angular part [kg m^2]
      H,         ///< angular part by linear part [kg m]; the block of linear by angular part is H^T
      M;         ///< linear part by linear part [kg]

  static SymmetricInertia zero() { return {Matrix3<S>::Zero(), Matrix3<S>::Zero(), Matrix3<S>::Zero()}; }  ///< all entries zero
  /// Returns the inertia of a rigid body about the origin of its frame.                       [vi_math.md, section 2]
  ACTIO_INLINE static SymmetricInertia of(const Inertia<S>& G) {
    const Vector3<S>& c = G.com;
    const Matrix3<S>& I_com = G.I_com;
    const S& m = G.mass;
    const S x = m * c[0], y = m * c[1], z = m * c[2], xx = x * c[0], yy = y * c[1], zz = z * c[2], o(0);
    SymmetricInertia A;
    A.I = detail::symmetric<S>(I_com(0, 0) + (yy + zz), I_com(0, 1) - x * c[1], I_com(0, 2) - x * c[2], I_com(1, 1) + (xx + zz),
                               I_com(1, 2) - y * c[2], I_com(2, 2) + (xx + yy));
    A.H = detail::columns<S>(Vector3<S>(o, z, -y), Vector3<S>(-z, o, x), Vector3<S>(y, -x, o));
    A.M = detail::symmetric<S>(m, o, o, m, o, m);
    return A;
  }

  /// Adds block by block.
  ACTIO_INLINE SymmetricInertia& operator+=(const SymmetricInertia& other) {
    detail::add(I, other.I);
    detail::add(H, other.H);
    detail::add(M, other.M);
    return *this;
  }
  /// Returns A V for one or several twists.
  template <int n>
  ACTIO_INLINE Eigen::Matrix<S, 6, n> operator*(const Eigen::Matrix<S, 6, n>& V) const {
    using detail::row_times, detail::column_times;
    Eigen::Matrix<S, 6, n> F;
    for (int c = 0; c < n; ++c) {
      F(0, c) = row_times(I, 0, V(0, c), V(1, c), V(2, c)) + row_times(H, 0, V(3, c), V(4, c), V(5, c));
      F(1, c) = row_times(I, 1, V(0, c), V(1, c), V(2, c)) + row_times(H, 1, V(3, c), V(4, c), V(5, c));
      F(2, c) = row_times(I, 2, V(0, c), V(1, c), V(2, c)) + row_times(H, 2, V(3, c), V(4, c), V(5, c));
      F(3, c) = column_times(H, 0, V(0, c), V(1, c), V(2, c)) + row_times(M, 0, V(3, c), V(4, c), V(5, c));
      F(4, c) = column_times(H, 1, V(0, c), V(1, c), V(2, c)) + row_times(M, 1, V(3, c), V(4, c), V(5, c));
      F(5, c) = column_times(H, 2, V(0, c), V(1, c), V(2, c)) + row_times(M, 2, V(3, c), V(4, c), V(5, c));
    }
    return F;
  }
  /// Returns a copy, made entry by entry.
  ACTIO_INLINE SymmetricInertia copy() const {
    SymmetricInertia A;
    detail::store(A.I, I);
    detail::store(A.H, H);
    detail::store(A.M, M);
    return A;
  }
  /// Subtracts K U^T, of which only the upper triangles are used: the sum over all columns is symmetric.
  ACTIO_INLINE void subtract(const Vector6<S>& K, const Vector6<S>& U) {
    I = detail::symmetric<S>(I(0, 0) - K[0] * U[0], I(0, 1) - K[0] * U[1], I(0, 2) - K[0] * U[2], I(1, 1) - K[1] * U[1],
                             I(1, 2) - K[1] * U[2], I(2, 2) - K[2] * U[2]);
    M = detail::symmetric<S>(M(0, 0) - K[3] * U[3], M(0, 1) - K[3] * U[4], M(0, 2) - K[3] * U[5], M(1, 1) - K[4] * U[4],
                             M(1, 2) - K[4] * U[5], M(2, 2) - K[5] * U[5]);
    H(0, 0) -= K[0] * U[3], H(1, 0) -= K[1] * U[3], H(2, 0) -= K[2] * U[3];
    H(0, 1) -= K[0] * U[4], H(1, 1) -= K[1] * U[4], H(2, 1) -= K[2] * U[4];
    H(0, 2) -= K[0] * U[5], H(1, 2) -= K[1] * U[5], H(2, 2) -= K[2] * U[5];
  }
  /// Returns the same operator on twists and wrenches expressed in the parent: Ad_T^-T A Ad_T^-1, T = T_PB.
  ///   rotated:  I' = R I R^T and so on;  then translated:  H'' = H' + [p] M',  I'' = I' - H' [p] - (H'' [p])^T
  ACTIO_INLINE SymmetricInertia seen_from_parent(const Pose<S>& T) const {
    const Matrix3<S>& R = T.R;
    const Vector3<S>& p = T.p;
    const Matrix3<S> turned_I = detail::congruence(R, I), turned_H = detail::times_transposed(detail::times(R, H), R);
    SymmetricInertia A;
    A.M = detail::congruence(R, M);
    A.H = detail::columns<S>(shifted(turned_H, A.M, p, 0), shifted(turned_H, A.M, p, 1), shifted(turned_H, A.M, p, 2));
    const auto entry = [&](int r, int c) ACTIO_INLINE_LAMBDA -> S {
      return turned_I(r, c) - (cross_entry(turned_H, r, p, c) + cross_entry(A.H, c, p, r));
    };
    A.I = detail::symmetric<S>(entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2));
    return A;
  }
  Matrix6<S> matrix() const { return (Matrix6<S>() << I, H, H.transpose(), M).finished(); }  ///< 6 x 6, angular part first

 private:
  /// Returns entry (r, c) of X [p].
  ACTIO_INLINE static S cross_entry(const Matrix3<S>& X, int r, const Vector3<S>& p, int c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    return X(r, a) * p[b] - X(r, b) * p[a];
  }
  /// Returns column c of H + [p] M.
  ACTIO_INLINE static Vector3<S> shifted(const Matrix3<S>& H, const Matrix3<S>& M, const Vector3<S>& p, int c) {
    return Vector3<S>(H(0, c) + (p[1] * M(2, c) - p[2] * M(1, c)), H(1, c) + (p[2] * M(0, c) - p[0] * M(2, c)),
                      H(2, c) + (p[0] * M(1, c) - p[1] * M(0, c)));
  }
};

}  // namespace actio::detail
