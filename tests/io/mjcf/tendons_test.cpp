// SPDX-License-Identifier: BSD-3-Clause
// Tendons of MJCF that are springs and dampers between two sites: their forces against those of MuJoCo, and what is refused or ignored.
#include "actio/dynamics/energy.hpp"
#include "actio/io/mjcf.hpp"
#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace tendons_test {

using namespace actio;
using Eigen::VectorXd;
using test::has_code;

/// Two arms and a ball with three tendons.
const std::string three_tendons = R"(<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 0"/>
  <default><tendon stiffness="30"/></default>
  <worldbody>
    <site name="wall" pos="0.2 -0.3 0.9"/>
    <body name="arm" pos="0 0 1">
      <joint name="a" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/>
      <site name="elbow" pos="0.4 0.05 0.02"/>
      <body name="hand" pos="0.5 0 0">
        <joint name="b" axis="0 0 1"/>
        <joint name="c" axis="1 0 0"/>
        <geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0"/>
        <frame pos="0.1 0.06 0"><site name="tip" pos="0.06 0 0.01"/></frame>
      </body>
    </body>
    <body name="ball" pos="0.3 0.4 1.2">
      <freejoint/>
      <geom type="sphere" size="0.1"/>
      <site name="hook" pos="0.05 0.02 -0.03"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="pull" damping="2" springlength="0.25"><site site="wall"/><site site="tip"/></spatial>
    <spatial name="rest"><site site="elbow"/><site site="hook"/></spatial>
    <spatial name="dash" stiffness="0" damping="4"><site site="tip"/><site site="hook"/></spatial>
  </tendon>
</mujoco>)";

TEST_CASE("mjcf tendons: joint forces are those of MuJoCo", "[io][mjcf][fast]") {
  const Model<double> model = parse_mjcf(three_tendons, "file").model;
  REQUIRE(model.springs().size() == 3);
  // qpos, qvel and qfrc_passive of MuJoCo 2.2.2; of the free joint (position, w x y z), (linear in the world, angular in the body).
  const Vector4<double> quaternion = Vector4<double>(0.2, -0.4, 0.4, 0.8).normalized();  // x y z w
  VectorXd expected(9), q(model.nq()), v(model.nv());
  expected << -0.0090102366226856856, -0.79627048227174846, 0.28475546394567441, 0.49818470111097624, -0.84838632086198729,
      -0.6240415556374409, -0.02863911349346045, 0.025342682811915748, -0.030836733947823613;
  const BodyIndex ball = model.find_body("ball");
  const Pose<double> T{detail::rotation_from_quaternion(quaternion[0], quaternion[1], quaternion[2], quaternion[3]), {0.35, 0.3, 1.1}};
  const Pose<double> at = model.placement(ball).inverse() * T;
  const Quaternion<double> turned = quaternion::from_matrix<double>(at.R);
  q.setZero();
  const auto index = [&](char joint) {
    return joint == 'a' ? model.v_index(model.find_joint("a")) : model.v_index(model.find_joint("b+c")) + (joint == 'c');
  };
  const auto set = [&](char joint, double angle, double rate) {
    q[index(joint)] = angle;  // the arms come first in q and v
    v[index(joint)] = rate;
  };
  set('a', 0.4, 0.5);
  set('b', -0.7, -1.2);
  set('c', 0.9, 0.8);
  q.segment(model.q_index(ball), 7) << at.p, turned.x(), turned.y(), turned.z(), turned.w();
  v.segment(model.v_index(ball), 6) << 1.1, -0.9, 0.4, T.R.transpose() * Vector3<double>(0.3, -0.2, 0.6);
  KinematicsData<double> data(model);
  forward_kinematics(model, data, q, v);
  BodyArray<Vector6<double>> F(model.num_bodies(), Vector6<double>::Zero());
  detail::add_point_wrenches<double>(model, data.T_WB, &data.V, F, [](std::size_t) { return true; });
  VectorXd tau = VectorXd::Zero(model.nv());
  add_wrench_forces(model, data.tree, F, tau);
  VectorXd found(9);
  const Vector6<double> on_ball = tau.segment(model.v_index(ball), 6);
  found << tau[index('a')], tau[index('b')], tau[index('c')], T.R * on_ball.tail<3>(), on_ball.head<3>();
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-14);
}

/// A file with a ball on a slide, sites on both sides of it, and tendons.
std::string with(const std::string& tendons) {
  return "<mujoco><worldbody><site name='w'/><site name='w2' pos='0 0 1'/><body name='a' pos='1 0 0'><joint type='slide' axis='1 0 0'/>"
         "<geom size='0.1'/><site name='s' pos='0 0.5 0'/></body></worldbody><tendon>" +
         tendons + "</tendon></mujoco>";
}
const std::string sites = "<site site='w'/><site site='s'/>";

TEST_CASE("mjcf tendons: lengths at rest, ropes and their dampers", "[io][mjcf][fast]") {
  const auto springs = [](const std::string& attributes) {
    return parse_mjcf(with("<spatial " + attributes + ">" + sites + "</spatial>"), "file").model.springs();
  };
  const auto at_rest = springs("stiffness='3' damping='2'");
  REQUIRE(at_rest.size() == 1);
  CHECK(at_rest[0] == PointSpring<double>{"tendon", 0, 1, {0, 0, 0}, {0, 0.5, 0}, 3, 2, std::sqrt(1.25), false});
  CHECK(springs("name='t' stiffness='3' springlength='0.7'")[0].length == 0.7);
  CHECK(springs("name='t' stiffness='3' springlength='0.7'")[0].name == "t");
  CHECK(springs("stiffness='3' springlength='0.7 0.7'")[0].tension_only == false);
  const auto rope = springs("name='t' stiffness='3' damping='2' springlength='0 0.7'");
  REQUIRE(rope.size() == 2);
  CHECK(rope[0] == PointSpring<double>{"t", 0, 1, {0, 0, 0}, {0, 0.5, 0}, 3, 0, 0.7, true});
  CHECK(rope[1] == PointSpring<double>{"t_2", 0, 1, {0, 0, 0}, {0, 0.5, 0}, 0, 2, 0.7, false});
}

TEST_CASE("mjcf tendons: what is not read is reported", "[io][mjcf][fast]") {
  const auto codes = [](const std::string& text, const char* code) {
    CAPTURE(text);
    const Loaded<double> loaded = parse_mjcf(with(text), "file");
    CHECK(has_code(loaded.report.warnings, code));
    CHECK(loaded.model.springs().size() <= 1);
  };
  codes("<spatial stiffness='1'><site site='w'/><site site='s'/><site site='w2'/></spatial>", "tendon.unsupported");
  codes("<spatial stiffness='1'><site site='w'/><geom geom='g'/><site site='s'/></spatial>", "tendon.unsupported");
  codes("<fixed stiffness='1'><joint joint='a' coef='1'/></fixed>", "tendon.unsupported");
  codes("<spatial stiffness='1' frictionloss='1'>" + sites + "</spatial>", "tendon.unsupported");
  codes("<spatial stiffness='1' range='0 1'>" + sites + "</spatial>", "tendon.unsupported");
  codes("<spatial stiffness='1' springlength='0.2 0.4'>" + sites + "</spatial>", "tendon.unsupported");
  codes("<spatial stiffness='1'><site site='w'/><site site='w2'/></spatial>", "tendon.rigid");
  // Sites: without tendons they have no effect; a segment stands for its middle; the first of two with one name counts.
  const std::string end = "<site name='e' fromto='0 0 0 0 2 4'/><site name='e' pos='9 9 9'/><site/>";
  const std::string arm = "<mujoco><worldbody><body><joint/><geom size='0.1'/>" + end + "</body><site name='w' pos='0 1 0'/></worldbody>";
  CHECK(parse_mjcf(arm + "</mujoco>", "file", {.strict = true}).model.springs().empty());
  const auto loaded = parse_mjcf(arm + "<tendon><spatial stiffness='1'><site site='w'/><site site='e'/></spatial></tendon></mujoco>", "file");
  CHECK(has_code(loaded.report.repairs, "site.duplicate"));
  CHECK(loaded.model.springs().at(0).point_b == Vector3<double>(0, 1, 2));
  CHECK(loaded.model.springs().at(0).length == 2);
  const Loaded<double> without = parse_mjcf(with("<spatial>" + sites + "</spatial>"), "file");
  CHECK(without.report.ignored.at("tendon/spatial") == 1);
  const auto refusal = [](const std::string& text) { return test::refusal<ParseError>([&] { return parse_mjcf(with(text), "file"); }); };
  CHECK(test::missing(refusal("<spatial name='t' stiffness='1'><site site='w'/><site site='x'/></spatial>"), {"tendon.site", "'x'"}) == "");
  CHECK(test::missing(refusal("<spatial stiffness='1'><site site='w'/><site/></spatial>"), {"tendon.site"}) == "");
  CHECK(test::missing(refusal("<spatial name='t' stiffness='-1'>" + sites + "</spatial>"), {"tendon.spring"}) == "");
  CHECK(test::missing(refusal("<spatial name='t' stiffness='1' springlength='2 1'>" + sites + "</spatial>"), {"tendon.springlength"}) == "");
}

}  // namespace tendons_test
