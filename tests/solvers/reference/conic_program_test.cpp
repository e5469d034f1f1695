// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/conic_program.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace conic_program_test {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

/// Distance of a vector from a product of cones.
double outside(const std::vector<int>& cones, const VectorXd& x) {
  double most = 0;
  Eigen::Index first = 0;
  for (const int size : cones) {
    most = std::max(most, x.segment(first + 1, size - 1).norm() - x[first]);
    first += size;
  }
  return most;
}

TEST_CASE("conic program: solutions of random programs satisfy the optimality conditions", "[solvers][cone][long]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    test::Random random(seed);
    ConicProgram<double> program;
    const Eigen::Index n = 1 + static_cast<Eigen::Index>(random(0, 10));
    const MatrixXd root = random.matrix(n, n);
    program.P = root * root.transpose() + (seed % 3 == 0 ? 0. : 1.) * MatrixXd::Identity(n, n);
    program.q = random.matrix(n, 1, 5);
    program.B = MatrixXd(0, n);
    program.c = VectorXd(0);
    for (int k = 0; k < 6; ++k) program.add_cone(1 + static_cast<int>(random(0, 4)));
    program.B = random.matrix(program.B.rows(), n);
    // x0 is an interior point, so a solution exists
    const VectorXd x0 = random.matrix(n, 1);
    VectorXd inside = random.matrix(program.B.rows(), 1);
    Eigen::Index first = 0;
    for (const int size : program.cones) {
      inside[first] = inside.segment(first + 1, size - 1).norm() + random(0.01, 1);
      first += size;
    }
    program.c = inside - program.B * x0;
    const ConicSolution<double> found = solve(program);
    CAPTURE(seed, found.iterations);
    REQUIRE(found.status == Status::converged);
    const double size_z = 1 + found.z.cwiseAbs().maxCoeff(), size_s = 1 + found.s.cwiseAbs().maxCoeff();
    CHECK((program.P * found.x + program.q - program.B.transpose() * found.z).cwiseAbs().maxCoeff() < 1e-10 * size_z);
    CHECK(outside(program.cones, program.B * found.x + program.c) < 1e-9 * size_s);
    CHECK(outside(program.cones, found.z) < 1e-9 * size_z);
    CHECK(std::abs(found.z.dot(program.B * found.x + program.c)) < 1e-9 * size_z * size_s);
  }
}

TEST_CASE("conic program: the nearest point of a ball has a closed form", "[solvers][cone][long]") {
  // minimise |x - a| subject to |x| <= 1
  ConicProgram<double> program{
      MatrixXd::Identity(3, 3), MatrixXd::Zero(4, 3), Eigen::Vector3d(-3, 0, -4), Eigen::Vector4d(1, 0, 0, 0), {4}};
  program.B.bottomRows(3).setIdentity();
  const ConicSolution<double> found = solve(program);
  CHECK((found.x - Eigen::Vector3d(0.6, 0, 0.8)).norm() < 1e-13);
  CHECK(std::abs(found.z[0] - 4) < 1e-12);
}

TEST_CASE("conic program: without cones it is a linear system, without unknowns it is empty", "[solvers][cone][long]") {
  const ConicProgram<double> free{2 * MatrixXd::Identity(2, 2), MatrixXd(0, 2), Eigen::Vector2d(2, -4), VectorXd(0), {}};
  CHECK((solve(free).x - Eigen::Vector2d(-1, 2)).norm() < 1e-14);
  CHECK(solve(ConicProgram<double>{MatrixXd(0, 0), MatrixXd(0, 0), VectorXd(0), VectorXd(0), {}}).status == Status::converged);
}

TEST_CASE("conic program: an infeasible program is reported", "[solvers][cone][long]") {
  ConicProgram<double> program{MatrixXd::Identity(1, 1), MatrixXd(2, 1), VectorXd::Zero(1), Eigen::Vector2d(-1, -1), {1, 1}};
  program.B << 1, -1;  // x >= 1 and -x >= 1
  CHECK(solve(program).status != Status::converged);
}

TEST_CASE("conic program: the projection on a cone and its derivative are correct", "[solvers][cone][long]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    const Eigen::Index size = 1 + static_cast<Eigen::Index>(random(0, 4));
    const VectorXd u = random.matrix(size, 1);
    MatrixXd D(size, size), unused(size, size);
    VectorXd p = u;
    detail::project_on_cone<double>(p, D);
    CAPTURE(seed);
    CHECK(outside({static_cast<int>(size)}, p) < 1e-15);       // in the cone,
    CHECK(outside({static_cast<int>(size)}, p - u) < 1e-15);   // the remainder in the dual cone,
    CHECK(std::abs(p.dot(p - u)) < 1e-15);                     // and both are perpendicular: Moreau's decomposition
    for (Eigen::Index c = 0; c < size; ++c) {
      VectorXd ahead = u + 1e-6 * VectorXd::Unit(size, c), behind = u - 1e-6 * VectorXd::Unit(size, c);
      detail::project_on_cone<double>(ahead, unused);
      detail::project_on_cone<double>(behind, unused);
      CHECK((D.col(c) - (ahead - behind) / 2e-6).norm() < 1e-8);
    }
  }
}

}  // namespace conic_program_test
