// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace anderson_test {

using namespace actio;
using Eigen::VectorXd;
using test::SineProblem;

TEST_CASE("anderson: a linear system needs at most one update more than it has unknowns", "[solvers][anderson][fast]") {
  SineProblem problem(0.3, 0);
  problem.H(0, 2) += 0.1;  // no multiple of the inverse
  problem.H(3, 1) -= 0.05;
  VectorXd x = VectorXd::Zero(4);
  Anderson::Workspace<double> work(4);
  const test::AllocationCounter allocations;
  const auto result = Anderson::solve(problem, x, work, {1e-11, 50});
  CHECK(allocations.count() == 0);
  CHECK(result.status == Status::converged);
  CHECK(result.iterations <= 5);
  CHECK(problem.value_at(x).norm() <= 1e-11);
}

TEST_CASE("anderson: it needs fewer updates than riqn", "[solvers][anderson][fast]") {
  SineProblem a(0.5, 2), b(0.5, 2);
  VectorXd x = VectorXd::Zero(4), y = x;
  Anderson::Workspace<double> work(4);
  Riqn::Workspace<double> plain(4);
  const auto fast = Anderson::solve(a, x, work, {1e-12, 100});
  const auto slow = Riqn::solve(b, y, plain, {1e-12, 100});
  CHECK(fast.status == Status::converged);
  CHECK(fast.evaluations < slow.evaluations);
  CHECK((x - y).norm() < 1e-11);
}

TEST_CASE("anderson: it converges to rounding, where its differences vanish", "[solvers][anderson][fast]") {
  SineProblem problem(0.3, 1);
  VectorXd x = VectorXd::Zero(4);
  Anderson::Workspace<double> work(4);
  CHECK(Anderson::solve(problem, x, work, {0, 100}).status == Status::converged);
  CHECK(x.allFinite());
}

}  // namespace anderson_test
