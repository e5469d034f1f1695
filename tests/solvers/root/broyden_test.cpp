// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include <algorithm>

#include "actio/solvers/reference/dense_roots.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/root_problem.hpp"

namespace broyden_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::SineProblem;

/// Broyden's good method as in textbooks, with an explicit matrix.
VectorXd textbook(SineProblem problem, VectorXd x, MatrixXd H, int updates) {
  problem.evaluate(x);
  for (int k = 0; k < updates; ++k) {
    const VectorXd s = -H * problem.f, f = problem.f;
    x += s;
    problem.evaluate(x);
    const VectorXd y = problem.f - f, Hy = H * y;
    H += (s - Hy) * (s.transpose() * H) / s.dot(Hy);
  }
  return x;
}

TEST_CASE("broyden: the product form matches the textbook form", "[solvers][broyden][fast]") {
  for (int updates = 1; updates <= 6; ++updates) {
    SineProblem problem(0.3, 1);
    VectorXd x = VectorXd::Zero(4);
    Broyden::Workspace<double> work(4);
    const test::AllocationCounter allocations;
    (void)Broyden::solve(problem, x, work, {0, updates});
    CHECK(allocations.count() == 0);
    CHECK((x - textbook(SineProblem(0.3, 1), VectorXd::Zero(4), problem.H, updates)).norm() < 1e-13);
  }
}

TEST_CASE("broyden: the dense form starts from the exact Jacobian", "[solvers][broyden][fast]") {
  for (int updates = 1; updates <= 4; ++updates) {
    SineProblem problem(0.3, 1);
    VectorXd x = VectorXd::Zero(4);
    MatrixXd J(4, 4);
    problem.evaluate(x);
    problem.jacobian(J);
    DenseBroyden::Workspace<double> work(4);
    const test::AllocationCounter allocations;
    (void)DenseBroyden::solve(problem, x, work, {0, updates});
    CHECK(allocations.count() == 0);
    CHECK((x - textbook(SineProblem(0.3, 1), VectorXd::Zero(4), test::inverse(J), updates)).norm() < 1e-13);
  }
}

TEST_CASE("broyden: it needs fewer updates than riqn, also beyond its capacity", "[solvers][broyden][fast]") {
  SineProblem a(0.5, 2), b(0.5, 2);
  VectorXd x = VectorXd::Zero(4), y = x;
  Broyden::Workspace<double> work(4);
  Riqn::Workspace<double> plain(4);
  const auto fast = Broyden::solve(a, x, work, {1e-12, 100});
  const auto slow = Riqn::solve(b, y, plain, {1e-12, 100});
  CHECK(fast.status == Status::converged);
  CHECK(fast.evaluations < slow.evaluations);
  CHECK((x - y).norm() < 1e-11);
  SineProblem bad(4, 2);
  x.setZero();
  CHECK(Broyden::solve(bad, x, work, {0, 100}).status == Status::converged);
}

}  // namespace broyden_test
