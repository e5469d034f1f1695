// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/symmetric_inertia.hpp"

#include "actio/core/dual.hpp"
#include "actio/math/se3.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace symmetric_inertia_test {

using namespace actio;
using actio::detail::SymmetricInertia;

/// Returns the values of the entries.
template <class S>
Matrix6<double> values(const Matrix6<S>& A) {
  return A.unaryExpr([](const S& s) { return static_cast<double>(value_of(s)); });
}

// double fills a register with AVX; the others never do.
TEMPLATE_TEST_CASE("symmetric inertia: its blocks are those of the 6 x 6 matrix", "[math][fast]", float, double, Dual<double>) {
  using S = TestType;
  models::Random random(3);
  const double rounding = 100.0 * static_cast<double>(epsilon<S>);
  for (int sample = 0; sample < 20; ++sample) {
    CAPTURE(sample);
    const Inertia<double> G_body{1.3, random.in_box<double, 3>(0.5), Matrix3<double>(Vector3<double>(0.3, 0.5, 0.6).asDiagonal())};
    const Pose<double> T = se3::exp<double>(random.in_box<double, 6>(1.5));
    const Vector6<double> U = random.in_box<double, 6>(1), V = random.in_box<double, 6>(1);
    const Inertia<S> G{S(G_body.mass), G_body.com.cast<S>(), G_body.I_com.cast<S>()};
    const Pose<S> T_S{T.R.cast<S>(), T.p.cast<S>()};

    SymmetricInertia<S> A = SymmetricInertia<S>::of(G);
    Matrix6<double> dense = G_body.matrix();
    CHECK((values<S>(A.matrix()) - dense).norm() < rounding);
    A.subtract(Vector6<S>(U.cast<S>() * S(0.7)), U.cast<S>());
    dense -= 0.7 * U * U.transpose();
    CHECK((values<S>(A.matrix()) - dense).norm() < rounding);
    const Vector6<S> AV = A * Vector6<S>(V.cast<S>());
    for (int k = 0; k < 6; ++k) CHECK(std::abs(static_cast<double>(value_of(AV[k])) - dense.row(k).dot(V)) < rounding);

    const SymmetricInertia<S> moved = A.seen_from_parent(T_S);
    const Matrix6<double> X = T.inverse().adjoint();
    CHECK((values<S>(moved.matrix()) - X.transpose() * dense * X).norm() < rounding * (1 + dense.norm()));
    const Matrix6<double> symmetric = values<S>(moved.matrix());
    CHECK((symmetric - symmetric.transpose()).norm() == 0);

    SymmetricInertia<S> sum = moved;
    sum += A;
    CHECK((values<S>(sum.matrix()) - (symmetric + values<S>(A.matrix()))).norm() < rounding);
    CHECK(values<S>(SymmetricInertia<S>::zero().matrix()).isZero(0));
    sum.set(0, 1, S(1), S(2), S(3));
    CHECK(value_of(sum.I(0, 1)) == 1);
    CHECK(value_of(sum.H(0, 1)) == 2);
    CHECK(value_of(sum.M(0, 1)) == 3);
  }
}

}  // namespace symmetric_inertia_test
