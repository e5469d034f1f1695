// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/urdf/joint.hpp"

#include <limits>
#include <string>

#include "io/read_urdf.hpp"
#include "support/catch.hpp"

using namespace actio;

namespace urdf_joint_test {

/// A link on one joint of a given type, with an axis and an origin.
Loaded<double> one_joint(const std::string& type, const std::string& axis, const std::string& links = "") {
  const std::string text = "<robot name='r'><link name='base'/><link name='arm'/>" + links + "<joint name='j' type='" + type +
                           "'><parent link='base'/><child link='arm'/><origin xyz='1 -2 3' rpy='0.1 0.2 0.3'/><axis xyz='" + axis +
                           "'/><limit lower='-1' upper='1'/></joint></robot>";
  return parse_urdf(text, "file");
}

/// Pose of a frame in the world.
Pose<double> pose_of(const Model<double>& model, const std::string& frame_name, const VectorX<double>& q) {
  const Frame<double>& frame = model.find_frame(frame_name);
  Pose<double> T = frame.T_BF;
  for (BodyIndex i = frame.body; i > 0; i = model.parent(i)) {
    T = model.placement(i) * visit_joint(model, i, [&]<JointType J>(const J& joint) { return joint.pose(model.q_of<J>(i, q)); }) * T;
  }
  return T;
}

TEST_CASE("urdf joint: each type has its degrees of freedom, and at zero the link is at the joint's origin", "[io][urdf][fast]") {
  const auto [type, freedoms] = GENERATE(table<std::string, int>({{"fixed", 0},
                                                                  {"revolute", 1},
                                                                  {"continuous", 1},
                                                                  {"prismatic", 1},
                                                                  {"planar", 3},
                                                                  {"floating", 6},
                                                                  {"spherical", 3},
                                                                  {"ball", 3},
                                                                  {"cylindrical", 2},
                                                                  {"planaraxis", 3},
                                                                  {"planarfree", 5},
                                                                  {"cylindricalfree", 4},
                                                                  {"fixedorientation", 3}}));
  CAPTURE(type);
  const auto loaded = one_joint(type, "0.6 0 -0.8");
  const auto& model = loaded.model;
  const auto& report = loaded.report;
  CHECK(model.nv() == freedoms);
  CHECK(report.joints == std::map<std::string, int>{{type, 1}});
  const Pose<double> expected{so3::rotation<double>(Vector3<double>::UnitZ(), 0.3) * so3::rotation<double>(Vector3<double>::UnitY(), 0.2) *
                                  so3::rotation<double>(Vector3<double>::UnitX(), 0.1),
                              Vector3<double>(1, -2, 3)};
  CHECK(distance(pose_of(model, "arm", model.neutral()), expected) < 1e-14);
}

TEST_CASE("urdf joint: each type allows only its own motions", "[io][urdf][fast]") {
  const auto [type, along, across, about, tilt] = GENERATE(table<std::string, bool, bool, bool, bool>({
      // translation along the axis and across it; rotation about the axis and across it
      {"revolute", false, false, true, false},
      {"continuous", false, false, true, false},
      {"prismatic", true, false, false, false},
      {"cylindrical", true, false, true, false},
      {"planar", false, true, true, false},
      {"planaraxis", false, true, true, false},
      {"planarfree", false, true, true, true},
      {"cylindricalfree", true, false, true, true},
      {"fixedorientation", true, true, false, false},
      {"spherical", false, false, true, true},
      {"floating", true, true, true, true},
  }));
  const auto [axis_text, axis] = GENERATE(table<std::string, Vector3<double>>(
      {{"0 0 1", {0, 0, 1}}, {"0 0 -1", {0, 0, -1}}, {"1 0 0", {1, 0, 0}}, {"0.48 -0.6 0.64", {0.48, -0.6, 0.64}}}));
  CAPTURE(type, axis_text);
  const auto model = one_joint(type, axis_text).model;
  const Pose<double> rest = pose_of(model, "arm", model.neutral());
  bool moves_along = false, moves_across = false, turns_about = false, tilts = false;
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    VectorX<double> x = VectorX<double>::LinSpaced(model.nv(), 0.1, 0.2);
    x[k] += 0.3;
    const Pose<double> T = rest.inverse() * pose_of(model, "arm", model.integrate(model.neutral(), x));
    const double shift = T.p.dot(axis);
    moves_along |= std::abs(shift) > 1e-3;
    moves_across |= (T.p - shift * axis).norm() > 1e-3;
    tilts |= (T.R * axis - axis).norm() > 1e-3;
    turns_about |= (T.R - Matrix3<double>::Identity()).norm() > 1e-3;
  }
  CHECK(moves_along == along);
  CHECK(moves_across == across);
  CHECK(turns_about == about);
  CHECK(tilts == tilt);
}

TEST_CASE("urdf joint: the default axis is x", "[io][urdf][fast]") {
  const auto model = parse_urdf(
                         "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child "
                         "link='b'/></joint></robot>",
                         "file")
                         .model;
  CHECK(std::get<Revolute<double>>(model.joint(1)).axis() == Vector3<double>::UnitX());
}

TEST_CASE("urdf joint: limits from 0 to 0, and missing velocity limits, mean no limit", "[io][urdf][fast]") {
  const auto with = [](const std::string& limit, const std::string& type) {
    return parse_urdf("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='" + type +
                          "'><parent link='a'/><child link='b'/>" + limit + "</joint></robot>",
                      "file")
        .model.properties();
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* limit : {"", "<limit/>", "<limit lower='0' upper='0' velocity='0'/>", "<limit lower='0'/>"}) {
    CAPTURE(limit);
    const auto p = with(limit, "revolute");
    CHECK(p.lower[0] == -infinity);
    CHECK(p.upper[0] == infinity);
    CHECK(p.velocity_limit[0] == infinity);
    CHECK(p.effort_limit[0] == infinity);
  }
  CHECK(with("<limit upper='2'/>", "revolute").lower[0] == 0);  // 0 is the default of URDF
  CHECK(with("<limit lower='-1' upper='1' effort='0'/>", "prismatic").effort_limit[0] == 0);
  CHECK(with("<limit lower='-1' upper='1e308'/>", "prismatic").upper[0] == 1e308);
  CHECK(with("<limit lower='-1' upper='1' effort='5'/>", "continuous").upper[0] == infinity);
  CHECK(with("<limit lower='-1' upper='1' effort='5'/>", "ball").effort_limit == VectorX<double>::Constant(3, 5));
}

TEST_CASE("urdf joint: a zero axis is a placeholder only in files by ConstrainedDynamics.jl", "[io][urdf][fast]") {
  CHECK_THROWS_AS(one_joint("continuous", "0 0 0"), ParseError);
  CHECK_THROWS_AS(one_joint("cylindrical", "0 0 0"), ParseError);
  const auto loaded =
      one_joint("continuous", "0 0 0", "<link name='c'/><joint name='k' type='planarfree'><parent link='base'/><child link='c'/></joint>");
  const auto& model = loaded.model;
  const auto& report = loaded.report;
  CHECK(std::get<Revolute<double>>(model.joint(model.find_joint("j"))).axis() == Vector3<double>::UnitX());
  CHECK(report.repairs.size() == 2);  // the axis and the type
}

TEST_CASE("urdf joint: the frame of a normal is a rotation, and the identity for z", "[io][urdf][fast]") {
  CHECK(detail::frame_with_normal(Vector3<double>::UnitZ()).isIdentity(0));
  for (const Vector3<double>& n : {Vector3<double>(0, 0, -1), Vector3<double>(0, 1e-8, -1), Vector3<double>(1e-5, 0, -1),
                                   Vector3<double>(1, 0, 0), Vector3<double>(-0.48, 0.6, 0.64)}) {
    const Matrix3<double> R = detail::frame_with_normal(n.normalized());
    CAPTURE(n);
    CHECK((R.col(2) - n.normalized()).norm() < 1e-10);
    CHECK((R.transpose() * R - Matrix3<double>::Identity()).norm() < 1e-13);
    CHECK(R.determinant() > 0);
  }
}

}  // namespace urdf_joint_test
