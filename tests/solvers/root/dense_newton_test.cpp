// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/dense_roots.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/root_problem.hpp"

namespace dense_newton_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("dense newton: the updates match those of newton", "[solvers][dense_newton][fast]") {
  for (int updates = 1; updates <= 4; ++updates) {
    test::SineProblem a(0.1, 2), b(0.1, 2);
    VectorXd x = VectorXd::Constant(4, 0.5), y = x;
    DenseNewton::Workspace<double> dense(4);
    Newton::Workspace<double> operators(4);
    const test::AllocationCounter allocations;
    const auto result = DenseNewton::solve(a, x, dense, {0, updates});
    CHECK(allocations.count() == 0);
    (void)Newton::solve(b, y, operators, {0, updates});
    CHECK((x - y).norm() < 1e-14);
    CHECK(result.method == Method::dense_newton);
  }
}

TEST_CASE("dense newton: a singular Jacobian is reported", "[solvers][dense_newton][fast]") {
  test::SineProblem problem;
  problem.A.setZero();
  problem.c = 0;
  VectorXd x = VectorXd::Zero(4);
  DenseNewton::Workspace<double> work(4);
  CHECK(DenseNewton::solve(problem, x, work, {1e-10, 50}).status == Status::singular);
}

}  // namespace dense_newton_test
