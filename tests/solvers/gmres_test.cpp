// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/samples/random.hpp"
#include "actio/solvers/krylov.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace gmres_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd some(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  models::Random random(seed);
  MatrixXd A(rows, columns);
  for (double& entry : A.reshaped()) entry = random.uniform(-1, 1);
  return A;
}

struct Solved {
  VectorXd x;
  SweepResult<double> result;
};
Solved solve(const MatrixXd& A, const VectorXd& b, int basis, double tolerance = 1e-13, int most = 1000, VectorXd x = {}) {
  Gmres<double> gmres(b.size() + 3, basis);  // the capacity is larger than necessary
  if (x.size() == 0) x = VectorXd::Zero(b.size());
  VectorXd r = b - A * x;
  const test::AllocationCounter allocations;
  const SweepResult<double> result = gmres.solve([&](const auto& y, auto&& out) { out.noalias() = A * y; }, r, x, tolerance, most);
  CHECK(allocations.count() == 0);
  CHECK((r - (b - A * x)).norm() < 1e-10 * (1 + b.norm()));
  return {x, result};
}

TEST_CASE("gmres: the number of iterations is at most that of unknowns", "[solvers][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const MatrixXd A = some(12, 12, seed);
    const VectorXd truth = some(12, 1, seed + 100);
    const auto [x, result] = solve(A, A * truth, 12, 1e-12);
    CAPTURE(seed);
    CHECK(result.iterations <= 12);
    CHECK((A * (x - truth)).norm() < 1e-11 * (A * truth).norm());
    CHECK(result.residual <= 1e-12);
  }
}

TEST_CASE("gmres: three iterations for three eigenvalues, also from an initial guess", "[solvers][fast]") {
  const MatrixXd V = some(9, 9, 3);
  VectorXd values(9);
  values << 1, 1, 1, 4, 4, 4, 1e4, 1e4, 1e4;
  const MatrixXd A = V * values.asDiagonal() * test::inverse(V);
  const VectorXd truth = some(9, 1, 4), b = A * truth;
  CHECK(solve(A, b, 9, 1e-10).result.iterations <= 4);
  const auto again = solve(A, b, 9, 1e-10, 1000, truth);
  CHECK((again.x - truth).norm() < 1e-6);
  CHECK(solve(A, VectorXd::Zero(9), 9).result.iterations == 0);
}

TEST_CASE("gmres: with restarts it needs more iterations and converges", "[solvers][fast]") {
  const MatrixXd A = MatrixXd::Identity(40, 40) + 0.1 * some(40, 40, 5);
  const VectorXd truth = some(40, 1, 6), b = A * truth;
  const auto whole = solve(A, b, 40, 1e-12), cut = solve(A, b, 5, 1e-12);
  CHECK((whole.x - truth).norm() < 1e-10);
  CHECK((cut.x - truth).norm() < 1e-9);
  CHECK(cut.result.iterations >= whole.result.iterations);
  const auto limited = solve(A, b, 5, 1e-12, 7);
  CHECK(limited.result.iterations == 7);
  CHECK(std::abs(limited.result.residual - (b - A * limited.x).norm() / b.norm()) < 1e-12);
}

TEST_CASE("gmres: singular matrices are solved if consistent, else reported", "[solvers][fast]") {
  MatrixXd A = some(8, 8, 7);
  A.col(7) = A.col(6);
  A.row(7) = A.row(6);
  const VectorXd b = A * some(8, 1, 8);
  const auto [x, result] = solve(A, b, 8, 1e-12);
  CHECK(x.allFinite());
  CHECK((A * x - b).norm() < 1e-9 * b.norm());
  VectorXd cannot = b;
  cannot[7] += 1;
  const auto refused = solve(A, cannot, 8, 1e-12, 100);
  CHECK(refused.x.allFinite());
  CHECK(refused.result.residual > 0.01);
}

}  // namespace gmres_test
