// SPDX-License-Identifier: BSD-3-Clause
// Operations on MomentumRate against the same operations on 6x6 matrices.
#include "actio/math/momentum_rate.hpp"

#include "actio/math/se3.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace momentum_rate_test {

using namespace actio;
using namespace actio::detail;

TEMPLATE_TEST_CASE("momentum rate: every operation matches the 6x6 matrix", "[math][momentum_rate][fast]", double, float) {
  using S = TestType;
  using Matrix = Matrix6<S>;
  models::Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Matrix m = Matrix::NullaryExpr([&] { return S(random.uniform(-1, 1)); }),
                 n = Matrix::NullaryExpr([&] { return S(random.uniform(-1, 1)); });
    const Eigen::Matrix<S, 6, 3> V = n.template leftCols<3>();
    const Vector6<S> u = n.col(3), w = n.col(4);
    const Pose<S> T = random.pose<S>(0.7);
    const MomentumRate<S> A = MomentumRate<S>::of(m), B = MomentumRate<S>::of(n);
    const S few = 50 * epsilon<S>;
    CHECK((A.matrix() - m).norm() == 0);
    CHECK((MomentumRate<S>::zero().matrix()).norm() == 0);
    CHECK(((A + B).matrix() - (m + n)).norm() < few);
    CHECK((A * V - m * V).norm() < few);
    CHECK((A.transpose_times(V) - m.transpose() * V).norm() < few);
    CHECK((A.less_outer(u, w).matrix() - (m - u * w.transpose())).norm() < few);
    const Matrix X = se3::adjoint(T.inverse());
    CHECK((A.seen_from_parent(T).matrix() - X.transpose() * m * X).norm() < 10 * few);
  }
}

}  // namespace momentum_rate_test
