// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// QR factorisation of a joint's motion subspace by Householder reflections: least squares, and the orthogonal complement.
// Written out because Eigen's factorisations take long to compile, and because the complement must vary continuously.
#include <array>
#include <cmath>
#include <cstddef>

#include "actio/core/types.hpp"

namespace actio::detail {

/// Computes H_n ... H_1 A = [R; 0] by reflections H = I - beta v v^T, for 6 x n matrices A of full column rank.
///                                                                                                   [Golub, Van Loan 2013, sec. 5.2]
template <Scalar S, int n>
class Householder {
 public:
  using Matrix = Eigen::Matrix<S, 6, n>;  ///< A, whose columns span a motion subspace
  using Vector = Eigen::Matrix<S, n, 1>;  ///< (n)

  /// Reflects each column with the sign that avoids cancellation. The sign changes where the pivot entry of the column passes zero.
  explicit Householder(const Matrix& A)
      : Householder(A, [](std::size_t, const S& entry) { return S(select(entry < S(0), S(-1), S(1))); }) {}
  /// Reflects each column with the same sign as in `like`: smooth in A until a column has reversed its direction.
  Householder(const Matrix& A, const Householder& like)
      : Householder(A, [&](std::size_t k, const S&) { return like.reflections_[k].side; }) {}

  /// Returns the x that minimises |A x - b|, which is not finite where A does not have full rank.
  Vector solve(const Vector6<S>& b) const {
    Vector6<S> y = b;
    for (const Reflection& H : reflections_) H.apply(y);
    Vector x;
    for (int k = n - 1; k >= 0; --k) {
      x[k] = y[k];
      for (int c = k + 1; c < n; ++c) x[k] -= column(c)[k] * x[c];
      x[k] /= column(k)[k];
    }
    return x;
  }

  /// Returns vector k, 0 <= k < 6 - n, of an orthonormal basis of the complement of the columns of A.
  Vector6<S> complement(int k) const {
    Vector6<S> y = Vector6<S>::Unit(n + k);
    for (std::size_t r = reflections_.size(); r-- > 0;) reflections_[r].apply(y);
    return y;
  }

 private:
  struct Reflection {
    Vector6<S> v;
    S beta, side;
    void apply(Vector6<S>& y) const {
      const S along = beta * v.dot(y);
      y -= along * v;
    }
  };

  template <class Side>
  Householder(const Matrix& A, const Side& side_of) {
    using std::sqrt;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      for (int r = 0; r < 6; ++r) columns_[k][r] = A(r, row);
      for (std::size_t before = 0; before < k; ++before) reflections_[before].apply(columns_[k]);
      auto& [v, beta, side] = reflections_[k];
      v = columns_[k];
      for (int r = 0; r < row; ++r) v[r] = S(0);
      const S length = sqrt(v.squaredNorm());
      side = side_of(k, v[row]);
      v[row] += side * length;
      const S half_square = length * (side * v[row]);  // |v|^2 / 2
      beta = select(S(0) < half_square, S(S(1) / half_square), S(0));
      reflections_[k].apply(columns_[k]);
    }
  }
  const Vector6<S>& column(int k) const { return columns_[static_cast<std::size_t>(k)]; }

  std::array<Reflection, static_cast<std::size_t>(n)> reflections_;
  std::array<Vector6<S>, static_cast<std::size_t>(n)> columns_;  // of R
};

}  // namespace actio::detail
