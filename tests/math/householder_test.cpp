// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/householder.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace householder_test {

using namespace actio;
using namespace actio::detail;

template <class S, int n>
using Tall = Eigen::Matrix<S, 6, n>;

template <class S, int n>
Tall<S, n> draw(models::Random& random) {
  Tall<S, n> A;
  for (int k = 0; k < A.size(); ++k) A(k) = S(random.uniform(-1, 1));
  return A;
}

template <class S, int n>
Matrix6X<S> complement(const Householder<S, n>& of) {
  Matrix6X<S> N(6, 6 - n);
  for (int k = 0; k < 6 - n; ++k) N.col(k) = of.complement(k);
  return N;
}

template <class S, int n>
void check() {
  models::Random random(n);
  for (int trial = 0; trial < 50; ++trial) {
    Tall<S, n> A = draw<S, n>(random);
    if (n > 1 && trial % 2 == 0) A(0, 0) = A(0, 1) = S(0);  // the pivot is zero, so that its sign is a free choice
    const Householder<S, n> of(A);
    const Matrix6X<S> N = complement(of);
    CAPTURE(n, trial);
    CHECK((N.transpose() * A).norm() < 30 * epsilon<S>);
    CHECK((N.transpose() * N - MatrixX<S>::Identity(6 - n, 6 - n)).norm() < 30 * epsilon<S>);

    const Vector6<S> b = random.in_box<S, 6>(1);
    const Eigen::Matrix<S, n, 1> x = of.solve(b);
    const S size = A.norm() * x.norm() + b.norm();
    CHECK((A.transpose() * (A * x - b)).norm() < 30 * epsilon<S> * A.norm() * size);  // the normal equations
  }
}

TEMPLATE_TEST_CASE("householder: the orthogonal complement and least squares are correct for every number of columns",
                   "[math][householder][long]", double, float) {
  check<TestType, 1>();
  check<TestType, 2>();
  check<TestType, 3>();
  check<TestType, 4>();
  check<TestType, 5>();
  check<TestType, 6>();
  const Householder<TestType, 0> none{Tall<TestType, 0>()};
  CHECK(complement(none) == Matrix6<TestType>::Identity());
  CHECK(none.solve(Vector6<TestType>::Ones()).size() == 0);
}

TEST_CASE("householder: with a reference matrix the complement is continuous where an entry changes sign", "[math][householder][long]") {
  constexpr double e = 1e-9;
  models::Random random(7);
  Tall<double, 2> before = draw<double, 2>(random), after = before;
  before(0, 0) = -e;
  after(0, 0) = e;
  const Householder<double, 2> of(before);
  CHECK((complement(Householder<double, 2>(after)) - complement(of)).norm() > 0.1);
  const Matrix6X<double> beside = complement(Householder<double, 2>(after, of));
  CHECK((beside - complement(of)).norm() < 10 * e);
  CHECK((beside.transpose() * after).norm() < 1e-15);
}

TEST_CASE("householder: zero columns have no finite least-squares solution but a finite complement", "[math][householder][long]") {
  const Householder<double, 1> of(Vector6<double>::Zero());
  CHECK_FALSE(std::isfinite(of.solve(Vector6<double>::Ones())[0]));
  CHECK(complement(of).allFinite());
}

}  // namespace householder_test
