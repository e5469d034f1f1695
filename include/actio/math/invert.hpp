// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverses of small square matrices.  Written out because Eigen's take as long to compile as a whole tree algorithm.
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "actio/core/types.hpp"

namespace actio {

/// A := A^-1 by Gauss-Jordan elimination with row exchange.  @param A (n x n), column by column.  @param row (n) work.
/// @returns false when a pivot is zero or not finite; A is then meaningless.
template <Scalar S>
ACTIO_INLINE bool invert_in_place(S* A, int n, int* row) noexcept {
  using std::abs;
  const auto at = [&](int r, int c) -> S& { return A[r + n * c]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r) {
      if (value_of(S(abs(at(best, k)))) < value_of(S(abs(at(r, k))))) best = r;
    }
    row[k] = best;
    if (best != k) {
      for (int c = 0; c < n; ++c) std::swap(at(best, c), at(k, c));
    }
    const S scale = S(1) / at(k, k);
    if (!all(is_finite(scale)) || !all(is_finite(at(k, k)))) return false;
    at(k, k) = S(1);
    for (int c = 0; c < n; ++c) at(k, c) *= scale;
    for (int r = 0; r < n; ++r) {
      if (r == k) continue;
      const S factor = at(r, k);
      at(r, k) = S(0);
      for (int c = 0; c < n; ++c) at(r, c) -= factor * at(k, c);
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (row[k] == k) continue;
    for (int r = 0; r < n; ++r) std::swap(at(r, k), at(r, row[k]));
  }
  return true;
}

/// Inverse of a general matrix, as above, its size known at compile time.
template <Scalar S, int n>
bool invert(const Eigen::Matrix<S, n, n>& A, Eigen::Matrix<S, n, n>& inverse) noexcept {
  std::array<int, static_cast<std::size_t>(n)> row;
  inverse = A;
  return invert_in_place(inverse.data(), n, row.data());
}

}  // namespace actio
