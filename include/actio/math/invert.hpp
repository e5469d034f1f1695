// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inverses of small square matrices.  Written out because Eigen's take as long to compile as a whole tree algorithm.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/core/types.hpp"

namespace actio {

/// Inverse of a general matrix by Gauss-Jordan elimination with row exchange; false when a pivot is zero or not finite.
template <Scalar S, int n>
bool invert(Eigen::Matrix<S, n, n> A, Eigen::Matrix<S, n, n>& inverse) noexcept {
  using std::abs;
  inverse.setIdentity();
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r) {
      if (value_of(S(abs(A(best, k)))) < value_of(S(abs(A(r, k))))) best = r;
    }
    if (best != k) {
      A.row(best).swap(A.row(k));
      inverse.row(best).swap(inverse.row(k));
    }
    const S scale = S(1) / A(k, k);
    if (!all(is_finite(scale)) || !all(is_finite(A(k, k)))) return false;
    for (int c = 0; c < n; ++c) {
      A(k, c) *= scale;
      inverse(k, c) *= scale;
    }
    for (int r = 0; r < n; ++r) {
      if (r == k) continue;
      const S factor = A(r, k);
      for (int c = 0; c < n; ++c) {
        A(r, c) -= factor * A(k, c);
        inverse(r, c) -= factor * inverse(k, c);
      }
    }
  }
  return true;
}

}  // namespace actio
