// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/dense_cone.hpp"

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace cone_sweeps_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("cone sweeps: after any number of sweeps forces are feasible, and the convex function decreases", "[solvers][cone][long]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const DenseConeProblem<double> problem = test::random_cone_case(seed, 1).forces();
    const ConeSweeps<double> sweeps(problem);
    VectorXd lambda = VectorXd::Zero(problem.b.size());
    double before = 0;
    for (int k = 0; k < 30; ++k) {
      sweeps.run(ConeLaw::convex, 1, lambda);
      const double value = lambda.dot(problem.W * lambda) / 2 + problem.b.dot(lambda);
      CAPTURE(seed, k);
      REQUIRE(value <= before + 1e-12 * std::abs(before));
      REQUIRE(certify<double>(problem.rows, ConeLaw::convex, lambda, problem.b, 1.0).force < 1e-14);
      before = value;
    }
  }
}

TEST_CASE("cone sweeps: they converge to the solution for soft rows", "[solvers][cone][long]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::ConeCase one = test::random_cone_case(seed, 0.5);
    DenseConeProblem<double> problem = one.forces();
    problem.W.diagonal() += 2 * problem.W.cwiseAbs().rowwise().sum();
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      VectorXd lambda = VectorXd::Zero(problem.b.size());
      const ConeSweeps<double> sweeps(problem);
      const std::size_t allocations = test::allocations_of_this_thread();
      sweeps.run(law, 200, lambda);
      CHECK(test::allocations_of_this_thread() == allocations);
      CAPTURE(seed);
      CHECK((lambda - solve(problem, law).lambda).norm() <= 1e-9 * lambda.norm());
    }
  }
}

}  // namespace cone_sweeps_test
