// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace riqn_test {

using namespace actio;
using Eigen::VectorXd;
using test::SineProblem;

TEST_CASE("riqn: it finds a root to the tolerance and counts its evaluations", "[solvers][riqn][fast]") {
  SineProblem problem;
  VectorXd x = VectorXd::Zero(4);
  Riqn::Workspace<double> work(4);
  const auto result = Riqn::solve(problem, x, work, {1e-10, 50});
  CHECK(result.status == Status::converged);
  CHECK(result.norm <= 1e-10);
  CHECK(std::abs(problem.value_at(x).norm() - result.norm) < 1e-14);
  CHECK(result.evaluations > 2);
  CHECK(result.evaluations < 15);  // the contraction is 0.1
}

TEST_CASE("riqn: with tolerance zero it stops at rounding", "[solvers][riqn][fast]") {
  SineProblem problem;
  VectorXd x = VectorXd::Zero(4);
  Riqn::Workspace<double> work(4);
  const auto result = Riqn::solve(problem, x, work, {0, 100});
  CHECK(result.status == Status::converged);
  CHECK(result.norm < 1e-14);
}

TEST_CASE("riqn: a bad inverse reaches the iteration limit, and a diverging one ends as not finite", "[solvers][riqn][fast]") {
  SineProblem slow(20), explosive(-0.9);
  VectorXd x = VectorXd::Zero(4);
  Riqn::Workspace<double> work(4);
  const auto limit = Riqn::solve(slow, x, work, {1e-10, 7});
  CHECK(limit.status == Status::max_iterations);
  CHECK(limit.evaluations == 8);
  x.setZero();
  CHECK(Riqn::solve(explosive, x, work, {1e-10, 2000}).status == Status::not_finite);
}

TEST_CASE("riqn: a start at the root takes one evaluation and no allocation", "[solvers][riqn][fast]") {
  SineProblem problem;
  problem.b.setZero();
  VectorXd x = VectorXd::Zero(4);
  Riqn::Workspace<double> work(4);
  const test::AllocationCounter allocations;
  const auto result = Riqn::solve(problem, x, work, {1e-10, 5});
  const std::size_t count = allocations.count();
  CHECK(result.evaluations == 1);
  CHECK(result.norm == 0);
  CHECK(count == 0);
}

}  // namespace riqn_test
