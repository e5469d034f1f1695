// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/urdf.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

template actio::Loaded<double> actio::parse_urdf<double>(std::string_view, const std::string&, const ReadOptions&);
template actio::Loaded<double> actio::read_urdf<double>(const std::string&, const ReadOptions&);

using namespace actio;

namespace urdf_test {

/// Two links, the second of 2 kg on a joint of the first; tests replace parts of it.
std::string pendulum(const std::string& joint = "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>",
                     const std::string& inertial = "<mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>",
                     const std::string& more = "", const std::string& type = "revolute") {
  return "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial>" + inertial +
         "</inertial></link>\n<joint name='hinge' type='" + type + "'><parent link='base'/><child link='arm'/>" + joint + "</joint>\n" +
         more + "</robot>";
}

/// Returns the error message of a refused file; empty if it is accepted.
std::string refusal(const std::string& text, bool strict = false, Base base = Base::fixed) {
  try {
    static_cast<void>(parse_urdf(text, "file", {.strict = strict, .base = base}));
    return {};
  } catch (const ParseError& error) {
    return error.what();
  }
}

/// Returns the first part that a text does not contain; empty if it contains all.
std::string missing(const std::string& text, const std::vector<std::string>& parts) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const std::string& part) { return text.find(part) == std::string::npos; });
  return found == parts.end() ? std::string() : *found;
}

bool has_code(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.code == code; });
}

TEST_CASE("urdf: links and joints become a model", "[io][urdf][fast]") {
  using S = double;
  const auto loaded = parse_urdf<S>(
      pendulum(
          "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>"
          "<dynamics damping='0.5' friction='0.25'/>",
          "<origin xyz='0 0 -1' rpy='0 0 1.5707963267948966'/><mass value='2'/><inertia ixx='3' iyy='4' izz='5' ixy='0' ixz='0' iyz='0'/>"),
      "file");
  const auto& model = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(model.name() == "r");
  CHECK(model.num_bodies() == 2);
  CHECK(model.body_name(1) == "arm");
  CHECK(model.joint_name(1) == "hinge");
  REQUIRE(std::holds_alternative<Revolute<S>>(model.joint(1)));
  CHECK(std::get<Revolute<S>>(model.joint(1)).axis() == Vector3<S>::UnitY());

  const Pose<S> T = model.placement(1);
  const auto about = [](const Vector3<S>& axis, double angle) { return so3::rotation<S>(axis, S(angle)); };
  const Matrix3<S> R = about(Vector3<S>::UnitZ(), 0.3) * about(Vector3<S>::UnitY(), 0.2) * about(Vector3<S>::UnitX(), 0.1);
  CHECK(distance(T, Pose<S>{R, Vector3<S>(1, 2, 3)}) < 10 * epsilon<S>);

  const Inertia<S>& G = model.inertia(1);
  CHECK(G.mass == S(2));
  CHECK(G.com == Vector3<S>(0, 0, -1));
  CHECK((G.I_com - Matrix3<S>(Vector3<S>(4, 3, 5).asDiagonal())).norm() < 20 * epsilon<S>);  // rotated by 90 degrees about z

  const ModelProperties<S>& p = model.properties();
  CHECK(p.lower[0] == S(-1));
  CHECK(p.upper[0] == S(2));
  CHECK(p.effort_limit[0] == S(3));
  CHECK(p.velocity_limit[0] == S(4));
  CHECK(p.damping[0] == S(0.5));
  CHECK(p.friction[0] == S(0.25));
  CHECK(model.enforced() == Enforcement{});
  CHECK(report.repairs.empty());
  CHECK(report.links == 2);
  CHECK(report.joints == std::map<std::string, int>{{"revolute", 1}});
}

TEST_CASE("urdf: violations are repaired and reported, or refused in strict mode", "[io][urdf][fast]") {
  const std::string axis = "<axis xyz='0 1 0'/>", limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";
  const std::string mass = "<mass value='2'/>", moments = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>";
  const std::string inertial = "<inertial>" + mass + moments + "</inertial>";
  const auto [text, code, element] = GENERATE_COPY(table<std::string, std::string, std::string>({
      {"<!-- x --><?xml version='1.0'?>" + pendulum(), "xml.declaration", "declaration"},
      {pendulum() + std::string(1, '\0'), "xml.nul", "NUL"},
      {"<robot xmlns='x' name='r'><link name='base'/></robot>", "xml.namespace", "'x'"},
      {"<robot><link name='base'/></robot>", "name.missing", "robot"},
      {pendulum(axis), "joint.limit", "hinge"},
      {pendulum(axis + "<limit effort='3' velocity='4'/>"), "joint.limit", "hinge"},
      {pendulum(axis + limit, mass + "<inertia ixx='1' ixy='' ixz='0' iyy='1' iyz='0' izz='1'/>"), "number.empty", "arm"},
      {pendulum(axis + limit, mass), "inertia.missing", "arm"},
      {pendulum(axis + limit + "<axis xyz='1 0 0'/>"), "element.duplicate", "hinge"},
      {pendulum(axis + limit, mass + moments + "</inertial><inertial>" + mass + moments), "element.duplicate", "arm"},
      {pendulum(axis + limit, mass + moments, inertial), "element.misplaced", "inertial"},
      {pendulum("<axis xyz='0 0 0'/>", mass + moments, "", "fixed"), "joint.axis", "hinge"},
      {pendulum(axis + limit + "<mimic joint='hinge'/>", mass + moments, "", "fixed"), "joint.mimic", "hinge"},
      {pendulum("", mass + moments, "", "ball"), "joint.type", "hinge"},
      {pendulum(axis + limit, mass + moments, "<joint name='weld' type='fixed'><parent link='world'/><child link='base'/></joint>"),
       "joint.parent", "weld"},
  }));
  CAPTURE(text);
  const LoadReport report = parse_urdf(text, "file").report;
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].code == code);
  CHECK(missing(report.repairs[0].text, {element}) == "");
  CHECK(report.repairs[0].origin.rfind("file:", 0) == 0);
  CHECK(missing(refusal(text, true), {code, element}) == "");
}

TEST_CASE("urdf: doubtful values are accepted and reported", "[io][urdf][fast]") {
  const std::string moving = "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>";
  SECTION("moments against the triangle inequality, refused in strict mode") {
    const std::string text = pendulum(moving, "<mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/>");
    const LoadReport report = parse_urdf(text, "file").report;
    REQUIRE(report.warnings.size() == 1);
    CHECK(report.warnings[0].origin == "file:3");
    CHECK(missing(report.warnings[0].text, {"'arm'", "triangle"}) == "");
    CHECK(missing(refusal(text, true), {"file:3", "'arm'", "triangle"}) == "");
  }
  SECTION("one name for a link and a joint, refused in strict mode") {
    const std::string text = pendulum(moving, "<mass value='0'/>",
                                      "<link name='hinge'/><joint name='j' type='fixed'><parent link='arm'/><child link='hinge'/></joint>");
    CHECK(has_code(parse_urdf(text, "file").report.warnings, "name.shared"));
    CHECK(missing(refusal(text, true), {"'hinge'", "name.shared"}) == "");
  }
  SECTION("moments without mass") {
    CHECK(has_code(parse_urdf(pendulum(moving, "<mass value='0'/><inertia ixx='1' iyy='1' izz='1'/>"), "file").report.warnings,
                   "inertia.mass"));
  }
  SECTION("an axis that is not unit") {
    CHECK(has_code(parse_urdf(pendulum("<axis xyz='0 1 1'/><limit lower='-1' upper='2'/>"), "file").report.warnings, "joint.axis"));
  }
}

TEST_CASE("urdf: errors name line, element and value", "[io][urdf][fast]") {
  const std::string moving = "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>";
  const std::string moments = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>", inertial = "<mass value='2'/>" + moments;
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name='" + name + "' type='fixed'><parent link='" + parent + "'/><child link='" + child + "'/></joint>";
  };
  const auto [text, parts] = GENERATE_COPY(table<std::string, std::vector<std::string>>({
      {"<sdf/>", {"file:1", "<sdf>", "expected <robot>", "SDF"}},
      {"<robot name='r'/>", {"file:1", "'r'", "no links"}},
      {pendulum(moving, inertial, "", "hinge"), {"file:4", "joint 'hinge'", "'hinge'", "revolute, continuous"}},
      {pendulum(moving, inertial, "", ""), {"file:4", "joint 'hinge'", "no type"}},
      {pendulum("<axis xyz='0 0 0'/><limit lower='-1' upper='1'/>"), {"file:4", "joint 'hinge'", "zero length"}},
      {pendulum("<axis xyz='0 1'/>" + moving), {"file:4", "joint 'hinge'", "xyz of <axis> has 2 numbers"}},
      {pendulum("<axis xyz='0 1 0'/><limit lower='1' upper='-1'/>"), {"file:4", "joint 'hinge'", "lower limit 1 ", "-1"}},
      {pendulum("<origin xyz='0 0 nan'/>" + moving), {"file:4", "joint 'hinge'", "'nan' is not finite"}},
      {pendulum("<origin xyz='0 0 1e200'/>" + moving), {"file:4", "joint 'hinge'", "implausibly large"}},
      {pendulum(moving + "<dynamics damping='-1'/>"), {"file:4", "joint 'hinge'", "damping -1"}},
      {pendulum(moving + "<parent link='arm'/>"), {"file:4", "joint 'hinge'", "a second <parent>"}},
      {pendulum(moving + "<mimic joint='nope'/>"), {"file:4", "joint 'hinge'", "'nope'"}},
      {pendulum(moving + "<mimic joint='hinge'/>"), {"file:4", "joint 'hinge'", "mimics itself"}},
      {pendulum(moving + "<mimic joint='hinge' multiplier='x'/>"), {"file:4", "joint 'hinge'", "'x' is not a number"}},
      {pendulum(moving, "<mass value='-1'/>" + moments), {"file:3", "link 'arm'", "mass -1"}},
      {pendulum(moving, "<mass value='1e400'/>" + moments), {"file:3", "link 'arm'", "'1e400' is out of range"}},
      {pendulum(moving, "<mass/>" + moments), {"file:3", "link 'arm'", "<mass> has no value"}},
      {pendulum(moving, moments), {"file:3", "link 'arm'", "has no <mass>"}},
      {pendulum(moving, "<mass value='1'/><inertia ixx='1' iyy='1'/>"), {"file:3", "link 'arm'", "no izz"}},
      {pendulum(moving, "<mass value='1'/><inertia ixx='1' iyy='1' izz='-1'/>"), {"file:3", "link 'arm'", "principal moment -1 "}},
      {pendulum(moving, inertial, "<link name='arm'/>"), {"file:5", "'arm'", "the other at file:3"}},
      {pendulum(moving, inertial, "<link/>"), {"file:5", "a link has no name"}},
      {pendulum(moving, inertial, "<link name='lost'/>"), {"'lost'", "'base'", "root"}},
      {pendulum(moving, inertial, joint("hinge", "arm", "base")), {"file:5", "'hinge'", "the other at file:4"}},
      {pendulum(moving, inertial, joint("j", "arm", "base")), {"cycle", "'j'", "'hinge'"}},
      {pendulum(moving, inertial, joint("j", "base", "arm")), {"file:5", "'arm' is the child of two joints", "'j'", "'hinge'"}},
      {pendulum(moving, inertial, joint("j", "arm", "ghost")), {"file:5", "joint 'j'", "'ghost' is not declared"}},
      {pendulum(moving, inertial, joint("j", "ghost", "arm")), {"file:5", "joint 'j'", "'ghost' is not declared"}},
      {pendulum(moving, inertial, joint("j", "arm", "arm")), {"file:5", "'j'", "'arm'"}},
      {pendulum(moving, inertial, joint("j", "", "base")), {"file:5", "joint 'j'", "<parent> names no link"}},
      {pendulum(moving, inertial, "<joint name='j' type='fixed'><parent link='arm'/></joint>"), {"file:5", "joint 'j'", "no <child>"}},
      {pendulum(moving, inertial, joint("j", "arm", "world")), {"file:5", "joint 'j'", "'world'"}},
      {pendulum(moving, inertial, "<link name='world'/>"), {"file:5", "'world'", "the parent of no joint"}},
      {"<robot name='r'><link name='world'/>\n<link name='world'/></robot>", {"file:2", "two links named 'world'"}},
  }));
  CAPTURE(text);
  for (const bool strict : {false, true}) {
    const std::string message = refusal(text, strict);
    CAPTURE(strict, message);
    CHECK(missing(message, parts) == "");
  }
}

TEST_CASE("urdf: all errors are reported at once", "[io][urdf][fast]") {
  const std::string message = refusal(
      "<robot name='r'>\n<link name='a'><inertial><mass value='x'/></inertial></link>\n<link name='b'><inertial><mass "
      "value='-3'/></inertial></link>\n"
      "<joint name='j' type='hinge'><parent link='a'/><child link='c'/><origin xyz='1' rpy='nan 0 0'/></joint>\n</robot>");
  CHECK(missing(message, {"file:2: link 'a'", "'x' is not a number"}) == "");
  CHECK(missing(message, {"file:3: link 'b'", "mass -3"}) == "");
  CHECK(missing(message, {"unknown type 'hinge'", "has 1 number, expected 3", "'nan' is not finite", "'c' is not declared"}) == "");
  CHECK(std::count(message.begin(), message.end(), '\n') == 5);
}

TEST_CASE("urdf: numbers with millions of digits and thousands of errors give a short message", "[io][urdf][fast]") {
  CHECK(refusal(pendulum("", "<mass value='" + std::string(1'000'000, '9') + "'/>")).size() < 300);
  std::string joints;
  for (int k = 0; k < 5'000; ++k) joints += "<joint name='j" + std::to_string(k) + "' type='x'/>";
  CHECK(refusal("<robot name='r'><link name='a'/>" + joints + "</robot>").size() < 21'000);
}

TEST_CASE("urdf: links without inertia are massless, and links on fixed joints are merged", "[io][urdf][fast]") {
  const auto loaded = parse_urdf(
      pendulum("<axis xyz='0 1 0'/><limit lower='-1' upper='1'/>", "<mass value='2'/>",
               "<link name='tool'/><joint name='weld' type='fixed'><parent link='arm'/><child link='tool'/><origin xyz='0 0 1'/></joint>"),
      "file");
  CHECK(loaded.model.num_bodies() == 2);
  CHECK(loaded.model.mass() == 2);
  const Frame<double>& tool = loaded.model.find_frame("tool");
  CHECK(tool.body == loaded.model.find_body("arm"));
  CHECK(tool.T_BF.p == Vector3<double>(0, 0, 1));
}

TEST_CASE("urdf: the link 'world' is the world", "[io][urdf][fast]") {
  const std::string joint = "<joint name='j' type='continuous'><parent link='world'/><child link='arm'/><origin xyz='0 0 1'/></joint>";
  const std::string declared =
      "<robot name='r'><link name='world'><inertial><mass value='5'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
      "<link name='arm'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>" +
      joint + "</robot>";
  const auto loaded = parse_urdf(declared, "file");
  const auto& model = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(model.num_bodies() == 2);
  CHECK(model.parent(1) == 0);
  CHECK(model.mass() == 7);  // the mass of the link 'world' is fixed to the world
  CHECK(report.repairs.empty());
  CHECK(missing(refusal(declared, false, Base::floating), {"floating base", "joint 'j' of type 'continuous' attaches", "'world'"}) == "");
}

TEST_CASE("urdf: a floating base frees a robot that a single fixed joint attaches to the world", "[io][urdf][fast]") {
  const std::string links =
      "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='2'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial></link>";
  const std::string weld = "<joint name='w' type='fixed'><parent link='world'/><child link='arm'/><origin xyz='0 0 1'/></joint>";
  const auto loaded = parse_urdf(links + weld + "</robot>", "file", {.base = Base::floating});
  const auto& model = loaded.model;
  const auto& report = loaded.report;
  REQUIRE(model.nv() == 6);
  CHECK(model.joint_name(1) == "base");
  CHECK(report.floating == 1);
  CHECK(model.placement(1).p == Vector3<double>(0, 0, 1));
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0].code == "base.freed");
  CHECK(missing(report.warnings[0].text, {"joint 'w'", "a free joint takes its place"}) == "");
  CHECK(parse_urdf(links + weld + "</robot>", "file").model.nv() == 0);
  const std::string two =
      links + weld + "<link name='table'/><joint name='t' type='fixed'><parent link='world'/><child link='table'/></joint></robot>";
  CHECK(missing(refusal(two, false, Base::floating), {"joint 'w' and 1 more attach the robot to 'world'"}) == "");
}

TEST_CASE("urdf: a floating base makes the joints on a root without inertia superfluous", "[io][urdf][fast]") {
  const auto robot = [](const std::string& of_base, const std::string& more) {
    const std::string mass = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    const auto joint = [](const std::string& name, const std::string& type, const std::string& parent, const std::string& child) {
      return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
             "'/><origin xyz='0 0 1'/></joint>";
    };
    return "<robot name='r'><link name='base'>" + of_base + "</link><link name='mark'/><link name='slider'/><link name='torso'>" + mass +
           "</link><link name='leg'>" + mass + "</link>" + joint("m", "fixed", "base", "mark") + joint("x", "prismatic", "base", "slider") +
           joint("turn", "continuous", "slider", "torso") + joint("hip", "continuous", "torso", "leg") + more + "</robot>";
  };
  const ReadOptions floating{.base = Base::floating, .fix_idle_joints = true};
  const auto loaded = parse_urdf(robot("", ""), "file", floating);
  const auto& model = loaded.model;
  const auto& report = loaded.report;
  REQUIRE(model.num_bodies() == 3);
  CHECK(model.nv() == 7);
  CHECK(report.dof == 1);
  CHECK(model.joint_name(2) == "hip");
  CHECK(model.find_frame("torso").T_BF.p == Vector3<double>(0, 0, 2));
  CHECK(report.warnings.size() == 2);
  CHECK((report.warnings[0].code == "base.idle" && missing(report.warnings[0].text, {"joint 'x'"}) == ""));
  CHECK(parse_urdf(robot("", ""), "file", {.base = Base::floating}).model.nv() == 9);
  CHECK(parse_urdf(robot("", ""), "file", {.fix_idle_joints = true}).model.nv() == 3);
  const std::string shape = "<collision><geometry><sphere radius='1'/></geometry></collision>";
  CHECK(parse_urdf(robot(shape, ""), "file", floating).model.nv() == 9);
  const std::string second = "<link name='arm'/><joint name='s' type='continuous'><parent link='mark'/><child link='arm'/></joint>";
  CHECK(parse_urdf(robot("", second), "file", floating).model.nv() == 10);
  const std::string loop = "<loop_joint name='l' type='ball'><link1 link='base' xyz='0 0 0'/><link2 link='leg' xyz='0 0 0'/></loop_joint>";
  CHECK(parse_urdf(robot("", loop), "file", floating).model.nv() == 9);
}

TEST_CASE("urdf: a floating base moves the root link", "[io][urdf][fast]") {
  const auto loaded = parse_urdf(pendulum(), "file", {.base = Base::floating});
  CHECK(loaded.model.nv() == 7);
  CHECK(loaded.model.body_name(1) == "base");
  CHECK(loaded.model.joint_name(1) == "base");
  const auto taken = parse_urdf(
      "<robot name='r'><link name='a'/><link name='b'/><joint name='base' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
      "file", {.base = Base::floating});
  CHECK(taken.model.joint_name(1) == "floating_base");
}

TEST_CASE("urdf: collision shapes and frames are recorded, and mesh files are not opened", "[io][urdf][fast]") {
  const auto collision = [](const std::string& name, const std::string& geometry) {
    return "<collision" + name + "><origin xyz='1 0 0'/><geometry>" + geometry + "</geometry></collision>";
  };
  const std::string text = "<robot name='r'><link name='a'>" + collision("", "<sphere radius='0.5'/>") +
                           collision(" name='case'", "<box size='1 2 3'/>") + collision("", "<cylinder radius='1' length='2'/>") +
                           collision("", "<capsule radius='1' length='2'/>") +
                           collision("", "<mesh filename='package://no/such.stl' scale='1 1 1'/>") + collision("", "<cone/>") +
                           "<visual/></link>" + "<frame name='grip' link='a' xyz='0 0 1' rpy='0 0 0'/></robot>";
  const auto loaded = parse_urdf(text, "file");
  const auto& model = loaded.model;
  const LoadReport& report = loaded.report;
  REQUIRE(model.shapes().size() == 5);
  CHECK(std::get<Sphere<double>>(model.shapes()[0].geometry).radius == 0.5);
  CHECK(model.shapes()[0].name == "a");
  CHECK(model.shapes()[0].T_BS.p == Vector3<double>(1, 0, 0));
  CHECK(std::get<Box<double>>(model.shapes()[1].geometry).size == Vector3<double>(1, 2, 3));
  CHECK(model.shapes()[1].name == "case");
  CHECK(std::get<Cylinder<double>>(model.shapes()[2].geometry).length == 2);
  CHECK(std::get<Capsule<double>>(model.shapes()[3].geometry).radius == 1);
  CHECK(std::get<MeshFile>(model.shapes()[4].geometry).uri == "package://no/such.stl");
  CHECK(model.find_frame("grip").T_BF.p == Vector3<double>(0, 0, 1));
  REQUIRE(report.warnings.size() == 1);
  CHECK(missing(report.warnings[0].text, {"'a'", "<cone>"}) == "");
  CHECK(report.ignored == std::map<std::string, int>{{"link/visual", 1}});
  CHECK(missing(refusal("<robot name='r'><link name='a'>" + collision("", "<box size='1 2'/>") + "</link></robot>"),
                {"link 'a'", "size of <box> has 2 numbers"}) == "");
}

TEST_CASE("urdf: elements without effect are counted", "[io][urdf][fast]") {
  const auto report =
      parse_urdf(pendulum("<limit lower='-1' upper='1' jerk='7'/><safety_controller/><axis xyz='1 0 0'/>", "<mass value='0'/>",
                          "<gazebo><a/><b/></gazebo><gazebo/><transmission/><drake:collision_filter_group/><frame/>"),
                 "file")
          .report;
  CHECK(report.ignored == std::map<std::string, int>{{"gazebo", 2},
                                                     {"transmission", 1},
                                                     {"drake:collision_filter_group", 1},
                                                     {"frame", 1},
                                                     {"joint/safety_controller", 1},
                                                     {"limit@jerk", 1}});
  std::ostringstream text;
  text << report;
  CHECK(missing(text.str(), {"gazebo x2"}) == "");
}

TEST_CASE("urdf: mimic joints become couplings", "[io][urdf][fast]") {
  const std::string text = pendulum("<limit lower='-1' upper='1'/>", "<mass value='1'/>",
                                    "<link name='tip'/><joint name='follower' type='prismatic'><parent link='arm'/><child link='tip'/>"
                                    "<limit lower='0' upper='1'/><mimic joint='hinge' multiplier='-2' offset='0.5'/></joint>");
  const auto model = parse_urdf(text, "file").model;
  REQUIRE(model.couplings().size() == 1);
  const Coupling<double>& coupling = model.couplings()[0];
  CHECK(coupling.name == "follower");
  CHECK(coupling.leader_body == model.find_joint("hinge"));
  CHECK(coupling.follower_body == model.find_joint("follower"));
  CHECK(coupling.ratio == -2);
  CHECK(coupling.offset == 0.5);
  CHECK(coupling.active);
  CHECK(model.nv() == 2);
  CHECK(model.dof() == 1);
}

TEST_CASE("urdf: <loop_joint> closes a loop, in both dialects", "[io][urdf][fast]") {
  const auto with_loop = [](const std::string& attributes, const std::string& inside) {
    return "<robot name='r'><link name='o'/><link name='a'/><link name='b'/>"
           "<joint name='oa' type='continuous'><parent link='o'/><child link='a'/></joint><joint name='ob' type='continuous'><parent "
           "link='o'/><child link='b'/></joint>"
           "<loop_joint name='ab'" +
           attributes + ">" + inside + "</loop_joint></robot>";
  };
  const std::string links = "<link1 link='a' xyz='0 0 -1'/><link2 link='b' xyz='0 1 0' rpy='0 0 3.141592653589793'/>";
  SECTION("without a type it is a hinge, about x unless said") {
    const auto model = parse_urdf(with_loop("", links + "<axis xyz='0 0 2'/>"), "file").model;
    REQUIRE(model.loops().size() == 1);
    const Loop<double>& loop = model.loops()[0];
    CHECK(loop.name == "ab");
    CHECK(loop.type == LoopType::revolute);
    CHECK(loop.axis == Vector3<double>::UnitZ());
    CHECK(loop.body_a == model.find_body("a"));
    CHECK(loop.body_b == model.find_body("b"));
    CHECK(loop.T_A.p == Vector3<double>(0, 0, -1));
    CHECK((loop.T_B.R - Matrix3<double>(Vector3<double>(-1, -1, 1).asDiagonal())).norm() < 1e-15);
    CHECK(loop.active);
    CHECK(parse_urdf(with_loop("", links), "file").model.loops()[0].axis == Vector3<double>::UnitX());
  }
  SECTION("with a type") {
    const auto [name, type] = GENERATE(table<std::string, LoopType>({{"continuous", LoopType::revolute},
                                                                     {"ball", LoopType::ball},
                                                                     {"fixed", LoopType::fixed},
                                                                     {"prismatic", LoopType::prismatic},
                                                                     {"planaraxis", LoopType::planar},
                                                                     {"cylindricalfree", LoopType::point_on_line}}));
    CHECK(parse_urdf(with_loop(" type='" + name + "'", links + "<dynamics damping='1'/>"), "file").model.loops()[0].type == type);
  }
  SECTION("broken") {
    CHECK(missing(refusal(with_loop(" type='hinge'", links)), {"'ab'", "'hinge'", "revolute"}) == "");
    CHECK(missing(refusal(with_loop("", "<link1 link='a'/>")), {"'ab'", "<link2>"}) == "");
    CHECK(missing(refusal(with_loop("", "<link1 link='a'/><link2 link='ghost'/>")), {"'ab'", "'ghost'"}) == "");
    CHECK(missing(refusal(with_loop("", "<link1 link='a'/><link2 link='a'/>")), {"'ab'", "one rigid body"}) == "");
    CHECK(missing(refusal(with_loop("", links + "<axis xyz='0 0 0'/>")), {"'ab'", "zero length"}) == "");
  }
}

}  // namespace urdf_test
