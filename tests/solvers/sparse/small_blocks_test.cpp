// SPDX-License-Identifier: BSD-3-Clause
// The kernels of block LDU against Eigen, at all sizes around those that have their own register code.
#include "actio/solvers/sparse/small_blocks.hpp"

#include <Eigen/LU>

#include <limits>

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace small_blocks_test {

using namespace actio;

/// A block in the layout of the kernels.
template <class S>
struct Padded {
  std::vector<S> values;
  int rows, columns;
  explicit Padded(const MatrixX<S>& m)
      : values(static_cast<std::size_t>(detail::leading<S>(static_cast<int>(m.rows())) * m.cols()), S(0)),
        rows(static_cast<int>(m.rows())), columns(static_cast<int>(m.cols())) {
    map() = m;
  }
  Eigen::Map<MatrixX<S>, 0, Eigen::OuterStride<>> map() {
    return {values.data(), rows, columns, Eigen::OuterStride<>(detail::leading<S>(rows))};
  }
  S* data() { return values.data(); }
  /// Sum of the padding of all columns.
  S spare() const {
    const int ld = detail::leading<S>(rows);
    S sum(0);
    for (int c = 0; c < columns; ++c) {
      for (int r = rows; r < ld; ++r) sum += std::abs(values[static_cast<std::size_t>(r + ld * c)]);
    }
    return sum;
  }
};

template <class S>
MatrixX<S> random_matrix(models::Random& random, int rows, int columns) {
  return MatrixX<S>::NullaryExpr(rows, columns, [&] { return S(random.uniform(-1, 1)); });
}

TEMPLATE_TEST_CASE("small blocks: products of all sizes match Eigen", "[solvers][small_blocks][fast]", double, float, long double) {
  using S = TestType;
  models::Random random(1);
  std::vector<S> work(9);
  for (const int rows : {1, 2, 3, 4, 5, 6, 7, 9}) {
    for (const int inner : {1, 2, 3, 4, 5, 6, 7, 9}) {
      for (const int columns : {1, 2, 3, 4, 5, 6, 7, 9}) {
        CAPTURE(rows, inner, columns);
        const MatrixX<S> a = random_matrix<S>(random, rows, inner), b = random_matrix<S>(random, inner, columns),
                         t = random_matrix<S>(random, rows, columns);
        Padded<S> A(a), B(b), T(t);
        detail::subtract_product(T.data(), A.data(), B.data(), rows, inner, columns);
        CHECK((T.map() - (t - a.lazyProduct(b))).norm() <= 10 * epsilon<S> * S(inner));
        detail::subtract_product(T.data(), A.data(), B.data(), rows, inner);
        CHECK((T.map().col(0) - (t - 2 * a.lazyProduct(b)).col(0)).norm() <= 20 * epsilon<S> * S(inner));
        CHECK(T.spare() == 0);
        if (rows == inner) {
          const MatrixX<S> once = a.lazyProduct(b);
          detail::premultiply(B.data(), A.data(), rows, columns, work.data());
          CHECK((B.map() - once).norm() <= 10 * epsilon<S> * S(inner));
          detail::premultiply(B.data(), A.data(), rows, work.data());
          CHECK((B.map().col(0) - a.lazyProduct(once.col(0))).norm() <= 20 * epsilon<S> * S(inner));
          CHECK(B.map().rightCols(columns - 1).isApprox(once.rightCols(columns - 1), 10 * epsilon<S>));
          CHECK(B.spare() == 0);
        }
      }
    }
  }
}

/// An inverse in place, and its rounding error for comparison.
template <class S>
void check_inverse(const MatrixX<S>& m) {
  Padded<S> A(m);
  std::vector<int> exchanged(9);
  REQUIRE(detail::invert_block(A.data(), A.rows, exchanged.data()));
  const auto n = m.rows();
  CHECK((m * A.map() - MatrixX<S>::Identity(n, n)).norm() <= 20 * S(n) * epsilon<S> * m.norm() * A.map().norm());
  CHECK(A.spare() == 0);
}

TEMPLATE_TEST_CASE("small blocks: inverses of all sizes match Eigen", "[solvers][small_blocks][fast]", double, float, long double) {
  using S = TestType;
  models::Random random(2);
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 9}) {
    CAPTURE(n);
    for (int trial = 0; trial < 50; ++trial) {
      MatrixX<S> m = random_matrix<S>(random, n, n);
      check_inverse<S>(m);
      check_inverse<S>(m + S(8) * MatrixX<S>::Identity(n, n));  // no rows are exchanged
      MatrixX<S> scaled = m;
      for (int r = 0; r < n; ++r) scaled.row(r) *= S(std::pow(10.0, random.uniform(-3, 3)));
      check_inverse<S>(scaled);
    }
    // Every permutation without fixed rows, so that each exchange is needed somewhere.
    for (int shift = 1; shift < n; ++shift) {
      MatrixX<S> m = MatrixX<S>::Zero(n, n);
      for (int r = 0; r < n; ++r) m(r, (r + shift) % n) = S(r + 1);
      check_inverse<S>(m);
    }
  }
}

TEMPLATE_TEST_CASE("small blocks: a singular matrix is reported", "[solvers][small_blocks][fast]", double, float, long double) {
  using S = TestType;
  models::Random random(3);
  std::vector<int> exchanged(9);
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 9}) {
    CAPTURE(n);
    for (int k = 0; k < n; ++k) {
      MatrixX<S> m = MatrixX<S>::Identity(n, n);
      m(k, k) = S(0);
      CHECK_FALSE(detail::invert_block(Padded<S>(m).data(), n, exchanged.data()));
      for (const S bad : {std::numeric_limits<S>::quiet_NaN(), std::numeric_limits<S>::infinity()}) {
        m(k, k) = bad;
        CHECK_FALSE(detail::invert_block(Padded<S>(m).data(), n, exchanged.data()));
      }
    }
  }
  int none = 0;
  S nothing(0);
  CHECK(detail::invert_block(&nothing, 0, &none));
}

}  // namespace small_blocks_test
