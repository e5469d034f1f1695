// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Symmetric 6 x 6 operators from twists to wrenches, such as articulated-body inertias, in 3 x 3 blocks.
#include "actio/math/inertia.hpp"
#include "actio/math/packet.hpp"

namespace actio::detail {

/// A symmetric 6 x 6 operator from twists to wrenches, such as an articulated-body inertia, in 3 x 3 blocks:
///   [ I  H ; H^T  M ], I and M symmetric to the last bit.
/// Symmetry is kept exactly: otherwise rounding grows from body to body.              [vi_math.md, section 7.4]
/// The three blocks are rotated and summed alike, so that equal entries of them share a register: ABA takes a tenth less time.
template <Scalar S>
struct SymmetricInertia {
  using Entries = PackedThree<S>;  ///< an entry of I, of H and of M
  Entries blocks[9];               ///< of each row and column, by columns [kg m^2, kg m, kg]

  static SymmetricInertia zero() { return all(S(0)); }  ///< all entries zero
  /// Returns the operator with all entries of its blocks equal.
  static SymmetricInertia all(const S& entry) {
    SymmetricInertia A;
    for (Entries& entries : A.blocks) entries = Entries(entry);
    return A;
  }
  /// Returns the inertia of a rigid body about the origin of its frame.                       [vi_math.md, section 2]
  ACTIO_INLINE static SymmetricInertia of(const Inertia<S>& G) {
    const Vector3<S>& c = G.com;
    const Matrix3<S>& I_com = G.I_com;
    const S& m = G.mass;
    const S x = m * c[0], y = m * c[1], z = m * c[2], xx = x * c[0], yy = y * c[1], zz = z * c[2], o(0);
    const S xy = I_com(0, 1) - x * c[1], xz = I_com(0, 2) - x * c[2], yz = I_com(1, 2) - y * c[2];
    return {{entries(I_com(0, 0) + (yy + zz), o, m), entries(xy, z, o), entries(xz, -y, o),  //
             entries(xy, -z, o), entries(I_com(1, 1) + (xx + zz), o, m), entries(yz, x, o),  //
             entries(xz, y, o), entries(yz, -x, o), entries(I_com(2, 2) + (xx + yy), o, m)}};
  }

  ///@{
  /// Return an entry of a block: of the angular part by the angular part, of the angular by the linear part (the block of the linear by the
  /// angular part is H^T), and of the linear part by the linear part.
  ACTIO_INLINE S I(int r, int c) const { return blocks[r + 3 * c][0]; }
  ACTIO_INLINE S H(int r, int c) const { return blocks[r + 3 * c][1]; }
  ACTIO_INLINE S M(int r, int c) const { return blocks[r + 3 * c][2]; }
  ///@}
  /// Sets an entry of I, H and M.  @pre I and M are symmetric afterwards.
  ACTIO_INLINE void set(int r, int c, const S& I, const S& H, const S& M) { blocks[r + 3 * c] = entries(I, H, M); }

  /// Adds block by block.
  ACTIO_INLINE SymmetricInertia& operator+=(const SymmetricInertia& other) {
    for (int k = 0; k < 9; ++k) blocks[k] = blocks[k] + other.blocks[k];
    return *this;
  }
  /// Returns A V for one or several twists.
  template <int n>
  ACTIO_INLINE Eigen::Matrix<S, 6, n> operator*(const Eigen::Matrix<S, 6, n>& V) const {
    Eigen::Matrix<S, 6, n> F;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < 3; ++r) {
        F(r, c) = (I(r, 0) * V(0, c) + I(r, 1) * V(1, c) + I(r, 2) * V(2, c)) +
                  (H(r, 0) * V(3, c) + H(r, 1) * V(4, c) + H(r, 2) * V(5, c));
        F(3 + r, c) = (H(0, r) * V(0, c) + H(1, r) * V(1, c) + H(2, r) * V(2, c)) +
                      (M(r, 0) * V(3, c) + M(r, 1) * V(4, c) + M(r, 2) * V(5, c));
      }
    }
    return F;
  }
  /// Returns a copy, made entry by entry.
  ACTIO_INLINE SymmetricInertia copy() const {
    return {{blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5], blocks[6], blocks[7], blocks[8]}};
  }
  /// Subtracts K U^T; the sum over all columns is symmetric. I and M then are symmetric to rounding only, until seen_from_parent().
  ACTIO_INLINE void subtract(const Vector6<S>& K, const Vector6<S>& U) {
    const Entries u0 = entries(U[0], U[3], U[3]), u1 = entries(U[1], U[4], U[4]), u2 = entries(U[2], U[5], U[5]);
    for (int r = 0; r < 3; ++r) {
      const Entries k = entries(K[r], K[r], K[3 + r]);
      blocks[r] = minus_product(blocks[r], k, u0);
      blocks[r + 3] = minus_product(blocks[r + 3], k, u1);
      blocks[r + 6] = minus_product(blocks[r + 6], k, u2);
    }
  }
  /// Returns the same operator on twists and wrenches expressed in the parent: Ad_T^-T A Ad_T^-1, T = T_PB.
  ///   rotated:  I' = R I R^T and so on;  then translated:  H'' = H' + [p] M',  I'' = I' - H' [p] - (H'' [p])^T
  /// It is symmetric to the last bit whether A is or not.
  ACTIO_INLINE SymmetricInertia seen_from_parent(const Pose<S>& T) const {
    const Matrix3<S>& R = T.R;
    const Vector3<S>& p = T.p;
    SymmetricInertia A;
    const auto row = [&](int r) ACTIO_INLINE_LAMBDA {  // as a loop, the entries of batches would pass through memory
      const Entries a(R(r, 0)), b(R(r, 1)), c(R(r, 2));
      const Entries x = times(a, blocks[0], b, blocks[1], c, blocks[2]), y = times(a, blocks[3], b, blocks[4], c, blocks[5]),
                    z = times(a, blocks[6], b, blocks[7], c, blocks[8]);  // row r of R times the blocks
      A.blocks[r] = times(x, R(0, 0), y, R(0, 1), z, R(0, 2));
      A.blocks[r + 3] = times(x, R(1, 0), y, R(1, 1), z, R(1, 2));
      A.blocks[r + 6] = times(x, R(2, 0), y, R(2, 1), z, R(2, 2));
    };
    row(0), row(1), row(2);
    A.mirror(1, 0), A.mirror(2, 0), A.mirror(2, 1);
    const auto lever = [&](int r, int c) ACTIO_INLINE_LAMBDA -> S {  // of [p] M'
      const int a = (r + 1) % 3, b = (r + 2) % 3;
      return p[a] * A.M(b, c) - p[b] * A.M(a, c);
    };
    const S H[3][3] = {{lever(0, 0), lever(0, 1), lever(0, 2)}, {lever(1, 0), lever(1, 1), lever(1, 2)}, {lever(2, 0), lever(2, 1), lever(2, 2)}};
    const auto both = [&](int r, int c) ACTIO_INLINE_LAMBDA -> S {  // of -H' [p] - (H'' [p])^T
      const int a = (c + 1) % 3, b = (c + 2) % 3, d = (r + 1) % 3, e = (r + 2) % 3;
      return (A.H(r, b) * p[a] - A.H(r, a) * p[b]) + ((A.H(c, e) + H[c][e]) * p[d] - (A.H(c, d) + H[c][d]) * p[e]);
    };
    const S xx = both(0, 0), xy = both(0, 1), xz = both(0, 2), yy = both(1, 1), yz = both(1, 2), zz = both(2, 2);
    const auto add = [&](int r, int c, const S& I) ACTIO_INLINE_LAMBDA { A.blocks[r + 3 * c] = A.blocks[r + 3 * c] + entries(I, H[r][c], S(0)); };
    add(0, 0, xx), add(0, 1, xy), add(0, 2, xz), add(1, 0, xy), add(1, 1, yy), add(1, 2, yz), add(2, 0, xz), add(2, 1, yz), add(2, 2, zz);
    return A;
  }
  /// Returns the operator as a matrix, angular part first.
  Matrix6<S> matrix() const {
    Matrix6<S> A;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) A(r, c) = I(r, c), A(r, 3 + c) = A(3 + c, r) = H(r, c), A(3 + r, 3 + c) = M(r, c);
    }
    return A;
  }

 private:
  ACTIO_INLINE static Entries entries(const S& I, const S& H, const S& M) { return Entries::of(I, H, M, S(0)); }
  /// Returns a x + b y + c z.
  ACTIO_INLINE static Entries times(const Entries& a, const Entries& x, const Entries& b, const Entries& y, const Entries& c, const Entries& z) {
    return plus_product(plus_product(a * x, b, y), c, z);
  }
  /// Sets entry (r, c) of I and M to (c, r).
  ACTIO_INLINE void mirror(int r, int c) { blocks[r + 3 * c] = blocks[c + 3 * r].template with<1>(blocks[r + 3 * c]); }
};

}  // namespace actio::detail
