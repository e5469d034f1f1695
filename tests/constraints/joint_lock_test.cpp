// SPDX-License-Identifier: BSD-3-Clause
// Locks, against the poses of the joints and finite differences, at any attitude.
#include "actio/constraints/joint_lock.hpp"

#include <numbers>

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/dense.hpp"

namespace joint_lock_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using test::Bare;
using test::Cam;
using test::CompleteCam;
using test::Skate;

#define ACTIO_JOINTS                                                                                                               \
  Revolute<double>, Prismatic<double>, Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>, \
      Free<double>
#define ACTIO_BARE_JOINTS                                                                                                     \
  Bare<Revolute<double>>, Bare<Prismatic<double>>, Bare<Helical<double>>, Bare<Cylindrical<double>>, Bare<Universal<double>>, \
      Bare<Spherical<double>>, Bare<Planar<double>>, Bare<Free<double>>

template <class J>
struct Draw {
  static J from(models::Random& random) {
    if constexpr (std::same_as<J, Helical<double>>) return J(random.direction<double>(), 0.3);
    else if constexpr (std::same_as<J, Universal<double>>) return J(random.direction<double>(), random.direction<double>());
    else if constexpr (std::constructible_from<J, Vector3<double>>) return J(random.direction<double>());
    else if constexpr (std::constructible_from<J, double>) return J(random.uniform(-1, 1));
    else return J();
  }
};
template <class J>
struct Draw<Bare<J>> {
  static Bare<J> from(models::Random& random) { return Bare<J>(Draw<J>::from(random)); }
};

/// Whether the rows are derived from the motion subspace.
template <class J>
constexpr bool by_default = false;
template <class J>
constexpr bool by_default<Bare<J>> = true;
template <>
constexpr bool by_default<Cam<double>> = true;
template <>
constexpr bool by_default<CompleteCam<double>> = true;
template <>
constexpr bool by_default<Skate<double>> = true;

template <class J>
PoseRows<double> rows_at(const J& joint, const Pose<double>& T, const typename J::Config& q) {
  PoseRows<double> rows;
  lock_rows(joint, PoseRowsAt<double>(T), q, rows);
  return rows;
}

MatrixXd wrenches(const PoseRows<double>& rows) {
  MatrixXd W(rows.count, 6);
  for (std::size_t k = 0; k < rows.count; ++k) W.row(static_cast<Eigen::Index>(k)) = rows.wrench[k];
  return W;
}
Eigen::VectorXd values(const PoseRows<double>& rows) {
  return Eigen::VectorXd::Map(rows.value.data(), static_cast<Eigen::Index>(rows.count));
}

/// Projection onto the span of the wrenches.
MatrixXd projector(const MatrixXd& W) { return W.transpose() * test::solve_columns(W * W.transpose(), W); }

/// T displaced by a small twist of M, expressed in M.
Pose<double> moved(const Pose<double>& T, const Vector6<double>& x) { return T * Displacement<double>::exp(x).pose(); }

/// The derivative of the rows along the twists of M, by a difference of fourth order.
template <class J>
MatrixXd derivative(const J& joint, const Pose<double>& T, const typename J::Config& q) {
  constexpr double e = 1e-4;
  MatrixXd rate(6 - J::nv, 6);
  for (int k = 0; k < 6; ++k) {
    const auto at = [&](double s) { return values(rows_at(joint, moved(T, s * Vector6<double>::Unit(k)), q)); };
    rate.col(k) = (8 * (at(e) - at(-e)) - (at(2 * e) - at(-2 * e))) / (12 * e);
  }
  return rate;
}

TEMPLATE_TEST_CASE("joint lock: the rows constrain exactly the motions that the joint does not allow", "[constraints][joint_lock][long]",
                   ACTIO_JOINTS,
                   ACTIO_BARE_JOINTS, Cam<double>, CompleteCam<double>, Skate<double>) {
  using J = TestType;
  models::Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = Draw<J>::from(random);
    typename J::Tangent x;
    for (int k = 0; k < J::nv; ++k) x[k] = random.uniform(-3, 3);
    if (J::nv == 1 && trial % 2 == 0) x *= 10;  // several turns
    const typename J::Config q = joint.integrate(joints::neutral(joint), x), near = joint.integrate(q, random.in_box<double, J::nv>(0.5));
    const Pose<double> T = joint.pose(q);
    const PoseRows<double> rows = rows_at(joint, T, near);
    CAPTURE(trial, q.transpose());
    REQUIRE(rows.count == static_cast<std::size_t>(6 - J::nv));
    for (std::size_t k = 0; k < rows.count; ++k) CHECK(std::abs(rows.value[k]) < 1e-13);
    if (rows.count == 0) continue;
    const MatrixXd W = wrenches(rows);
    CHECK((W * joint.motion_subspace(q)).norm() < 1e-13);
    const Eigen::VectorXd singular = test::singular_values(W);
    CHECK(singular.minCoeff() > 0.02);  // independent, although the axes of a universal joint come close to parallel
    if (by_default<J>) CHECK((singular - Eigen::VectorXd::Ones(6 - J::nv)).norm() < 1e-13);
  }
}

TEMPLATE_TEST_CASE("joint lock: wrenches are the derivatives of the rows, also where the joint is violated",
                   "[constraints][joint_lock][long]", Revolute<double>, Prismatic<double>, Helical<double>, Cylindrical<double>,
                   Universal<double>, Spherical<double>, Planar<double>) {
  using J = TestType;
  models::Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = Draw<J>::from(random);
    const Pose<double> T = random.pose<double>(1.0);
    const typename J::Config q = joints::neutral(joint);
    const PoseRows<double> rows = rows_at(joint, T, q);
    if (PoseRowsAt<double>(T).w < 0.05) continue;  // near half a turn the sign of the quaternion changes
    CHECK((wrenches(rows) - derivative(joint, T, q)).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEMPLATE_TEST_CASE("joint lock: wrenches of the default rows are the derivatives where the joint is satisfied",
                   "[constraints][joint_lock][long]",
                   ACTIO_BARE_JOINTS, Cam<double>, CompleteCam<double>, Skate<double>) {
  using J = TestType;
  models::Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = Draw<J>::from(random);
    if (J::nv == 6) continue;
    const typename J::Config q = joint.integrate(joints::neutral(joint), random.in_box<double, J::nv>(2)),
                             near = joint.integrate(q, random.in_box<double, J::nv>(0.3));
    const Pose<double> T = joint.pose(q);
    // for universal joints: 1 / sine of the angle between the axes
    CHECK((wrenches(rows_at(joint, T, near)) - derivative(joint, T, near)).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("joint lock: the default rows are smooth where an entry of the motion subspace changes its sign",
          "[constraints][joint_lock][long]") {
  const Bare<Universal<double>> joint(Universal<double>(Vector3<double>::UnitX(), Vector3<double>::UnitZ()));  // S(0, 0) = cos q1
  const Vector2<double> q(0.4, std::numbers::pi / 2);
  const Pose<double> T = joint.pose(q);
  CHECK((wrenches(rows_at(joint, T, q)) - derivative(joint, T, q)).cwiseAbs().maxCoeff() < 1e-10);
  const MatrixXd before = wrenches(rows_at(joint, joint.pose({0.4, q[1] - 1e-6}), q)),
                 after = wrenches(rows_at(joint, joint.pose({0.4, q[1] + 1e-6}), q));
  CHECK((after - before).norm() < 1e-5);
  CHECK((after - before).norm() > 1e-7);  // evaluated at the coordinates of T and not at q
}

TEMPLATE_TEST_CASE("joint lock: the default rows span the same constraint as the rows of each joint type",
                   "[constraints][joint_lock][long]", Revolute<double>, Prismatic<double>,
                   Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>) {
  using J = TestType;
  models::Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config q = joint.integrate(joints::neutral(joint), random.in_box<double, J::nv>(2));
    const MatrixXd own = wrenches(rows_at(joint, joint.pose(q), q)), other = wrenches(rows_at(Bare<J>(joint), joint.pose(q), q));
    CHECK((own - other).norm() > 1e-3);  // they are not the same rows
    // for universal joints: 1 / square of the sine of the angle between the axes
    CHECK((projector(own) - projector(other)).norm() < 1e-11);
  }
}

TEMPLATE_TEST_CASE("joint lock: Newton's method on the rows closes an open joint", "[constraints][joint_lock][long]", Revolute<double>,
                   Prismatic<double>, Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>,
                   Bare<Revolute<double>>, Bare<Helical<double>>, Bare<Universal<double>>, Cam<double>, CompleteCam<double>,
                   Skate<double>) {
  using J = TestType;
  models::Random random(6);
  for (int trial = 0; trial < 20; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config q = joint.integrate(joints::neutral(joint), random.in_box<double, J::nv>(3));
    Pose<double> T = moved(joint.pose(q), random.in_box<double, 6>(0.1));
    CHECK(values(rows_at(joint, T, q)).norm() > 1e-3);
    for (int iteration = 0; iteration < 6; ++iteration) {
      const PoseRows<double> rows = rows_at(joint, T, q);
      const MatrixXd W = wrenches(rows);
      T = moved(T, -W.transpose() * test::solve(W * W.transpose(), values(rows)));
    }
    CHECK(distance(joint.pose(joints::coordinate(joint, T.quaternion(), T.p, q)), T) < 1e-12);
  }
}

TEST_CASE("joint lock: rows of a custom joint allocate nothing", "[constraints][joint_lock][long]") {
  const Skate<double> joint;
  const Vector3<double> q(0.3, -0.2, 0.7);
  const Pose<double> T = joint.pose(q);
  const test::AllocationCounter allocations;
  const PoseRows<double> rows = rows_at(joint, T, Vector3<double>(0, 0, 0));
  const std::size_t count = allocations.count();
  CHECK(count == 0);
  CHECK(rows.count == 3);
}

TEST_CASE("pose rows: a distance row is zero at the given length, and its wrench is the unit direction", "[constraints][pose_rows][long]") {
  models::Random random(3);
  const Pose<double> T = random.pose<double>(1.0);
  PoseRows<double> rows;
  PoseRowsAt<double>(T).distance(T.p.norm(), rows);
  CHECK(std::abs(rows.value[0]) < 1e-15);
  CHECK((rows.wrench[0] - spatial<double>(Vector3<double>::Zero(), T.R.transpose() * T.p.normalized())).norm() < 1e-14);
}

}  // namespace joint_lock_test
