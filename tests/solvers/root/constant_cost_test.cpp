// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace constant_cost_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("constant cost: one factorisation and one update for every tolerance", "[solvers][constant_cost][fast]") {
  for (const double tolerance : {0.0, 1.0}) {
    test::SineProblem problem(0.1, 1e-4);
    ConstantCost::Workspace<double> work(4);
    VectorXd x = VectorXd::Constant(4, 0.1);
    const double before = problem.value_at(x).norm();
    const test::AllocationCounter allocations;
    const auto result = ConstantCost::solve(problem, x, work, {tolerance, 50});
    CHECK(allocations.count() == 0);
    CHECK(result.status == Status::converged);
    CHECK(problem.linearizations == 1);
    CHECK(result.norm == Approx(problem.value_at(x).norm()));
    CHECK(result.norm < 1e-3 * before);
  }
}

TEST_CASE("constant cost: a start at a root is unchanged", "[solvers][constant_cost][fast]") {
  test::SineProblem problem;
  problem.b.setZero();
  ConstantCost::Workspace<double> work(4);
  VectorXd x = VectorXd::Zero(4);
  CHECK(ConstantCost::solve(problem, x, work, {0, 50}).status == Status::converged);
  CHECK(x.norm() == 0);
}

TEST_CASE("constant cost: an insufficient update fails, and so does a singular Jacobian", "[solvers][constant_cost][fast]") {
  test::SineProblem wild(0.1, 12);
  ConstantCost::Workspace<double> work(4);
  VectorXd x = VectorXd::Constant(4, 2.0);
  CHECK(ConstantCost::solve(wild, x, work, {0, 50}).status == Status::max_iterations);
  test::SineProblem none;
  none.A.setZero();
  none.c = 0;
  x.setZero();
  CHECK(ConstantCost::solve(none, x, work, {0, 50}).status == Status::singular);
}

/// A Jacobian whose factorisation failed must not be used: the factors of a tree may not exist.
struct Unfactored : test::SineProblem {
  int asked = 0;
  double linearize() noexcept { return std::numeric_limits<double>::infinity(); }
  double newton_residual(const VectorXd&) noexcept { return ++asked; }
  void update(VectorXd& z) noexcept { z.setConstant(++asked); }
};

TEST_CASE("constant cost: a Jacobian that cannot be factored is not used", "[solvers][constant_cost][fast]") {
  Unfactored problem;
  ConstantCost::Workspace<double> work(4);
  VectorXd x = VectorXd::Constant(4, 0.1);
  const auto result = ConstantCost::solve(problem, x, work, {0, 50});
  CHECK(result.status == Status::singular);
  CHECK(result.norm > 1e300);
  CHECK(problem.asked == 0);
  CHECK(x == VectorXd::Constant(4, 0.1));
}

}  // namespace constant_cost_test
