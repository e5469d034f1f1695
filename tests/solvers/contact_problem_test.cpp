// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/contact_problem.hpp"

#include <limits>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/cone_problems.hpp"

namespace contact_problem_test {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

struct Problem {
  MatrixXd W;
  VectorXd q, mu;
};

/// A heap's contacts, rigid and redundant.
Problem heap(std::uint64_t seed) {
  const test::ConeCase one = test::heap_case(seed, 10, 6);
  return {one.G * one.G.transpose(), one.G * one.v_free, VectorXd::Constant(60, 0.7)};
}

/// The distance of r from Coulomb's law, contact by contact: independent of natural_map().
double violation(const Problem& problem, const VectorXd& r) {
  const VectorXd u = (problem.W + problem.W.transpose()) / 2 * r + problem.q;
  const Eigen::Index size = u.size() / problem.mu.size();
  double worst = 0;
  for (Eigen::Index c = 0; c < problem.mu.size(); ++c) {
    const VectorXd force = r.segment(size * c, size), rate = u.segment(size * c, size);
    const double mu = problem.mu[c], pull = force.tail(size - 1).norm(), slip = rate.tail(size - 1).norm();
    const double opposed = (mu * force[0] * rate.tail(size - 1) + slip * force.tail(size - 1)).norm();
    worst = std::max({worst, -force[0], pull - mu * force[0], -rate[0], std::abs(force[0] * rate[0]), opposed});
  }
  return worst;
}

TEST_CASE("contact problem: heaps on redundant contacts satisfy Coulomb's law", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    const Problem problem = heap(seed);
    const ContactSolution<double> solution = solve_contact(problem.W, problem.q, problem.mu);
    CAPTURE(seed, solution.factorizations);
    REQUIRE(solution);
    CHECK(solution.natural_map <= 1e-10 * problem.q.norm());
    CHECK(violation(problem, solution.r) < 1e-10);
    CHECK((solution.u - problem.W * solution.r - problem.q).norm() < 1e-12);
    CHECK(solution.proof.size() == 0);
    CHECK(solution.r.norm() > 1e-3);
  }
}

TEST_CASE("contact problem: the natural map is zero for solutions only", "[solvers][cone][fast]") {
  // One contact: it opens, sticks or slides; what is expected follows by hand.
  const MatrixXd W = MatrixXd::Identity(3, 3);
  const VectorXd mu = VectorXd::Constant(1, 0.5);
  struct Case {
    Eigen::Vector3d q, r;
  };
  for (const Case& one : {Case{{1, 2, 0}, {0, 0, 0}}, Case{{-2, 0.3, 0.4}, {2, -0.3, -0.4}}, Case{{-2, 3, 4}, {2, -0.6, -0.8}}}) {
    const VectorXd q = one.q, expected = one.r;
    CHECK(natural_map<double>(W * expected + q, mu, expected) < 1e-15);
    const VectorXd wrong = expected + VectorXd::Constant(3, 0.1);
    CHECK(natural_map<double>(W * wrong + q, mu, wrong) > 0.05);
    const ContactSolution<double> solution = solve_contact(W, q, mu);
    REQUIRE(solution);
    CHECK((solution.r - expected).norm() < 1e-10);
  }
}

TEST_CASE("contact problem: only the symmetric part of W counts", "[solvers][cone][fast]") {
  Problem problem = heap(1);
  test::Random random(1);
  const MatrixXd skew = random.matrix(problem.W.rows(), problem.W.cols());
  const VectorXd expected = solve_contact(problem.W, problem.q, problem.mu).u;
  problem.W += skew - skew.transpose().eval();
  const ContactSolution<double> solution = solve_contact(problem.W, problem.q, problem.mu);
  REQUIRE(solution);
  CHECK((solution.u - expected).norm() < 1e-8);
}

TEST_CASE("contact problem: without a solution, forces that prove it are returned", "[solvers][cone][fast]") {
  // A body between two plates that close on it.
  MatrixXd G(6, 3);
  G << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1;
  const Problem problem{G * G.transpose(), (VectorXd(6) << -1, 0.1, 0, 0.5, 0, 0).finished(), VectorXd::Constant(2, 0.5)};
  const ContactSolution<double> solution = solve_contact(problem.W, problem.q, problem.mu);
  CHECK(solution.status == Status::max_iterations);
  REQUIRE(solution.proof.size() == 6);
  CHECK(solution.proof.minCoeff() >= 0);
  CHECK((problem.W * solution.proof).norm() < 1e-8);
  CHECK(problem.q.dot(solution.proof) < -0.1);
  // The plates open as fast as the body can move: it fits.
  const VectorXd opens = (VectorXd(6) << -1, 0.1, 0, 1, 0, 0).finished();
  CHECK(solve_contact(problem.W, opens, problem.mu));
}

TEST_CASE("contact problem: forces of friction that W does not resist prove nothing", "[solvers][cone][fast]") {
  // A contact that nothing can move slides along: r = (1, -1, 0) is in the cone, W r = 0 and q . r < 0, and yet r = 0 is a solution.
  const ContactSolution<double> solution =
      solve_contact<double>(MatrixXd::Zero(3, 3), Eigen::Vector3d(0, 1, 0), VectorXd::Constant(1, 1.));
  CHECK(solution);
  CHECK(solution.proof.size() == 0);
}

TEST_CASE("contact problem: planar contacts, no contacts and no friction", "[solvers][cone][fast]") {
  const MatrixXd W = MatrixXd::Identity(4, 4) + MatrixXd::Ones(4, 4);
  const Problem planar{W, (VectorXd(4) << -1, 2, -0.5, 0).finished(), (VectorXd(2) << 0.5, 0).finished()};
  const ContactSolution<double> solution = solve_contact(planar.W, planar.q, planar.mu);
  REQUIRE(solution);
  CHECK(violation(planar, solution.r) < 1e-10);
  CHECK(solution.r[3] == 0);
  CHECK(solve_contact<double>(MatrixXd(0, 0), VectorXd(0), VectorXd(0)));
}

TEST_CASE("contact problem: data that make no sense are refused", "[solvers][cone][fast]") {
  const MatrixXd W = MatrixXd::Identity(3, 3);
  const VectorXd q = VectorXd::Constant(3, -1), mu = VectorXd::Constant(1, 0.5);
  CHECK_THROWS_AS(solve_contact<double>(W, q, VectorXd::Constant(2, 0.5)), OptionsError);
  CHECK_THROWS_AS(solve_contact<double>(MatrixXd::Identity(4, 4), q, mu), OptionsError);
  CHECK_THROWS_AS(solve_contact<double>(W, q, VectorXd::Constant(1, -0.5)), OptionsError);
  CHECK_THROWS_AS(solve_contact<double>(W, VectorXd::Constant(3, std::numeric_limits<double>::quiet_NaN()), mu), OptionsError);
  for (const double tolerance : {0., -1e-10, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(solve_contact<double>(W, q, mu, tolerance), OptionsError);
  }
  CHECK_THROWS_AS(natural_map<double>(q, mu, VectorXd::Zero(2)), OptionsError);
  CHECK_THROWS_AS(natural_map<double>(q, VectorXd::Zero(2), q), OptionsError);
}

}  // namespace contact_problem_test
