// SPDX-License-Identifier: BSD-3-Clause
// Closed forms of the joints; laws common to all of them are in joint_test.cpp. One file for the folder, since each joint needs few lines.
#include "actio/model/joints/default_joints.hpp"

#include <numbers>

#include "support/catch.hpp"

namespace default_joints_test {

using namespace actio;
using Vector1 = Eigen::Matrix<double, 1, 1>;

constexpr double pi = std::numbers::pi;
const Vector3<double> x_axis = Vector3<double>::UnitX(), y_axis = Vector3<double>::UnitY(), z_axis = Vector3<double>::UnitZ();

TEST_CASE("joints: revolute, prismatic and helical joints match their closed forms", "[model][joint][fast]") {
  const Vector1 q(pi / 2);
  const Revolute<double> revolute(2 * z_axis);
  CHECK((revolute.pose(q) * x_axis - y_axis).norm() < 1e-15);
  CHECK(revolute.motion_subspace(q) == spatial<double>(z_axis, Vector3<double>::Zero()));

  const Prismatic<double> prismatic(y_axis);
  CHECK(prismatic.pose(q) * x_axis == Vector3<double>(1, pi / 2, 0));
  CHECK(prismatic.motion_subspace(q) == spatial<double>(Vector3<double>::Zero(), y_axis));

  const Helical<double> helical(z_axis, 0.1);
  CHECK((helical.pose(q) * x_axis - Vector3<double>(0, 1, pi / 20)).norm() < 1e-15);
  CHECK(helical.motion_subspace(q) == spatial<double>(z_axis, 0.1 * z_axis));
  CHECK(helical.pitch() == 0.1);
}

TEST_CASE("joints: a revolute angle is not wrapped", "[model][joint][fast]") {
  const Revolute<double> joint(x_axis);
  CHECK(joint.difference(Vector1(-20), Vector1(30))[0] == 50);
  CHECK(joint.integrate(Vector1(100), Vector1(1))[0] == 101);
}

TEST_CASE("joints: cylindrical and universal joints match their closed forms", "[model][joint][fast]") {
  const Cylindrical<double> cylindrical(z_axis);
  CHECK((cylindrical.pose({pi / 2, 3}) * x_axis - Vector3<double>(0, 1, 3)).norm() < 1e-15);

  const Universal<double> universal(x_axis, z_axis);  // first about x, then about the rotated z
  CHECK((universal.pose({pi / 2, pi / 2}) * x_axis - z_axis).norm() < 1e-15);
  CHECK((universal.motion_subspace({0.3, pi / 2}).col(0).head<3>() - -y_axis).norm() < 1e-15);
  CHECK(universal.motion_subspace({0.3, 0.4}).col(1).head<3>() == z_axis);
}

TEST_CASE("joints: for a ball joint q and -q are the same, and other vectors than unit quaternions are refused", "[model][joint][fast]") {
  const Spherical<double> joint;
  const Vector4<double> q = joint.integrate(joint.neutral(), {0.3, -0.4, 0.5});
  CHECK(joint.difference(q, -q).norm() < 1e-15);
  CHECK((joint.difference(q, joint.integrate(-q, {0.1, 0, 0})) - Vector3<double>(0.1, 0, 0)).norm() < 1e-15);
  CHECK(joint.is_valid(-q));
  CHECK_FALSE(joint.is_valid(2 * q));
  CHECK_FALSE(joint.is_valid(Vector4<double>::Zero()));
  CHECK_FALSE(joint.is_valid(Vector4<double>::Constant(std::nan(""))));
  CHECK(joint.is_valid((1 + 1e-7) * q));  // as stored in single precision and in files
}

TEST_CASE("joints: a quaternion stays a unit quaternion over ten thousand increments", "[model][joint][fast]") {
  const Spherical<double> joint;
  Vector4<double> q = joint.neutral();
  for (int k = 0; k < 10000; ++k) q = joint.integrate(q, {0.01, -0.02, 0.03});
  CHECK(std::abs(q.norm() - 1) < 4e-16);
}

TEST_CASE("joints: the angle of a planar joint counts whole turns", "[model][joint][fast]") {
  const Planar<double> joint;
  const Vector3<double> q(1, 2, 3), x(0.4, -0.3, 5 * pi / 2);
  const Vector3<double> moved = joint.integrate(q, x);
  CHECK(moved[2] == 3 + 5 * pi / 2);
  CHECK((joint.difference(q, moved) - x).norm() < 1e-14);
  // A rotation by 90 degrees at speed pi/2 along x is an arc of radius 1.
  CHECK((joint.integrate(Vector3<double>::Zero(), {pi / 2, 0, pi / 2}) - Vector3<double>(1, 1, pi / 2)).norm() < 1e-15);
}

TEST_CASE("joints: a free joint moves by the exponential of SE(3)", "[model][joint][fast]") {
  const Free<double> joint;
  Free<double>::Config q = joint.neutral();
  CHECK(q == (Free<double>::Config() << 0, 0, 0, 0, 0, 0, 1).finished());
  // A rotation by 90 degrees about z at speed pi/2 along x, from the position (1, 2, 3): an arc of radius 1.
  q.head<3>() << 1, 2, 3;
  const Free<double>::Config moved = joint.integrate(q, (Vector6<double>() << 0, 0, pi / 2, pi / 2, 0, 0).finished());
  CHECK((moved.head<3>() - Vector3<double>(2, 3, 3)).norm() < 1e-15);
  CHECK((moved.tail<4>() - Vector4<double>(0, 0, std::sin(pi / 4), std::cos(pi / 4))).norm() < 1e-15);
  // Velocities are expressed in the child: after a rotation by 90 degrees, "forward" is along y.
  const Free<double>::Config ahead = joint.integrate(moved, (Vector6<double>() << 0, 0, 0, 1, 0, 0).finished());
  CHECK((ahead.head<3>() - Vector3<double>(2, 4, 3)).norm() < 1e-15);
  CHECK_FALSE(joint.is_valid(Free<double>::Config::Zero()));
}

}  // namespace default_joints_test
