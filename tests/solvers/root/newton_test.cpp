// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace newton_test {

using namespace actio;
using Eigen::VectorXd;
using test::SineProblem;

TEST_CASE("newton: converges quadratically", "[solvers][newton][fast]") {
  VectorXd root = VectorXd::Zero(4);
  {
    SineProblem problem(0.1, 2);
    Newton::Workspace<double> work(4);
    REQUIRE(Newton::solve(problem, root, work, {0, 50}).status == Status::converged);
  }
  double last_error = 1;
  for (int updates = 1; updates <= 4; ++updates) {
    SineProblem problem(0.1, 2);
    Newton::Workspace<double> work(4);
    VectorXd x = root + VectorXd::Constant(4, 0.1);
    (void)Newton::solve(problem, x, work, {0, updates});
    const double error = (x - root).norm();
    if (updates > 1) CHECK(error < std::max(last_error * last_error, 1e-14));
    last_error = error;
  }
}

TEST_CASE("newton: an update that is too long is shortened", "[solvers][newton][fast]") {
  // The slope changes its sign between the start and the root: full updates diverge.
  SineProblem problem(0.1, 5);
  Newton::Workspace<double> work(4);
  VectorXd x = VectorXd::Constant(4, 2.4);
  const auto result = Newton::solve(problem, x, work, {1e-10, 50});
  CHECK(result.status == Status::converged);
  CHECK(problem.value_at(x).norm() <= 1e-10);
  CHECK(result.evaluations > result.iterations + 1);
}

TEST_CASE("newton: a search ends where no update reduces the norm", "[solvers][newton][fast]") {
  SineProblem problem(0.1, 1);  // sin(x) = 2 in each row
  problem.A.setZero();
  problem.b.setConstant(2);
  VectorXd x = VectorXd::Constant(4, 0.3);
  Newton::Workspace<double> work(4);
  const auto result = Newton::solve(problem, x, work, {1e-10, 50});
  CHECK(result.status == Status::max_iterations);
  CHECK(result.evaluations < 20);
}

TEST_CASE("simplified newton: it needs one factorisation", "[solvers][newton][fast]") {
  SineProblem problem(0.1, 0.5);
  SimplifiedNewton::Workspace<double> work(4);
  VectorXd x = VectorXd::Zero(4);
  const test::AllocationCounter allocations;
  const auto result = SimplifiedNewton::solve(problem, x, work, {1e-12, 50});
  const std::size_t count = allocations.count();
  CHECK(result.status == Status::converged);
  CHECK(result.factorizations == 1);
  CHECK(problem.linearizations == 1);
  CHECK(result.iterations == result.evaluations - 1);
  CHECK(problem.value_at(x).norm() <= 1e-12);
  CHECK(count == 0);
}

TEST_CASE("newton: a singular Jacobian is reported", "[solvers][newton][fast]") {
  SineProblem problem;
  problem.A.setZero();
  problem.c = 0;
  VectorXd x = VectorXd::Zero(4);
  Newton::Workspace<double> work(4);
  CHECK(Newton::solve(problem, x, work, {1e-10, 50}).status == Status::singular);
  CHECK(SimplifiedNewton::solve(problem, x, work, {1e-10, 50}).status == Status::singular);
}

}  // namespace newton_test
