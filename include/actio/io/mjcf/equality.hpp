// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <equality> of MJCF: loop constraints and couplings of joints, which hold exactly here.
#include <string>
#include <vector>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/model/builder.hpp"

namespace actio::detail::mjcf {

/// <connect>: a point of the first body, and the point of the second that coincides with it in the initial pose.  <weld>: the pose in
/// the first body of the second body's axes at an anchor, by default its origin; if not given, the pose that it has initially.
template <Scalar S>
Loop<S> read_body_equality(ElementReader& reader, pugi::xml_node node, const Pose<double>& T_WA, const Pose<double>& T_WB) {
  const std::string subject = ElementReader::subject_of(node);
  reader.ignore_attributes(node, {"name", "class", "active", "body1", "body2", "anchor", "relpose"});
  Loop<S> loop;
  if (std::string_view(node.name()) == "connect") {
    loop.type = LoopType::ball;
    const Pose<double> T_A = Pose<double>::translation(reader.required_vector(node, "anchor"));
    loop.T_A = cast_numbers<S>(T_A);
    loop.T_B = cast_numbers<S>(T_WB.inverse() * T_WA * T_A);
    return loop;
  }
  loop.type = LoopType::fixed;
  const auto x = reader.numbers<7>(node, "relpose", {0, 1, 0, 0, 0, 0, 0});
  const Vector4<double> q(x[3], x[4], x[5], x[6]);
  if (q.isZero(0)) {
    loop.T_A = cast_numbers<S>(T_WA.inverse() * T_WB);
  } else if (q.norm() > 1e-10) {
    loop.T_A = cast_numbers<S>(Pose<double>{rotation_from_quaternion(q[1], q[2], q[3], q[0]), {x[0], x[1], x[2]}});
    loop.T_B.p = cast_numbers<S>(reader.vector(node, "anchor", Vector3<double>::Zero()));
  } else {
    reader.problem(node, "orientation.length", subject + ": the quaternion of relpose is too short to define a rotation");
  }
  return loop;
}

/// <joint>: a polynomial between two joints; the linear ones become couplings.
template <Scalar S>
void add_joint_equality(ElementReader& reader, ModelBuilder<S>& builder, pugi::xml_node node, bool active) {
  const std::string follower = node.attribute("joint1").value(), leader = node.attribute("joint2").value();
  const std::string subject = "equality of joint " + excerpt(follower);
  reader.ignore_attributes(node, {"name", "class", "active", "joint1", "joint2", "polycoef"});
  std::vector<double> a = reader.list(node, "polycoef", 1, 5);
  const bool given = !a.empty();
  a.resize(5, 0);
  if (!given) a[1] = 1;
  if (follower.empty()) {
    reader.problem(node, "equality.joint", "<joint> in <equality> has no joint1");
  } else if (!active) {
    reader.warn(node, "equality.inactive", subject + ": it is not active and is ignored");
  } else if (leader.empty()) {
    reader.repair(node, "equality.unsupported", subject + ": it has no joint2, and a constraint on one joint alone is not supported",
                  "ignored");
  } else if (a[2] != 0 || a[3] != 0 || a[4] != 0) {
    reader.repair(node, "equality.unsupported", subject + ": a polynomial of degree 2 or higher is not supported", "ignored");
  } else {  // q of the joints counts from the file's pose, as the polynomial does
    builder.add_coupling(follower, leader, cast_number<S>(a[1]), cast_number<S>(a[0]), reader.origin(node));
  }
}

}  // namespace actio::detail::mjcf
