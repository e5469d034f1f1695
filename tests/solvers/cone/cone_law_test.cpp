// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/law.hpp"

#include "actio/solvers/cone/certificate.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense.hpp"

namespace cone_law_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Matrix3d, Eigen::Vector3d, Eigen::VectorXd;

/// Rows on immovable masses, so that rates do not depend on forces: y = w + R lambda.
struct Alone {
  ConeRows<double> rows{3};
  Vector3d R = Vector3d::Ones(), w = Vector3d::Zero();
  const RowGroup<double>& group() const { return rows.groups()[0]; }
  GroupForce<double> force(ConeLaw law, const Vector3d& at) const { return group_force<double>(group(), law, R, at); }
};
Alone random_group(std::uint64_t seed) {
  test::Random random(seed);
  Alone one;
  one.R << std::pow(10, random(-6, 2)), std::pow(10, random(-6, 2)), 1;
  const double limit = seed % 7 == 0 ? 0 : random(0, 2);
  bool fits = false;
  switch (seed % 5) {
    case 0: fits = one.rows.add(RowKind::bilateral, one.R[0], 0); break;
    case 1: fits = one.rows.add(RowKind::unilateral, one.R[0], 0); break;
    case 2: fits = one.rows.add(RowKind::friction, one.R[0], 0, limit); break;
    case 3: fits = one.rows.add_contact(1, one.R[0], one.R[1], limit, 0); break;
    default:
      one.R[2] = one.R[1];
      fits = one.rows.add_contact(2, one.R[0], one.R[1], limit, 0);
  }
  REQUIRE(fits);
  for (int r = 0; r < one.group().size; ++r) one.w[r] = random(-1, 1) * std::sqrt(one.R[r]);
  return one;
}

TEMPLATE_TEST_CASE_SIG("cone law: forces and slack rates are complementary", "[solvers][cone][fast]", ((ConeLaw law), law), ConeLaw::convex,
                       ConeLaw::coulomb) {
  int pieces[3] = {0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Alone one = random_group(seed);
    const GroupForce<double> force = one.force(law, one.w);
    const int size = one.group().size;
    const VectorXd lambda = force.lambda.head(size), y = (one.w + one.R.cwiseProduct(force.lambda)).head(size);
    CAPTURE(seed, lambda, y);
    CHECK(force.lambda.tail(3 - size).isZero(0));
    CHECK(certify<double>(one.rows, law, lambda, y, one.w.cwiseAbs().maxCoeff()).worst() < 1e-13);
    ++pieces[static_cast<int>(force.piece)];
  }
  CHECK(std::min({pieces[0], pieces[1], pieces[2]}) > 200);
}

TEMPLATE_TEST_CASE_SIG("cone law: stiffness is the derivative of the force", "[solvers][cone][fast]", ((ConeLaw law), law), ConeLaw::convex,
                       ConeLaw::coulomb) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Alone one = random_group(seed);
    const GroupForce<double> force = one.force(law, one.w);
    const int size = one.group().size;
    Matrix3d difference = Matrix3d::Zero();
    bool has_kink = false;
    const double e = 1e-5 * (size > 1 ? one.w.tail<2>() : one.w.head<2>()).norm();  // relative to the slip, whose direction changes
    for (int c = 0; c < size; ++c) {
      const GroupForce<double> ahead = one.force(law, one.w + e * Vector3d::Unit(c)),
                               behind = one.force(law, one.w - e * Vector3d::Unit(c));
      has_kink |= ahead.piece != force.piece || behind.piece != force.piece;
      difference.col(c) = (behind.lambda - ahead.lambda) / (2 * e);
    }
    if (has_kink) continue;
    CAPTURE(seed);
    CHECK((force.H - difference).norm() <= 1e-8 * force.H.norm() + 1e-15 * force.lambda.norm() / e);
    if (law == ConeLaw::coulomb) continue;
    CHECK((force.H - force.H.transpose()).norm() <= 1e-15 * force.H.norm());
    CHECK(test::symmetric_eigenvalues(force.H).minCoeff() >= -1e-14 * force.H.norm());
  }
}

TEST_CASE("cone law: Coulomb's normal force is that of the spring, and the convex law adds lift from slip", "[solvers][cone][fast]") {
  Alone one;
  one.R << 0.5, 0.1, 0.1;
  REQUIRE(one.rows.add_contact(2, 0.5, 0.1, 0.4, 0));
  const Vector3d sliding(-1, 3, -4);
  const GroupForce<double> coulomb = one.force(ConeLaw::coulomb, sliding), convex = one.force(ConeLaw::convex, sliding);
  CHECK((coulomb.lambda - Vector3d(2, -2 * 0.4 * 0.6, 2 * 0.4 * 0.8)).norm() < 1e-15);
  const double normal = (1 + 0.4 * 5) / (0.5 + 0.16 * 0.1);  // compliant_math.md, section 5.1
  CHECK((convex.lambda - normal * Vector3d(1, -0.4 * 0.6, 0.4 * 0.8)).norm() < 1e-14);
  CHECK(one.force(ConeLaw::coulomb, {1e-9, 3, -4}).lambda.isZero(0));
  CHECK(one.force(ConeLaw::convex, {1.9, 3, -4}).piece == Piece::slide);
  CHECK(one.force(ConeLaw::convex, {2.1, 3, -4}).piece == Piece::open);
}

}  // namespace cone_law_test
