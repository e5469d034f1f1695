// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/samples/random.hpp"
#include "actio/solvers/krylov.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace conjugate_gradients_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Q diag(values) Q^T with a random rotation Q.
MatrixXd with_spectrum(const VectorXd& values, std::uint64_t seed) {
  models::Random random(seed);
  MatrixXd any(values.size(), values.size());
  for (double& entry : any.reshaped()) entry = random.uniform(-1, 1);
  const MatrixXd Q = test::orthonormal_basis(any);
  return Q * values.asDiagonal() * Q.transpose();
}
VectorXd some(Eigen::Index n, std::uint64_t seed) {
  models::Random random(seed);
  VectorXd x(n);
  for (double& entry : x) entry = random.uniform(-1, 1);
  return x;
}

struct Solved {
  VectorXd x;
  SweepResult<double> result;
};
template <class Iteration>
Solved solve(const MatrixXd& A, const VectorXd& b, const VectorXd& P, double tolerance, int most, VectorXd x) {
  Iteration iteration(b.size());
  VectorXd r = b - A * x;
  const auto times = [&](const VectorXd& y, VectorXd& out) { out.noalias() = A * y; };
  const auto weigh = [&](const VectorXd& y, VectorXd& out) { out = P.cwiseProduct(y); };
  const test::AllocationCounter allocations;
  const SweepResult<double> result = iteration.solve(times, weigh, r, x, tolerance, most);
  CHECK(allocations.count() == 0);
  CHECK((r - (b - A * x)).norm() < 1e-9 * (1 + b.norm()));
  return {x, result};
}
template <class Iteration>
Solved solve(const MatrixXd& A, const VectorXd& b, const VectorXd& P, double tolerance, int most) {
  return solve<Iteration>(A, b, P, tolerance, most, VectorXd::Zero(b.size()));
}

TEST_CASE("conjugate gradients: there are as many iterations as A has distinct eigenvalues", "[solvers][fast]") {
  const VectorXd values = (VectorXd(8) << 1, 1, 2, 2, 2, 5, 5, 5).finished(), truth = some(8, 2);
  const MatrixXd A = with_spectrum(values, 1);
  const auto [x, result] = solve<ConjugateGradients<double>>(A, A * truth, VectorXd::Ones(8), 1e-12, 100);
  CHECK(result.iterations == 3);
  CHECK((x - truth).norm() < 1e-12);
  CHECK(result.residual < 1e-12);
  const auto again = solve<ConjugateGradients<double>>(A, A * truth, VectorXd::Ones(8), 1e-12, 100, truth);  // the guess is the solution
  CHECK(again.result.iterations <= 1);
  CHECK((again.x - truth).norm() < 1e-14);
  const auto cut = solve<ConjugateGradients<double>>(A, A * truth, VectorXd::Ones(8), 1e-12, 2);
  CHECK(cut.result.iterations == 2);
  CHECK(cut.result.residual > 1e-12);
}

TEST_CASE("conjugate gradients: a preconditioner removes the effect of badly scaled rows", "[solvers][fast]") {
  const VectorXd scale = (VectorXd(6) << 1e-3, 1, 1e3, 1e-2, 10, 1e2).finished(), truth = some(6, 4).cwiseQuotient(scale);
  const MatrixXd A = scale.asDiagonal() * with_spectrum((VectorXd(6) << 0.5, 0.6, 0.7, 0.8, 0.9, 1).finished(), 3) * scale.asDiagonal();
  const auto [x, result] = solve<ConjugateGradients<double>>(A, A * truth, scale.cwiseAbs2().cwiseInverse(), 1e-13, 100);
  CHECK(result.iterations <= 7);
  CHECK(scale.cwiseProduct(x - truth).norm() < 1e-10);
}

TEST_CASE("conjugate gradients and sweeps: redundant rows give the least-norm solution", "[solvers][fast]") {
  const MatrixXd A = with_spectrum((VectorXd(7) << 0, 0, 0, 0.3, 0.5, 0.9, 1).finished(), 5);
  const VectorXd b = A * some(7, 6);
  for (const bool sweeps : {false, true}) {
    const auto [x, result] = sweeps ? solve<Richardson<double>>(A, b, VectorXd::Ones(7), 1e-12, 1000)
                                    : solve<ConjugateGradients<double>>(A, b, VectorXd::Ones(7), 1e-12, 1000);
    CHECK((A * x - b).norm() < 1e-11);
    const VectorXd null = b - A * test::solve_least_norm(A, b);
    CHECK(null.norm() < 1e-13);
    CHECK((x - test::solve_least_norm(A, b)).norm() < 1e-11);  // components in the null space of A remain zero
  }
  const VectorXd cannot = some(7, 7);  // there is no solution: the iteration ends with finite numbers
  for (const bool sweeps : {false, true}) {
    const auto [x, result] = sweeps ? solve<Richardson<double>>(A, cannot, VectorXd::Ones(7), 1e-12, 50)
                                    : solve<ConjugateGradients<double>>(A, cannot, VectorXd::Ones(7), 1e-12, 50);
    CHECK(x.allFinite());
    CHECK(result.iterations <= 50);
    CHECK(result.residual > 1e-3);
  }
}

TEST_CASE("conjugate gradients: rounding errors are not followed where A is small", "[solvers][fast]") {
  // The solution has no part along the last eigenvector, for which A is 1e-10: ten times as much as what counts as redundant.
  const VectorXd values = (VectorXd(8) << 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 1, 1e-10).finished();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const VectorXd small = with_spectrum(VectorXd::Unit(8, 7), seed) * some(8, seed + 60), direction = small.normalized();
    VectorXd truth = some(8, seed + 30);
    truth -= direction.dot(truth) * direction;
    const MatrixXd A = with_spectrum(values, seed);
    const auto [x, result] = solve<ConjugateGradients<double>>(A, A * truth, VectorXd::Ones(8), 0, 1000);
    CHECK(result.residual < 1e-13);
    CHECK((x - truth).norm() < 1e-9);
  }
}

TEST_CASE("sweeps: the slowest component shrinks by 1 - 1.8 of the smallest eigenvalue", "[solvers][fast]") {
  const MatrixXd A = with_spectrum((VectorXd(4) << 0.1, 0.4, 0.6, 0.9).finished(), 8);
  const VectorXd truth = some(4, 9);
  const auto ten = solve<Richardson<double>>(A, A * truth, VectorXd::Ones(4), 0, 60),
             more = solve<Richardson<double>>(A, A * truth, VectorXd::Ones(4), 0, 61);
  CHECK(std::abs((more.x - truth).norm() / (ten.x - truth).norm() - 0.82) < 1e-4);
  CHECK(ten.result.iterations == 60);
}

}  // namespace conjugate_gradients_test
