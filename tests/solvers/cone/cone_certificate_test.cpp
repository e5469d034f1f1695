// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/certificate.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense.hpp"

namespace cone_certificate_test {

using namespace actio;
using Eigen::Vector3d, Eigen::VectorXd;

ConeCertificate<double> of_contact(ConeLaw law, const Vector3d& lambda, const Vector3d& y, double friction = 0.5) {
  ConeRows<double> rows(3);
  REQUIRE(rows.add_contact(2, 1, 1, friction, 0));
  return certify<double>(rows, law, lambda, y, 2.0);
}
ConeCertificate<double> of_row(RowKind kind, double lambda, double y, double limit = 0) {
  ConeRows<double> rows(1);
  REQUIRE(rows.add(kind, 1, 0, limit));
  return certify<double>(rows, ConeLaw::coulomb, VectorXd::Constant(1, lambda), VectorXd::Constant(1, y), 2.0);
}

TEST_CASE("cone certificate: the residuals of complementary pairs are zero", "[solvers][cone][fast]") {
  CHECK(of_row(RowKind::bilateral, -3, 0).worst() == 0);
  CHECK(of_row(RowKind::unilateral, 3, 0).worst() == 0);
  CHECK(of_row(RowKind::unilateral, 0, 3).worst() == 0);
  CHECK(of_row(RowKind::friction, 2, 0, 3).worst() == 0);
  CHECK(of_row(RowKind::friction, 3, -5, 3).worst() == 0);
  for (const ConeLaw law : {ConeLaw::coulomb, ConeLaw::convex}) {
    CHECK(of_contact(law, {4, 1, 1}, {0, 0, 0}).worst() == 0);  // sticking
    CHECK(of_contact(law, {0, 0, 0}, {9, 1, 1}).worst() == 0);  // open
  }
  CHECK(of_contact(ConeLaw::coulomb, {10, 3, 4}, {0, -6, -8}).worst() == 0);
  CHECK(of_contact(ConeLaw::convex, {10, 3, 4}, {5, -6, -8}).worst() == 0);
}

TEST_CASE("cone certificate: each kind of violation appears in its own residual", "[solvers][cone][fast]") {
  CHECK(of_row(RowKind::bilateral, 1, 1).rate == 0.5);
  CHECK(of_row(RowKind::unilateral, -3, 0).force == 1);
  CHECK(of_row(RowKind::unilateral, 0, -1).rate == 0.5);
  CHECK(of_row(RowKind::unilateral, 3, 1).power == 0.5);
  CHECK(of_row(RowKind::friction, 4, -1, 3).force == 0.25);
  CHECK(of_row(RowKind::friction, 3, 1, 3).power == 1);  // pushes in the direction of motion
  CHECK(of_row(RowKind::friction, 1, -1, 3).power == 1);  // less than the limit while it slides
  CHECK(of_contact(ConeLaw::coulomb, {3, 4, 0}, {0, 0, 0}).force == 0.5);
  // tensile force, without friction
  for (const ConeLaw law : {ConeLaw::coulomb, ConeLaw::convex}) CHECK(of_contact(law, {-2, 0, 0}, {0, 0, 0}, 0).force == 1);
  CHECK(of_contact(ConeLaw::coulomb, {10, 3, 4}, {5, -6, -8}).power > 0.1);  // lifts off while it slides
  CHECK(of_contact(ConeLaw::convex, {10, 3, 4}, {0, -6, -8}).rate > 1);
  CHECK(of_contact(ConeLaw::coulomb, {10, -3, -4}, {0, -6, -8}).power > 1);
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(of_contact(ConeLaw::coulomb, {none, 0, 0}, {0, 0, 0}).worst() > 1);
  CHECK(of_contact(ConeLaw::convex, {1, 0, 0}, {0, none, 0}).worst() > 1);
}

TEST_CASE("cone certificate: the gap is the difference of primal and dual, and zero at the solution", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    const DenseConeProblem<double> problem = one.forces();
    const VectorXd R = one.rows.R();
    test::Random random(seed);
    CAPTURE(seed);
    // Any feasible forces, and the velocities that they cause.
    VectorXd lambda = problem.W.diagonal().cwiseInverse().cwiseProduct(random.matrix(R.size(), 1));
    double dual = 0, primal = 0, force_scale = 0;
    for (const RowGroup<double>& group : one.rows.groups()) {
      auto f = lambda.segment(group.first, group.size);
      f = detail::group_force<double>(group, ConeLaw::convex, Vector3d::Ones(), -of_group(group, lambda)).lambda.head(group.size);
      force_scale = std::max(force_scale, f.norm());
    }
    dual = lambda.dot(problem.W * lambda) / 2 + problem.b.dot(lambda);
    const VectorXd y = problem.W * lambda + problem.b, w = y - R.cwiseProduct(lambda),
                   dv = one.h * test::solve(one.M, one.G.transpose() * lambda);
    primal = dv.dot(one.M * dv) / (2 * one.h);
    for (const RowGroup<double>& group : one.rows.groups()) {
      const Vector3d f = detail::group_force(group, ConeLaw::convex, of_group(group, R), of_group(group, w)).lambda;
      primal -= f.dot(of_group(group, w)) + f.dot(of_group(group, R).cwiseProduct(f)) / 2;
    }
    const double gap = certify<double>(one.rows, ConeLaw::convex, lambda, y, 1.0).gap * force_scale;
    CHECK(gap > 0);
    CHECK(std::abs(gap - (primal + dual)) < 1e-9 * (std::abs(primal) + std::abs(dual) + 1e-9));
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      const ConeSolution<double> solution = solve(problem, law);
      if (solution.status == Status::converged) CHECK(std::abs(solution.certificate.gap) < 1e-9);
    }
  }
}

TEST_CASE("cone certificate: the worst row is the first of the group whose forces are wrong, or not numbers", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test::ConeCase one = test::random_cone_case(seed, 1);
    one.rows.R().setConstant(0.1);
    const VectorXd w = test::Random(seed).matrix(one.rows.size(), 1);
    VectorXd lambda(one.rows.size());
    for (const RowGroup<double>& group : one.rows.groups()) {
      const Vector3d answered = of_group(group, w) + of_group(group, one.rows.bias());
      lambda.segment(group.first, group.size) =
          detail::group_force(group, ConeLaw::coulomb, of_group(group, one.rows.R()), answered).lambda.head(group.size);
    }
    const RowGroup<double>& group = one.rows.groups()[seed % one.rows.groups().size()];
    for (const double wrong : {1.0, std::nan("")}) {
      VectorXd changed = lambda;
      changed[group.first + group.size - 1] += wrong / one.rows.R()[group.first + group.size - 1];
      CHECK(detail::worst_row<double>(one.rows, ConeLaw::coulomb, w, changed) == group.first);
    }
  }
}

}  // namespace cone_certificate_test
