// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverses of small square matrices.  Written out because Eigen's take as long to compile as a whole tree algorithm.
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "actio/core/types.hpp"

namespace actio {

/// Replaces A by its inverse, by Gauss-Jordan elimination with row exchanges. A batch exchanges no rows, because its lanes would exchange
/// different ones: its matrices must be close to positive definite, and lanes in which one is not end as NaN.  @param A (n x n), stored by columns.
/// @param row (n) workspace.  @returns false when a pivot is zero or not finite; A is then meaningless.
template <Scalar S>
ACTIO_INLINE bool invert_in_place(S* A, int n, int* row) noexcept {
  using std::abs;
  const auto at = [&](int r, int c) -> S& { return A[r + n * c]; };
  bool is_regular = true;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n && !has_lanes<S>; ++r) {
      if constexpr (!has_lanes<S>) {
        if (value_of(S(abs(at(best, k)))) < value_of(S(abs(at(r, k))))) best = r;
      }
    }
    row[k] = best;
    if (best != k) {
      for (int c = 0; c < n; ++c) std::swap(at(best, c), at(k, c));
    }
    const S scale = S(1) / at(k, k);
    if (!all(is_finite(scale)) || !all(is_finite(at(k, k)))) {
      if constexpr (!has_lanes<S>) return false;
      is_regular = false;
    }
    const S* const pivots = A + n * k;
    for (int c = 0; c < n; ++c) {  // along the columns, whose entries are contiguous
      if (c == k) continue;
      S* const column = A + n * c;
      const S factor = column[k] * scale;
      for (int r = 0; r < n; ++r) column[r] -= pivots[r] * factor;
      column[k] = factor;
    }
    at(k, k) = S(-1);
    for (int r = 0; r < n; ++r) at(r, k) *= -scale;
  }
  for (int k = n - 1; k >= 0; --k) {
    if (row[k] == k) continue;
    for (int r = 0; r < n; ++r) std::swap(at(r, k), at(r, row[k]));
  }
  return is_regular;
}

/// Replaces A by a generalised inverse X, A X A = A, by Gauss-Jordan elimination with row and column exchanges. Elimination stops
/// when every remaining |A(r, c)| is at most least size[r] size[c]; the remaining rows and columns of X are zero.
/// @param A (n x n), stored by columns with leading dimension `leading`.  @param size (n) scale of each row and column, not negative;
/// zero drops the row and the column.  @param row, column (n) workspace.
/// @returns the rank, or -1 when A or its inverse is not finite; A is then meaningless.
template <Scalar S>
int invert_in_place(S* A, int n, int leading, const ValueOf<S>* size, ValueOf<S> least, int* row, int* column) noexcept {
  using Value = ValueOf<S>;
  using std::abs;
  const auto at = [&](int r, int c) -> S& { return A[r + leading * c]; };
  const auto magnitude = [&](int r, int c) { return abs(value_of(at(r, c))); };
  // Scales rows and columns to size one, so that the largest entry is the best pivot in any units.
  const auto scale = [&] {
    bool finite = true;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) {
        at(r, c) *= S(size[r] > 0 && size[c] > 0 ? Value(1) / (size[r] * size[c]) : Value(0));
        finite = finite && all(is_finite(at(r, c)));
      }
    }
    return finite;
  };
  if (!scale()) return -1;
  int rank = 0;
  for (; rank < n; ++rank) {
    const int k = rank;
    row[k] = column[k] = k;
    for (int c = k; c < n; ++c) {
      for (int r = k; r < n; ++r) {
        if (magnitude(row[k], column[k]) < magnitude(r, c)) row[k] = r, column[k] = c;
      }
    }
    if (!(magnitude(row[k], column[k]) > least)) break;
    for (int c = 0; c < n && row[k] != k; ++c) std::swap(at(row[k], c), at(k, c));
    for (int r = 0; r < n && column[k] != k; ++r) std::swap(at(r, column[k]), at(r, k));
    const S reciprocal = S(1) / at(k, k);
    at(k, k) = S(1);
    for (int c = 0; c < n; ++c) at(k, c) *= reciprocal;
    for (int c = 0; c < n; ++c) {  // along the columns, whose entries are contiguous
      if (c == k) continue;
      const S factor = at(k, c);
      for (int r = 0; r < k; ++r) at(r, c) -= at(r, k) * factor;
      for (int r = k + 1; r < n; ++r) at(r, c) -= at(r, k) * factor;
    }
    const S pivot = at(k, k);
    for (int r = 0; r < n; ++r) {
      if (r != k) at(r, k) *= -pivot;
    }
  }
  for (int c = 0; c < n; ++c) {
    for (int r = c < rank ? rank : 0; r < n; ++r) at(r, c) = S(0);
  }
  for (int k = rank - 1; k >= 0; --k) {  // rows of A are columns of its inverse
    for (int c = 0; c < n && column[k] != k; ++c) std::swap(at(column[k], c), at(k, c));
    for (int r = 0; r < n && row[k] != k; ++r) std::swap(at(r, row[k]), at(r, k));
  }
  return scale() ? rank : -1;
}

/// Computes the inverse of a matrix of a size known at compile time.  @returns false when a pivot is zero or not finite.
template <Scalar S, int n>
bool invert(const Eigen::Matrix<S, n, n>& A, Eigen::Matrix<S, n, n>& inverse) noexcept {
  std::array<int, static_cast<std::size_t>(n)> row;
  inverse = A;
  return invert_in_place(inverse.data(), n, row.data());
}

}  // namespace actio
