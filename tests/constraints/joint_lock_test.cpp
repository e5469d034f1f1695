// SPDX-License-Identifier: BSD-3-Clause
// Locks against the joints' own poses and finite differences, at any attitude.
#include "actio/constraints/joint_lock.hpp"

#include <Eigen/LU>

#include "actio/model/ready/random.hpp"
#include "support/catch.hpp"

namespace {

using namespace actio;
using Eigen::MatrixXd;

template <class J>
J make(models::Random& random) {
  if constexpr (std::same_as<J, Helical<double>>) return J(random.direction<double>(), 0.3);
  else if constexpr (std::same_as<J, Universal<double>>) return J(random.direction<double>(), random.direction<double>());
  else if constexpr (requires { J(random.direction<double>()); }) return J(random.direction<double>());
  else return J();
}

template <class J>
PoseRows<double> rows_at(const J& joint, const Pose<double>& T, const typename J::Config& q) {
  PoseRows<double> rows;
  lock_rows(joint, PoseRowsAt<double>(T), q, rows);
  return rows;
}

/// T moved by a small twist of M in M.
Pose<double> moved(const Pose<double>& T, const Vector6<double>& x) { return T * Displacement<double>::exp(x).pose(); }

TEMPLATE_TEST_CASE("joint lock: holds what the joint does not move, and that alone", "[constraints][joint_lock][fast]", Revolute<double>, Prismatic<double>,
                   Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>, Free<double>) {
  using J = TestType;
  models::Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = make<J>(random);
    typename J::Tangent x;
    for (int k = 0; k < J::nv; ++k) x[k] = random.uniform(-3, 3);
    if (std::same_as<J, Helical<double>> && trial % 2 == 0) x *= 10;  // several turns
    const typename J::Config q = joint.integrate(joints::neutral(joint), x);
    const Pose<double> T = joint.pose(q);
    const PoseRows<double> rows = rows_at(joint, T, q);
    CAPTURE(trial, q.transpose());
    REQUIRE(rows.count == static_cast<std::size_t>(6 - J::nv));
    MatrixXd W(rows.count, 6);
    for (std::size_t k = 0; k < rows.count; ++k) {
      CHECK(std::abs(rows.value[k]) < 1e-13);
      W.row(static_cast<Eigen::Index>(k)) = rows.wrench[k];
    }
    if (rows.count == 0) continue;
    CHECK((W * joint.motion_subspace(q)).norm() < 1e-13);
    const Eigen::VectorXd singular = Eigen::JacobiSVD<MatrixXd>(W).singularValues();
    CHECK(singular.minCoeff() > 0.02);  // independent: a universal joint's axes come close to parallel
  }
}

TEMPLATE_TEST_CASE("joint lock: wrenches are the derivatives, also where the joint is open", "[constraints][joint_lock][fast]", Revolute<double>,
                   Prismatic<double>, Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>) {
  using J = TestType;
  models::Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = make<J>(random);
    const Pose<double> T = random.pose<double>(1.0);
    const typename J::Config q = joints::neutral(joint);
    const PoseRows<double> rows = rows_at(joint, T, q);
    if (PoseRowsAt<double>(T).w < 0.05) continue;  // near half a turn the quaternion's sign changes
    for (int k = 0; k < 6; ++k) {
      constexpr double e = 1e-4;
      const auto row = [&](double s) { return rows_at(joint, moved(T, s * Vector6<double>::Unit(k)), q); };
      const PoseRows<double> a = row(e), b = row(-e), c = row(2 * e), d = row(-2 * e);
      for (std::size_t r = 0; r < rows.count; ++r) {
        const double derivative = (8 * (a.value[r] - b.value[r]) - (c.value[r] - d.value[r])) / (12 * e);
        CHECK(std::abs(rows.wrench[r][k] - derivative) < 1e-10);
      }
    }
  }
}

TEST_CASE("pose rows: distance", "[constraints][pose_rows][fast]") {
  models::Random random(3);
  const Pose<double> T = random.pose<double>(1.0);
  PoseRows<double> rows;
  PoseRowsAt<double>(T).distance(T.p.norm(), rows);
  CHECK(std::abs(rows.value[0]) < 1e-15);
  CHECK((rows.wrench[0] - spatial<double>(Vector3<double>::Zero(), T.R.transpose() * T.p.normalized())).norm() < 1e-14);
}

}  // namespace
