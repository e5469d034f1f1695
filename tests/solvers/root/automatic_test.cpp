// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/automatic.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace automatic_test {

using namespace actio;
using Eigen::VectorXd;
using test::SineProblem;

struct Solver {
  Automatic::Workspace<double> work{4};
  Automatic::Memory<double> memory;
  VectorXd x = VectorXd::Zero(4);
  RootResult<double> operator()(SineProblem& problem, int max_iterations = 50) {
    return Automatic::solve(problem, x, work, memory, {1e-10, max_iterations});
  }
};

TEST_CASE("automatic: riqn is kept where few updates suffice", "[solvers][automatic][fast]") {
  SineProblem problem(1e-5, 1e-5);
  Solver solve;
  const test::AllocationCounter allocations;
  const auto result = solve(problem);
  CHECK(allocations.count() == 0);
  CHECK(result.status == Status::converged);
  CHECK(result.method == Method::riqn);
  CHECK(result.factorizations == 0);
  CHECK_FALSE(solve.memory.exact);
}

TEST_CASE("automatic: slow contraction selects the exact Jacobian, and a good guess deselects it", "[solvers][automatic][fast]") {
  SineProblem slow(0.3, 0.01);
  Solver solve;
  auto result = solve(slow);
  CHECK(result.status == Status::converged);
  CHECK(result.method == Method::simplified_newton);
  CHECK(result.factorizations == 1);
  CHECK(solve.memory.exact);
  CHECK(solve.memory.contraction == Approx(0.3 / 1.3).epsilon(0.05));
  const VectorXd root = solve.x;

  solve.x = root + VectorXd::Constant(4, 1e-3);
  result = solve(slow);
  CHECK(result.method == Method::simplified_newton);
  CHECK(result.evaluations <= 3);
  CHECK(solve.memory.exact);

  solve.x = root + VectorXd::Constant(4, 1e-10);
  result = solve(slow);
  CHECK(result.status == Status::converged);
  CHECK_FALSE(solve.memory.exact);
}

TEST_CASE("automatic: the Jacobian is factored again where one factorisation is not enough", "[solvers][automatic][fast]") {
  SineProblem problem(0.1, 2);
  Solver solve;
  solve.x.setConstant(2);
  solve.memory.exact = true;
  const auto result = solve(problem);
  CHECK(result.status == Status::converged);
  CHECK(result.method == Method::newton);
  CHECK(result.factorizations > 1);
  CHECK(result.evaluations < 12);
  CHECK(problem.value_at(solve.x).norm() <= 1e-10);
}

TEST_CASE("automatic: if riqn diverges, it returns to the best iterate", "[solvers][automatic][fast]") {
  SineProblem problem(-0.6, 0.01);  // the inexact inverse makes the error 1.5 times as large
  Solver solve;
  const auto result = solve(problem);
  CHECK(result.status == Status::converged);
  CHECK(result.method == Method::simplified_newton);
  CHECK(problem.value_at(solve.x).norm() <= 1e-10);
}

TEST_CASE("automatic: unsolvable problems end with a status", "[solvers][automatic][fast]") {
  SineProblem none;
  none.A.setZero();
  none.c = 0;
  none.H.setIdentity();
  Solver solve;
  CHECK(solve(none).status == Status::singular);
  SineProblem hard(0.1, 60);
  Solver again;
  const Status status = again(hard, 12).status;
  CHECK((status == Status::converged || status == Status::max_iterations));
}

}  // namespace automatic_test
