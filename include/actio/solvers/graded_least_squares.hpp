// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Damped least squares whose rows weigh from nothing to 1e15, dependent and contradictory ones among them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "actio/core/types.hpp"

namespace actio {

namespace detail {

/// A triangle R x = r that rows join one by one, by Givens rotations. Each that is independent of those before brings a pivot, its largest
/// entry left. One whose entries are rounding of what they were brings none: what contradicts the heavier rows stays with it and is
/// dropped, where it would else enter every lighter row through that rounding.
template <Scalar S>
class GradedTriangle {
 public:
  explicit GradedTriangle(Eigen::Index n) : R_(MatrixX<S>::Zero(n, n)), r_(VectorX<S>::Zero(n)) {}

  /// @param row (n), right: heavier rows first.
  void add(VectorX<S> row, S right) {
    using std::abs, std::hypot;
    const S noise = row.size() > 0 ? S(S(64) * epsilon<S> * row.cwiseAbs().maxCoeff()) : S(0);
    for (std::size_t k = 0; k < pivots_.size(); ++k) {
      const Eigen::Index at = static_cast<Eigen::Index>(k), column = pivots_[k];
      const S length = hypot(R_(column, at), row[column]);
      if (length == S(0)) continue;
      const S c = R_(column, at) / length, s = row[column] / length;
      const VectorX<S> turned = c * R_.col(at) + s * row;
      row = c * row - s * R_.col(at);
      R_.col(at) = turned;
      row[column] = S(0);
      const S turned_right = c * r_[at] + s * right;
      right = c * right - s * r_[at];
      r_[at] = turned_right;
    }
    Eigen::Index column = 0;
    if (static_cast<Eigen::Index>(pivots_.size()) == row.size() || row.cwiseAbs().maxCoeff(&column) <= noise) return;
    const Eigen::Index at = static_cast<Eigen::Index>(pivots_.size());
    for (Eigen::Index c = 0; c < row.size(); ++c) R_(c, at) = abs(row[c]) <= noise ? S(0) : row[c];
    r_[at] = right;
    pivots_.push_back(column);
  }
  /// @pre as many independent rows as unknowns.
  VectorX<S> solve() const {
    VectorX<S> x = VectorX<S>::Zero(r_.size());
    for (std::size_t k = pivots_.size(); k-- > 0;) {
      const Eigen::Index at = static_cast<Eigen::Index>(k), column = pivots_[k];
      x[column] = (r_[at] - R_.col(at).dot(x)) / R_(column, at);
    }
    return x;
  }

 private:
  MatrixX<S> R_;  // its rows as columns, in the order of the pivots
  VectorX<S> r_;
  std::vector<Eigen::Index> pivots_;
};

}  // namespace detail

/// The x with |x|^2 + sum_i (B_i x + b_i)^2 / R_i least, to rounding of each row: heavy rows may depend on each other and contradict.
/// O((rows + n) n^2); allocates.
/// The step of bilateral rows with x = L^T (v - v*), B = G L^-T, b = G v* + bias, M = L L^T, R = 1 / (h (C + h K)): forces, which may
/// cancel in sums 1e14 times smaller than they are, are never formed.                          [compliant_math.md, section 2.2]
/// @param B (rows, n).  @param b (rows).  @param R (rows) >= 0; zero, a rigid row, is taken for the square of rounding of |B_i|.
/// @returns no numbers where B or b has an entry that is not finite, or R one that is not a number.
template <Scalar S>
VectorX<S> graded_least_squares(const MatrixX<S>& B, const VectorX<S>& b, const VectorX<S>& R) {
  const Eigen::Index rows = B.rows(), n = B.cols();
  if (!B.allFinite() || !b.allFinite() || R.hasNaN()) return VectorX<S>::Constant(n, std::numeric_limits<S>::quiet_NaN());
  VectorX<S> weight(rows), size = VectorX<S>::Zero(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const S norm = B.row(i).stableNorm();  // of what squares overflow or vanish, too
    weight[i] = norm > S(0) ? S(S(1) / std::max(S(std::sqrt(R[i])), S(epsilon<S> * norm))) : S(0);
    size[i] = weight[i] * norm;
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(rows + n));  // from n on |x|^2, each entry of weight 1
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  const auto size_of = [&](Eigen::Index k) { return k < rows ? size[k] : S(1); };
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) { return size_of(i) > size_of(j); });
  detail::GradedTriangle<S> triangle(n);
  for (const Eigen::Index k : order) {
    if (k < rows) triangle.add(weight[k] * B.row(k).transpose(), -weight[k] * b[k]);
    else triangle.add(VectorX<S>::Unit(n, k - rows), S(0));
  }
  return triangle.solve();
}

}  // namespace actio
