// SPDX-License-Identifier: BSD-3-Clause
// Actuators, keyframes and the time step of MJCF files.
#include <cmath>
#include <string>
#include <vector>

#include "actio/io/mjcf.hpp"
#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace mjcf_actuators_test {

using namespace actio;
using test::has_code;
using test::missing;

const std::string ball = "<geom type='sphere' size='0.1' mass='1'/>";

std::string body(const std::string& name, const std::string& inside) {
  return "<body name='" + name + "' pos='0 0 1'>" + inside + ball + "</body>";
}
/// A file with two hinges in a row, and what follows the bodies from line 3 on.
std::string file(const std::string& after, const std::string& before = "") {
  return "<mujoco>" + before + "<worldbody>" +
         body("a",
              "<joint name='hip' axis='1 0 0' range='-1 1' limited='true'/>" + body("b", "<joint name='knee' axis='0 1 0' ref='30'/>")) +
         "</worldbody>\n\n" + after + "</mujoco>";
}
Loaded<double> parse(const std::string& text, const ReadOptions& options = {}) { return parse_mjcf(text, "file", options); }
std::string refusal(const std::string& text, bool strict = false) {
  return test::refusal<ParseError>([&] { return parse(text, {.strict = strict}); });
}
std::string actuators(const std::string& inside) { return file("<actuator>\n" + inside + "</actuator>"); }

TEST_CASE("mjcf actuators: motors, position and velocity servos and what general ones mean", "[io][mjcf][fast]") {
  const Loaded<double> loaded = parse(
      actuators("<motor name='m' joint='hip' gear='50' ctrlrange='-1 2'/><position name='p' joint='knee' kp='20' kv='3' forcerange='-4 5'/>"
                "<velocity joint='hip' kv='7'/><general name='g' joint='knee' gainprm='2' biastype='affine' biasprm='1 -3 -4'/>"
                "<general name='n' joint='knee' gainprm='2' biasprm='1 -3 -4' ctrlrange='-1 1' ctrllimited='false'/>"));
  REQUIRE(loaded.actuators.size() == 5);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto& a = loaded.actuators;
  CHECK((a[0].name == "m" && a[0].kind == "motor" && a[0].gear == 50 && a[0].gain == 1 && a[0].stiffness == 0 && a[0].damping == 0));
  CHECK((a[0].ctrl_lower == -1 && a[0].ctrl_upper == 2 && a[0].force_upper == infinity));
  CHECK((a[1].gain == 20 && a[1].stiffness == 20 && a[1].damping == 3 && a[1].force_lower == -4 && a[1].force_upper == 5 &&
         a[1].ctrl_upper == infinity));
  CHECK((a[2].name == "hip" && a[2].gain == 7 && a[2].stiffness == 0 &&
         a[2].damping == 7));  // an actuator without a name gets that of its joint
  CHECK((a[3].gain == 2 && a[3].constant == 1 && a[3].stiffness == 3 && a[3].damping == 4));
  CHECK((a[4].gain == 2 && a[4].constant == 0 && a[4].stiffness == 0 && a[4].damping == 0 && a[4].ctrl_upper == infinity));
  CHECK(a[0].v_index(loaded.model) == 0);
  CHECK(a[1].v_index(loaded.model) == 1);
  CHECK(a[0].length(loaded.model, loaded.model.neutral()) == 0);
  CHECK(a[1].length(loaded.model, loaded.model.neutral()) == Approx(detail::pi / 6));  // MuJoCo's q counts from ref
  CHECK(loaded.report.ignored.empty());

  VectorX<double> ctrl(5), q(2), v(2), tau = VectorX<double>::Zero(2);
  ctrl << 3, 0.5, 1, 0, 0;
  q << 0.1, 0.2;
  v << 0.3, -0.4;
  add_actuator_forces(loaded.model, loaded.actuators, ctrl, q, v, tau);
  const double knee = 0.2 + detail::pi / 6, servo = 20 * (0.5 - knee) - 3 * -0.4;
  CHECK(servo > -4);
  CHECK(tau[0] == Approx(50 * 2 + 7 * (1 - 0.3)));
  CHECK(tau[1] == Approx(servo + 1 - 3 * knee - 4 * -0.4));
}

TEST_CASE("mjcf actuators: all kinds of a default class share one record, as in MuJoCo", "[io][mjcf][fast]") {
  const Loaded<double> loaded =
      parse(file("<actuator><position name='p' joint='hip' class='strong'/><motor name='m' joint='hip' class='strong'/>"
                 "<position name='w' joint='hip'/></actuator>",
                 "<default><general ctrlrange='-1 1'/><position kp='5'/>"
                 "<default class='strong'><position kp='50' forcerange='-9 9'/></default></default>"));
  const auto& a = loaded.actuators;
  CHECK((a[0].gain == 50 && a[0].stiffness == 50 && a[0].force_upper == 9 && a[0].ctrl_upper == 1));
  CHECK((a[1].gain == 1 && a[1].stiffness == 0 && a[1].force_upper == 9 && a[1].ctrl_upper == 1));
  CHECK((a[2].gain == 5 && a[2].stiffness == 5 && std::isinf(a[2].force_upper)));
}

TEST_CASE("mjcf actuators: other kinds and transmissions are reported, and refused in strict reading", "[io][mjcf][fast]") {
  const std::string text =
      GENERATE(values<std::string>({"<motor name='x' tendon='t'/>", "<motor name='x' site='s'/>", "<muscle name='x' joint='hip'/>",
                                    "<general name='x' joint='hip' dyntype='filter'/>", "<general name='x' joint='hip' gaintype='muscle'/>",
                                    "<position name='x' joint='hip' dampratio='1'/>", "<general name='x' joint='hip' biastype='user'/>"}));
  CAPTURE(text);
  const std::string both = "<motor joint='knee'/>" + text;
  const Loaded<double> loaded = parse(actuators(both));
  CHECK(loaded.actuators.size() == 1);
  CHECK(has_code(loaded.report.repairs, "actuator.unsupported"));
  CHECK(missing(refusal(actuators(both), true), {"file:4", "'x'", "actuator.unsupported"}) == "");
}

TEST_CASE("mjcf actuators: errors name the line", "[io][mjcf][fast]") {
  CHECK(missing(refusal(actuators("<motor name='x' joint='elbow'/>")), {"file:4", "'x'", "joint 'elbow' is not declared"}) == "");
  CHECK(missing(refusal(actuators("<motor name='x'/>")), {"file:4", "it has no joint"}) == "");
  CHECK(missing(refusal(actuators("<motor joint='hip' ctrlrange='1 -1'/>")), {"file:4", "ctrlrange is '1 -1'"}) == "");
  CHECK(missing(refusal(actuators("<position joint='hip' kp='x'/>")), {"file:4", "kp"}) == "");
  CHECK(missing(refusal(actuators("<motor joint='hip' class='none'/>")), {"class 'none' is not declared"}) == "");
}

TEST_CASE("mjcf actuators: joints that become one joint keep their entries", "[io][mjcf][fast]") {
  const auto place = [](const std::string& joints, const std::string& driven) {
    const Loaded<double> loaded =
        parse("<mujoco><worldbody>" + body("a", joints) + "</worldbody><actuator><motor joint='" + driven + "'/></actuator></mujoco>");
    return loaded.model.v_name(loaded.actuators.at(0).v_index(loaded.model));
  };
  const std::string universal = "<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/>";
  CHECK(place(universal, "x") == "x+y.1");
  CHECK(place(universal, "y") == "x+y.2");
  const std::string cylindrical = "<joint name='s' type='slide' axis='0 0 1'/><joint name='h' axis='0 0 1'/>";
  CHECK(place(cylindrical, "s") == "s+h.length");
  CHECK(place(cylindrical, "h") == "s+h.angle");
  CHECK(place("<joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' axis='0 1 0'/><joint name='h' axis='0 0 1'/>",
              "y") == "y");
}

TEST_CASE("mjcf keyframes: MuJoCo's layout becomes ours", "[io][mjcf][fast]") {
  const std::string text =
      "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint name='root'/>" + ball +
      body("b", "<joint name='knee' axis='0 1 0' ref='30'/>") +
      "</body></worldbody><actuator><motor joint='knee'/><motor site='s'/></actuator>\n"
      "<keyframe><key/>"
      "<key name='home' time='0.5' qpos='1 2 3 1 0 0 1 0.7' qvel='4 5 6 0.1 0.2 0.3 -1' ctrl='8 9'/></keyframe></mujoco>";
  const Loaded<double> loaded = parse(text);
  REQUIRE(loaded.keyframes.size() == 2);
  const State<double>& first = loaded.keyframes[0].state;
  CHECK(first.q == loaded.model.neutral());
  CHECK(first.v.isZero(0));
  CHECK(loaded.keyframes[0].ctrl == VectorX<double>::Zero(1));
  const Keyframe<double>& home = loaded.keyframes[1];
  CHECK(home.name == "home");
  CHECK(home.state.time == 0.5);
  CHECK(home.ctrl == VectorX<double>::Constant(1, 8));  // the other actuator is not supported
  VectorX<double> q(8), v(7);
  const double s = std::sqrt(0.5);
  q << 1, 2, 2, 0, 0, s, s,
      0.7 - detail::pi / 6;  // counts from the body's pose in the file; (x, y, z, w), which MuJoCo makes unit; less ref
  CHECK((home.state.q - q).norm() < 1e-15);
  KinematicsData<double> data(loaded.model);
  forward_kinematics(loaded.model, data, home.state.q, home.state.v);
  CHECK((data.T_WB[1].p - Vector3<double>(1, 2, 3)).norm() < 1e-15);
  CHECK((data.T_WB[1].R * data.V[1].tail<3>() - Vector3<double>(4, 5, 6)).norm() < 1e-14);  // linear in the world
  CHECK((data.V[1].head<3>() - Vector3<double>(0.1, 0.2, 0.3)).norm() < 1e-15);             // angular in the body
  CHECK(home.state.v[6] == -1);

  const Loaded<double> fixed = parse(text, {.base = Base::fixed});
  CHECK(fixed.keyframes[1].state.q.size() == 1);
  CHECK(fixed.keyframes[1].state.q[0] == Approx(0.7 - detail::pi / 6));
  CHECK(fixed.keyframes[1].state.v[0] == -1);
  CHECK(has_code(fixed.report.warnings, "key.base"));
}

TEST_CASE("mjcf keyframes: bases that the reader lets go stay, and joints that became one are found", "[io][mjcf][fast]") {
  const std::string bodies = "<mujoco><worldbody>" +
                             body("base", body("a", "<joint name='s' type='slide' axis='0 0 1'/><joint name='h' axis='0 0 1'/>") +
                                              body("b", "<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/>")) +
                             "</worldbody>";
  const std::string text = bodies + "<keyframe><key name='k' qpos='1 2 3 4' qvel='5 6 7 8'/></keyframe></mujoco>";
  for (const Base base : {Base::fixed, Base::floating}) {
    const Loaded<double> loaded = parse(text, {.base = base});
    const State<double>& x = loaded.keyframes.at(0).state;
    const auto entry = [&](const char* name, const VectorX<double>& of, auto name_of) {
      for (Eigen::Index k = 0; k < of.size(); ++k) {
        if ((loaded.model.*name_of)(k) == name) return of[k];
      }
      return -1.0;
    };
    using M = Model<double>;
    CHECK(entry("s+h.length", x.q, &M::q_name) == 1);
    CHECK(entry("s+h.angle", x.q, &M::q_name) == 2);
    CHECK(entry("x+y.1", x.q, &M::q_name) == 3);
    CHECK(entry("x+y.2", x.q, &M::q_name) == 4);
    CHECK(entry("s+h.length", x.v, &M::v_name) == 5);
    CHECK(entry("s+h.angle", x.v, &M::v_name) == 6);
    CHECK(entry("x+y.2", x.v, &M::v_name) == 8);
    if (base == Base::floating) CHECK(x.q.head<7>() == loaded.model.neutral().head<7>());
  }
}

TEST_CASE("mjcf keyframes: a wrong size is an error with the line", "[io][mjcf][fast]") {
  const auto key = [](const std::string& attributes) {
    return file("<actuator><motor joint='hip'/></actuator>\n<keyframe><key name='k' " + attributes + "/></keyframe>");
  };
  CHECK(missing(refusal(key("qpos='1'")), {"file:4", "key 'k'", "qpos", "has 1 number", "2"}) == "");
  CHECK(missing(refusal(key("qpos='1 2 3'")), {"file:4", "key 'k'", "qpos", "has 3 numbers", "2"}) == "");
  CHECK(missing(refusal(key("qvel='1'")), {"file:4", "qvel"}) == "");
  CHECK(missing(refusal(key("ctrl='1 2'")), {"file:4", "ctrl"}) == "");
  CHECK(missing(refusal(key("qpos='1 nan'")), {"file:4", "qpos"}) == "");
  const std::string zero = "<mujoco><worldbody>" + body("a", "<joint name='j' type='ball'/>") +
                           "</worldbody>\n<keyframe><key qpos='0 0 0 0'/></keyframe></mujoco>";
  CHECK(missing(refusal(zero), {"file:2", "quaternion of joint 'j'"}) == "");
}

TEST_CASE("mjcf: the time step is read", "[io][mjcf][fast]") {
  CHECK(parse(file("", "<option timestep='0.004'/>")).time_step == 0.004);
  CHECK(!parse(file("")).time_step);
  CHECK(missing(refusal(file("", "<option timestep='0'/>")), {"timestep"}) == "");
}

}  // namespace mjcf_actuators_test
