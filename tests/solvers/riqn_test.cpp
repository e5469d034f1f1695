// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/riqn.hpp"

#include <Eigen/LU>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// x + c sin(x) = b entry by entry, coupled by A; H is the inverse of a nearby matrix. No robot in sight.
struct Coupled {
  MatrixXd A, H;
  VectorXd b, f;
  explicit Coupled(double error) : A(4, 4), b(4), f(4) {
    A << 4, 1, 0, 1, 0, 5, 1, 0, 1, 0, 6, 1, 0, 1, 1, 7;
    b << 1, -2, 3, 0.5;
    H = (A * (1 + error)).inverse();
  }
  VectorXd value(const VectorXd& x) const { return A * x + 0.01 * x.array().sin().matrix() - b; }
  double residual(const VectorXd& x) noexcept {
    f.noalias() = A * x;
    f += 0.01 * x.array().sin().matrix() - b;
    return f.norm();
  }
  void update(VectorXd& z) noexcept { z.noalias() = -(H * f); }
};

TEST_CASE("riqn: finds a root to the tolerance and counts its evaluations", "[solvers][riqn][fast]") {
  Coupled problem(0.1);
  VectorXd x = VectorXd::Zero(4), z(4);
  const auto result = Riqn::solve(problem, x, z, {1e-10, 1e-14, 50});
  CHECK(result.status == Status::converged);
  CHECK(result.norm <= 1e-10);
  CHECK(std::abs(problem.value(x).norm() - result.norm) < 1e-14);
  CHECK(result.evaluations > 2);
  CHECK(result.evaluations < 15);  // contraction 0.1
}

TEST_CASE("riqn: tolerance zero stops where rounding does", "[solvers][riqn][fast]") {
  Coupled problem(0.1);
  VectorXd x = VectorXd::Zero(4), z(4);
  const auto result = Riqn::solve(problem, x, z, {0, 1e-14, 100});
  CHECK(result.status == Status::converged);
  CHECK(result.norm < 1e-14);
}

TEST_CASE("riqn: a bad inverse ends at the limit of iterations, an explosive one as not finite", "[solvers][riqn][fast]") {
  Coupled slow(20), explosive(-0.9);
  VectorXd x = VectorXd::Zero(4), z(4);
  const auto limit = Riqn::solve(slow, x, z, {1e-10, 1e-14, 7});
  CHECK(limit.status == Status::max_iterations);
  CHECK(limit.evaluations == 8);
  x.setZero();
  CHECK(Riqn::solve(explosive, x, z, {1e-10, 1e-14, 2000}).status == Status::not_finite);
}

TEST_CASE("riqn: a start at the root takes one evaluation and no allocation", "[solvers][riqn][fast]") {
  Coupled problem(0.1);
  problem.b.setZero();
  VectorXd x = VectorXd::Zero(4), z(4);
  const test::AllocationCounter allocations;
  const auto result = Riqn::solve(problem, x, z, {1e-10, 1e-14, 5});
  const std::size_t count = allocations.count();
  CHECK(result.evaluations == 1);
  CHECK(result.norm == 0);
  CHECK(count == 0);
}

}  // namespace
