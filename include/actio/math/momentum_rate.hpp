// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A 6 x 6 operator from variations to changes of momentum in 3 x 3 blocks, for the derivative of a body's discrete momentum.
#include <array>

#include "actio/math/packet.hpp"
#include "actio/math/pose.hpp"

namespace actio::detail {

/// An operator from variations (twists) to changes of momentum, in 3 x 3 blocks and without symmetry:
///   [ nw  nv ; fw  fv ],  such as d mu / d theta of a body.
template <Scalar S>
struct MomentumRate {
  using Column = PackedThree<S>;  ///< three entries of a column, and a zero in a register of four
  /// A 3 x 3 block, stored by columns.
  struct Block {
    std::array<Column, 3> column;  ///< column c of the block

    /// Returns the block of these entries, given row by row.
    ACTIO_INLINE static Block rows(const S& a, const S& b, const S& c, const S& d, const S& e, const S& f, const S& g, const S& h,
                                   const S& i) {
      return {{Column::of(a, d, g, S(0)), Column::of(b, e, h, S(0)), Column::of(c, f, i, S(0))}};
    }
    /// Returns a 3 x 3 matrix as a block.
    template <class Derived>
    static Block of(const Eigen::MatrixBase<Derived>& m) {
      return rows(m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2));
    }
    ACTIO_INLINE S operator()(int r, int c) const { return column[static_cast<std::size_t>(c)][r]; }  ///< entry at row r, column c
    /// Returns the block times (x, y, z).
    ACTIO_INLINE Column times(const S& x, const S& y, const S& z) const { return column[0] * x + column[1] * y + column[2] * z; }
    /// Adds entry by entry.
    ACTIO_INLINE friend Block operator+(const Block& a, const Block& b) {
      return {{a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]}};
    }
    /// Returns this block times b, whose entries are read one by one.
    ACTIO_INLINE Block times(const Block& b) const {
      return {{times(b(0, 0), b(1, 0), b(2, 0)), times(b(0, 1), b(1, 1), b(2, 1)), times(b(0, 2), b(1, 2), b(2, 2))}};
    }
    /// Returns R X R^T of this block X.  @param R_packets R as a block.
    ACTIO_INLINE Block rotated(const Block& R_packets, const Matrix3<S>& R) const {
      return R_packets.times(Block{{times(R(0, 0), R(0, 1), R(0, 2)), times(R(1, 0), R(1, 1), R(1, 2)), times(R(2, 0), R(2, 1), R(2, 2))}});
    }
    /// Returns this block minus v [p], where [p] a = p x a.
    ACTIO_INLINE Block shifted(const Block& v, const Vector3<S>& p) const {
      return {{column[0] - (v.column[1] * p[2] - v.column[2] * p[1]), column[1] - (v.column[2] * p[0] - v.column[0] * p[2]),
               column[2] - (v.column[0] * p[1] - v.column[1] * p[0])}};
    }
    /// Returns this block minus a (x, y, z)^T.
    ACTIO_INLINE Block less_outer(const Column& a, const S& x, const S& y, const S& z) const {
      return {{column[0] - a * x, column[1] - a * y, column[2] - a * z}};
    }
  };
  ///@{
  /// Change of angular (n) and linear (f) momentum per rotation (w, [rad]) and translation (v, [m]) of the variation.
  Block nw, nv, fw, fv;
  ///@}

  static MomentumRate zero() { return of(Matrix6<S>(Matrix6<S>::Zero())); }  ///< all entries zero
  /// Returns the blocks of a 6 x 6 matrix, angular part first.
  static MomentumRate of(const Matrix6<S>& m) {
    return {Block::of(m.template topLeftCorner<3, 3>()), Block::of(m.template topRightCorner<3, 3>()),
            Block::of(m.template bottomLeftCorner<3, 3>()), Block::of(m.template bottomRightCorner<3, 3>())};
  }
  /// Returns the 6 x 6 matrix, angular part first.
  Matrix6<S> matrix() const {
    Matrix6<S> m;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m(r, c) = nw(r, c), m(r, c + 3) = nv(r, c), m(r + 3, c) = fw(r, c), m(r + 3, c + 3) = fv(r, c);
    }
    return m;
  }

  /// Adds block by block.
  ACTIO_INLINE friend MomentumRate operator+(const MomentumRate& a, const MomentumRate& b) {
    return {a.nw + b.nw, a.nv + b.nv, a.fw + b.fw, a.fv + b.fv};
  }
  /// Returns A V for one or several variations.
  template <int n>
  ACTIO_INLINE Eigen::Matrix<S, 6, n> operator*(const Eigen::Matrix<S, 6, n>& V) const {
    Eigen::Matrix<S, 6, n> F;
    for (int c = 0; c < n; ++c) {
      const Column top = nw.times(V(0, c), V(1, c), V(2, c)) + nv.times(V(3, c), V(4, c), V(5, c));
      const Column bottom = fw.times(V(0, c), V(1, c), V(2, c)) + fv.times(V(3, c), V(4, c), V(5, c));
      F(0, c) = top[0], F(1, c) = top[1], F(2, c) = top[2];
      F(3, c) = bottom[0], F(4, c) = bottom[1], F(5, c) = bottom[2];
    }
    return F;
  }
  /// Returns A^T V.
  template <int n>
  ACTIO_INLINE Eigen::Matrix<S, 6, n> transpose_times(const Eigen::Matrix<S, 6, n>& V) const {
    Eigen::Matrix<S, 6, n> F;
    for (int c = 0; c < n; ++c) {
      const auto entry = [&](const Block& n_rows, const Block& f_rows, int k) -> S {
        return (n_rows(0, k) * V(0, c) + n_rows(1, k) * V(1, c) + n_rows(2, k) * V(2, c)) +
               (f_rows(0, k) * V(3, c) + f_rows(1, k) * V(4, c) + f_rows(2, k) * V(5, c));
      };
      F(0, c) = entry(nw, fw, 0), F(1, c) = entry(nw, fw, 1), F(2, c) = entry(nw, fw, 2);
      F(3, c) = entry(nv, fv, 0), F(4, c) = entry(nv, fv, 1), F(5, c) = entry(nv, fv, 2);
    }
    return F;
  }
  /// Returns A - K W^T.
  ACTIO_INLINE MomentumRate less_outer(const Vector6<S>& K, const Vector6<S>& W) const {
    const Column n = Column::of(K[0], K[1], K[2], S(0)), f = Column::of(K[3], K[4], K[5], S(0));
    return {nw.less_outer(n, W[0], W[1], W[2]), nv.less_outer(n, W[3], W[4], W[5]), fw.less_outer(f, W[0], W[1], W[2]),
            fv.less_outer(f, W[3], W[4], W[5])};
  }
  ///@{
  /// The same, and seen_from_parent() added to an operator in the parent, without copies: those of batches take kilobytes.
  ACTIO_INLINE void subtract_outer(const Vector6<S>& K, const Vector6<S>& W) {
    const Column n = Column::of(K[0], K[1], K[2], S(0)), f = Column::of(K[3], K[4], K[5], S(0));
    const auto subtract = [](Block& block, const Column& a, const S& x, const S& y, const S& z) ACTIO_INLINE_LAMBDA {
      block.column[0] = block.column[0] - a * x, block.column[1] = block.column[1] - a * y, block.column[2] = block.column[2] - a * z;
    };
    subtract(nw, n, W[0], W[1], W[2]), subtract(nv, n, W[3], W[4], W[5]);
    subtract(fw, f, W[0], W[1], W[2]), subtract(fv, f, W[3], W[4], W[5]);
  }
  ACTIO_INLINE void add_to_parent(const Pose<S>& T, MomentumRate& sum) const {
    const Vector3<S>& p = T.p;
    const auto add = [](Block& to, const Block& b) ACTIO_INLINE_LAMBDA {
      to.column[0] = to.column[0] + b.column[0], to.column[1] = to.column[1] + b.column[1], to.column[2] = to.column[2] + b.column[2];
    };
    const auto moment = [&](const Column& f) ACTIO_INLINE_LAMBDA {  // p x f
      return Column::of(p[1] * f[2] - p[2] * f[1], p[2] * f[0] - p[0] * f[2], p[0] * f[1] - p[1] * f[0], S(0));
    };
    const auto moments = [&](const Block& f) ACTIO_INLINE_LAMBDA { return Block{{moment(f.column[0]), moment(f.column[1]), moment(f.column[2])}}; };
    const Block R = Block::of(T.R);
    const Block f_v = fv.rotated(R, T.R);
    add(sum.fv, f_v);
    const Block n_v = nv.rotated(R, T.R) + moments(f_v);
    add(sum.nv, n_v);
    const Block f_w = fw.rotated(R, T.R);
    add(sum.fw, f_w.shifted(f_v, p));
    add(sum.nw, (nw.rotated(R, T.R) + moments(f_w)).shifted(n_v, p));
  }
  ///@}
  /// Returns the same operator on variations and momenta expressed in the parent: Ad_T^-T A Ad_T^-1, T = T_PB.
  ///   rotated:  nw' = R nw R^T and so on;  then translated, momenta first:  n = n' + p x f,  then variations:  v' = v + w x p
  ACTIO_INLINE MomentumRate seen_from_parent(const Pose<S>& T) const {
    const Vector3<S>& p = T.p;
    const Block R = Block::of(T.R), cross = Block::rows(S(0), -p[2], p[1], p[2], S(0), -p[0], -p[1], p[0], S(0));
    const Block f_w = fw.rotated(R, T.R), f_v = fv.rotated(R, T.R);
    const Block n_v = nv.rotated(R, T.R) + cross.times(f_v), n_w = nw.rotated(R, T.R) + cross.times(f_w);
    return {n_w.shifted(n_v, p), n_v, f_w.shifted(f_v, p), f_v};
  }
};

}  // namespace actio::detail
