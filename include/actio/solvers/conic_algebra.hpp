// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Second-order cones  x_0 >= |(x_1, ...)|, of one entry x_0 >= 0: scalings, products, distances to the boundary, projections.
#include <cmath>

#include "actio/core/types.hpp"

namespace actio::detail {

/// The scaling of Nesterov and Todd of one cone: W z = W^-1 s.                       [Nesterov and Todd 1997; Vandenberghe 2010, sec. 4]
template <Scalar S>
class ConeScaling {
 public:
  using Segment = Eigen::Ref<VectorX<S>>;
  using ConstSegment = Eigen::Ref<const VectorX<S>>;

  /// s_0^2 - |s_1|^2 without cancellation.
  static S determinant(const ConstSegment& s) {
    const S rest = s.tail(s.size() - 1).norm();
    return (s[0] - rest) * (s[0] + rest);
  }
  /// @pre both inside their cone.
  void set(const ConstSegment& s, const ConstSegment& z) {
    using std::sqrt;
    const S s_size = sqrt(determinant(s)), z_size = sqrt(determinant(z));
    w_ = s / s_size;
    w_[0] += z[0] / z_size;
    w_.tail(w_.size() - 1) -= z.tail(z.size() - 1) / z_size;
    w_ /= sqrt(determinant(w_));
    eta_ = sqrt(s_size / z_size);
  }
  void times(Segment x) const { apply(x, S(1), eta_); }
  void inverse_times(Segment x) const { apply(x, S(-1), S(1) / eta_); }

 private:
  /// factor [[w_0, side w_1^T], [side w_1, I + w_1 w_1^T / (1 + w_0)]] x
  void apply(Segment& x, const S& side, const S& factor) const {
    const Eigen::Index rest = x.size() - 1;
    const S along = w_.tail(rest).dot(x.tail(rest)), first = x[0];
    x[0] = factor * (w_[0] * first + side * along);
    x.tail(rest) = factor * (x.tail(rest) + (side * first + along / (S(1) + w_[0])) * w_.tail(rest));
  }
  VectorX<S> w_;
  S eta_{};
};

/// u o v, the Jordan product of one cone.
template <Scalar S, class U, class V>
VectorX<S> jordan_product(const U& u, const V& v) {
  VectorX<S> x(u.size());
  const Eigen::Index rest = u.size() - 1;
  x[0] = u.dot(v);
  x.tail(rest) = u[0] * v.tail(rest) + v[0] * u.tail(rest);
  return x;
}
/// The x with u o x = d.
template <Scalar S, class U, class D>
VectorX<S> jordan_quotient(const U& u, const D& d) {
  VectorX<S> x(u.size());
  const Eigen::Index rest = u.size() - 1;
  x[0] = (u[0] * d[0] - u.tail(rest).dot(d.tail(rest))) / ConeScaling<S>::determinant(u);
  x.tail(rest) = (d.tail(rest) - x[0] * u.tail(rest)) / u[0];
  return x;
}
/// The longest a <= 1 with x + a d in the cone.
template <Scalar S, class X, class D>
S longest_step(const X& x, const D& d) {
  using std::sqrt;
  const Eigen::Index rest = x.size() - 1;
  // in axes where x is (1, 0): leaves where a (|d_1| - d_0) = 1
  const S size2 = ConeScaling<S>::determinant(x), size = sqrt(size2);
  const VectorX<S> unit = x / size;
  const S along = unit[0] * d[0] - unit.tail(rest).dot(d.tail(rest));
  const S first = along / size;
  const VectorX<S> across = (d.tail(rest) - ((d[0] + along) / (S(1) + unit[0])) * unit.tail(rest)) / size;
  const S leaves = across.norm() - first;
  return leaves > S(1) ? S(1) / leaves : S(1);
}

/// The nearest point of a cone to u, in its place, and its derivative.               [Fukushima, Luo and Tseng 2002]
template <Scalar S>
void project_on_cone(Eigen::Ref<VectorX<S>> u, Eigen::Ref<MatrixX<S>> derivative) {
  const Eigen::Index rest = u.size() - 1;
  const S first = u[0], length = u.tail(rest).norm();
  if (length <= first) {
    derivative.setIdentity();
  } else if (length <= -first) {
    derivative.setZero();
    u.setZero();
  } else {
    VectorX<S> side(u.size());
    side[0] = S(1);
    side.tail(rest) = u.tail(rest) / length;
    const S slope = first / length;
    derivative = -slope * side * side.transpose();
    derivative.col(0) = side;
    derivative.row(0) = side.transpose();
    derivative.bottomRightCorner(rest, rest).diagonal().array() += S(1) + slope;
    derivative /= S(2);
    u = ((first + length) / S(2)) * side;
  }
}

}  // namespace actio::detail
