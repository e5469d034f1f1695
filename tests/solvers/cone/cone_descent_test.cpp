// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/descent.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace cone_descent_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

TEST_CASE("cone descent: it converges to the convex solution from any start", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    test::ConeCase one = test::random_cone_case(seed, 1.2);
    // Rows at most 1e6 times stiffer than the inertia that they act on, which descent alone can resolve.
    test::DenseVelocities<double> stiff = one.velocities();
    ConeRows<double> rows(one.rows.size());
    bool fits = true;
    for (const RowGroup<double>& group : one.rows.groups()) {
      const Eigen::Index i = group.first;
      const double least = 1e-6 * one.h * stiff.mobility().segment(i, group.size).maxCoeff(), R = std::max(one.rows.R()[i], least),
                   bias = one.rows.bias()[i];
      fits &= group.kind == RowKind::contact ? rows.add_contact(group.size - 1, R, std::max(one.rows.R()[i + 1], least), group.limit, bias)
                                             : rows.add(group.kind, R, bias, group.limit);
    }
    REQUIRE(fits);
    one.rows = rows;
    test::DenseVelocities<double> problem = one.velocities();
    ConeDescent<double> descent(one.v_free.size(), one.rows.size());
    test::Random random(seed);
    VectorXd first;
    for (const double far : {0., 1., 1000.}) {
      VectorXd v = one.v_free + random.matrix(one.v_free.size(), 1, far), lambda = VectorXd::Zero(one.rows.size());
      ConeResult<double> result;
      CAPTURE(seed, far);
      REQUIRE(descent.solve(problem, VectorXd::Zero(one.rows.size()), 1e-9, 1e-12, 1.0, 200, v, lambda, result));
      CHECK(test::certificate(one, ConeLaw::convex, lambda).worst() < 1e-7);
      if (far == 0) first = v;
      CHECK((v - first).norm() < 1e-7 * (1 + first.norm()));
    }
  }
}

}  // namespace cone_descent_test
