// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverses of small square matrices.  Written out because Eigen's take as long to compile as a whole tree algorithm.
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "actio/core/types.hpp"

namespace actio {

namespace detail {

/// The row of a pivot: an index, or one for each lane of a batch, as a number.
template <Scalar S>
using PivotRow = std::conditional_t<has_lanes<S>, S, int>;

/// Exchanges a number of row k and one of row r, in the lanes of a batch whose pivot is in row r.
template <Scalar S>
ACTIO_INLINE void exchange_if(const PivotRow<S>& pivot, int r, S& of_k, S& of_r) noexcept {
  if constexpr (has_lanes<S>) {
    const auto chosen = pivot == S(static_cast<ValueOf<S>>(r));
    const S old = of_k;
    of_k = select(chosen, of_r, old);
    of_r = select(chosen, old, of_r);
  } else {
    std::swap(of_k, of_r);
  }
}
/// Returns whether a pivot is in row r, in any lane.
template <Scalar S>
ACTIO_INLINE bool is_in_row(const PivotRow<S>& pivot, int r) noexcept {
  if constexpr (has_lanes<S>) return any(pivot == S(static_cast<ValueOf<S>>(r)));
  else return pivot == r;
}

}  // namespace detail

/// Replaces A by its inverse, by Gauss-Jordan elimination with row exchanges, in each lane of a batch its own.
/// @param A (n x n), stored by columns.  @param row (n) workspace.
/// @returns false when a pivot is zero or not finite; A is then meaningless, or in a batch that of the lanes that end as NaN.
template <Scalar S>
ACTIO_INLINE bool invert_in_place(S* A, int n, detail::PivotRow<S>* row) noexcept {
  using std::abs;
  const auto at = [&](int r, int c) -> S& { return A[r + n * c]; };
  bool is_regular = true;
  for (int k = 0; k < n; ++k) {
    if constexpr (has_lanes<S>) {
      S largest = abs(at(k, k));
      row[k] = S(static_cast<ValueOf<S>>(k));
      for (int r = k + 1; r < n; ++r) {
        const S size = abs(at(r, k));
        const auto is_larger = largest < size;
        row[k] = select(is_larger, S(static_cast<ValueOf<S>>(r)), row[k]);
        largest = select(is_larger, size, largest);
      }
    } else {
      row[k] = k;
      for (int r = k + 1; r < n; ++r) {
        if (value_of(S(abs(at(row[k], k)))) < value_of(S(abs(at(r, k))))) row[k] = r;
      }
    }
    for (int r = k + 1; r < n; ++r) {
      if (!detail::is_in_row<S>(row[k], r)) continue;
      for (int c = 0; c < n; ++c) detail::exchange_if<S>(row[k], r, at(k, c), at(r, c));
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
    for (int q = k + 1; q < n; ++q) {
      if (!detail::is_in_row<S>(row[k], q)) continue;
      for (int r = 0; r < n; ++r) detail::exchange_if<S>(row[k], q, at(r, k), at(r, q));
    }
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
  std::array<detail::PivotRow<S>, static_cast<std::size_t>(n)> row;
  inverse = A;
  return invert_in_place(inverse.data(), n, row.data());
}

}  // namespace actio
