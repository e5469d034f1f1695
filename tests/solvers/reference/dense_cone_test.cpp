// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/dense_cone.hpp"

#include "actio/solvers/cone/newton.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace dense_cone_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

struct Answer {
  ConeResult<double> result;
  VectorXd v, lambda;
};
template <class Solver>
Answer answer(const test::ConeCase& one, Solver solver, ConeLaw law) {
  test::DenseVelocities<double> problem = one.velocities();
  Answer found{{}, VectorXd::Zero(one.v_free.size()), VectorXd::Zero(one.rows.size())};
  found.result = solver.solve(problem, ConeOptions<double>{.law = law}, found.v, found.lambda.head(one.rows.size()));
  return found;
}

TEST_CASE("dense cone: velocities match Newton's method, and forces those of the wrapped method", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    CAPTURE(seed);
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      const Answer dense = answer(one, DenseCone<InteriorPoints>(), law),
                   newton = answer(one, ConeNewton<double>(one.v_free.size(), one.rows.size()), law);
      REQUIRE(dense.result);
      REQUIRE(newton.result);
      CHECK((dense.v - newton.v).norm() < 1e-6 * (1 + newton.v.norm()));
      CHECK(test::certificate(one, law, dense.lambda).worst() < 1e-6);
      const Answer swept = answer(one, DenseCone(AnytimeSweeps{20}), law);
      CHECK(swept.result);
      const VectorXd balance = one.M * (swept.v - one.v_free) - one.h * one.G.transpose() * swept.lambda;
      CHECK(balance.norm() < 1e-9 * (1 + (one.M * swept.v).norm()));
      CHECK(test::certificate(one, law, swept.lambda).force < 1e-12);  // feasible, whether exact or not
    }
    const ConeSolution<double> published = solve_published(one.forces(), 2.);
    const Answer by_velocities = answer(one, DenseCone(PublishedForms<double>{2}), ConeLaw::convex);
    CHECK(by_velocities.result.status == published.status);
    CHECK((by_velocities.lambda - published.lambda).norm() < 1e-6 * (1 + published.lambda.norm()));
  }
}

TEST_CASE("dense cone: problems without rows are solved; the published forms require springs", "[solvers][cone][fast]") {
  test::ConeCase one = test::random_cone_case(1, 0.4);
  one.rows.clear();
  one.G.resize(0, one.v_free.size());
  const Answer free = answer(one, DenseCone<InteriorPoints>(), ConeLaw::coulomb);
  CHECK(free.result);
  CHECK(free.v == one.v_free);
  one.G.setOnes(1, one.v_free.size());
  REQUIRE(one.rows.add(RowKind::unilateral, 0, 0));
  CHECK(answer(one, DenseCone<PublishedForms<double>>(), ConeLaw::convex).result.status == Status::singular);
}

}  // namespace dense_cone_test
