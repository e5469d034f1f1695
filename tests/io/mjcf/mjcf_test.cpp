// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/mjcf.hpp"

#include <limits>
#include <string>
#include <vector>

#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

template actio::Loaded<double> actio::parse_mjcf<double>(std::string_view, const std::string&, const ReadOptions&);
template actio::Loaded<double> actio::read_mjcf<double>(const std::string&, const ReadOptions&);

namespace mjcf_test {

using namespace actio;
using test::has_code;
using test::missing;
using test::pose;
using test::pose_of;

const std::string ball = "<geom type='sphere' size='0.1' mass='1'/>";

std::string file(const std::string& bodies, const std::string& before = "", const std::string& after = "") {
  return "<mujoco model='m'>\n" + before + "<worldbody>\n" + bodies + "</worldbody>\n" + after + "</mujoco>";
}
std::string body(const std::string& name, const std::string& inside, const std::string& attributes = "") {
  return "<body name='" + name + "' " + attributes + ">" + inside + "</body>\n";
}
Loaded<double> parse(const std::string& text, const ReadOptions& options = {}) { return parse_mjcf(text, "file", options); }
std::string refusal(const std::string& text, bool strict = false) {
  return test::refusal<ParseError>([&] { return parse(text, {.strict = strict}); });
}
std::string lacking(const std::string& text, const std::vector<std::string_view>& parts) {
  std::string all;
  for (const std::string_view part : parts) all += missing(text, {part});
  return all;
}
Pose<double> placed(const std::string& attributes, const std::string& compiler = "") {
  return parse(file(body("a", ball, attributes), compiler)).model.find_frame("a").T_BF;
}

TEST_CASE("mjcf: bodies and joints become a model", "[io][mjcf][fast]") {
  const auto loaded =
      parse(file(body("a",
                      "<joint name='j' pos='0 0 0.5' axis='0 2 0' range='-90 45' damping='0.5' armature='0.1' frictionloss='0.2' "
                      "stiffness='3' springref='18'/><inertial pos='0 0 -1' mass='2' diaginertia='3 4 5' quat='1 0 0 1'/>",
                      "pos='1 2 3' euler='10 0 0'"),
                 "<option gravity='0 0 -1' timestep='0.1'/>"));
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(m.name() == "m");
  REQUIRE(m.num_bodies() == 2);
  CHECK(m.body_name(1) == "a");
  CHECK(m.joint_name(1) == "j");
  CHECK(m.gravity() == Vector3<double>(0, 0, -1));
  CHECK(std::get<Revolute<double>>(m.joint(1)).axis() == Vector3<double>::UnitY());
  const Pose<double> T = pose(1, 2, 3, 10 * detail::one_degree), P = pose(0, 0, 0.5);
  CHECK(distance(pose_of(m, "a", m.neutral()), T) < 1e-15);
  VectorX<double> q(1);
  q << 0.6;
  CHECK(distance(pose_of(m, "a", q), T * P * pose(0, 0, 0, 0, 0.6, 0) * P.inverse()) < 1e-15);
  const Inertia<double>& G = m.inertia(1);
  CHECK((G.com - Vector3<double>(0, 0, -1.5)).norm() < 1e-15);
  CHECK((G.I_com - Matrix3<double>(Vector3<double>(4, 3, 5).asDiagonal())).norm() < 1e-14);
  const ModelProperties<double>& p = m.properties();
  CHECK(p.lower[0] == Approx(-detail::pi / 2));
  CHECK(p.upper[0] == Approx(detail::pi / 4));
  CHECK(p.damping[0] == 0.5);
  CHECK(p.armature[0] == 0.1);
  CHECK(p.friction[0] == 0.2);
  CHECK(p.stiffness[0] == 3);
  CHECK(p.rest[0] == Approx(0.1 * detail::pi));
  CHECK(report.joints == std::map<std::string, int>{{"hinge", 1}});
  CHECK(loaded.time_step == 0.1);
}

TEST_CASE("mjcf: orientations are read in all notations, in degrees by default", "[io][mjcf][fast]") {
  const double d = detail::one_degree;
  CHECK(distance(placed("pos='1 2 3' quat='2 0 0 2'"), pose(1, 2, 3, 0, 0, 90 * d)) < 1e-15);
  CHECK(distance(placed("axisangle='0 2 0 30'"), pose(0, 0, 0, 0, 30 * d)) < 1e-15);
  CHECK(distance(placed("xyaxes='0 1 0 -1 3 0'"), pose(0, 0, 0, 0, 0, 90 * d)) < 1e-15);
  CHECK(distance(placed("zaxis='0 -2 0'"), pose(0, 0, 0, 90 * d)) < 1e-15);
  CHECK(distance(placed("zaxis='0 0 -1'"), pose(0, 0, 0, 180 * d)) < 1e-15);
  const Matrix3<double> X = pose(0, 0, 0, 10 * d).R, Y = pose(0, 0, 0, 0, 20 * d).R, Z = pose(0, 0, 0, 0, 0, 30 * d).R;
  CHECK((placed("euler='10 20 30'").R - X * Y * Z).norm() < 1e-15);
  CHECK((placed("euler='10 20 30'", "<compiler eulerseq='XYZ'/>").R - Z * Y * X).norm() < 1e-15);
  CHECK((placed("euler='30 20 10'", "<compiler eulerseq='zyx'/>").R - Z * Y * X).norm() < 1e-15);
  CHECK((placed("euler='0.1 0.2 0.3'", "<compiler angle='radian'/>").R -
         pose(0, 0, 0, 0.1).R * pose(0, 0, 0, 0, 0.2).R * pose(0, 0, 0, 0, 0, 0.3).R)
            .norm() < 1e-15);
}

TEST_CASE("mjcf: defaults are inherited by class, and by childclass", "[io][mjcf][fast]") {
  const std::string defaults =
      "<default><joint damping='1' armature='0.5'/><default class='x'><joint damping='2' axis='1 0 0'/><default class='y'><joint "
      "damping='3'/></default></default></default>";
  const auto m =
      parse(file(body("a", "<joint name='a'/>" + ball +
                               body("b",
                                    "<joint name='b'/>" + ball + body("c", "<joint name='c' class='y' armature='0.25'/>" + ball) +
                                        body("d", "<joint name='d' class='main'/>" + ball),
                                    "childclass='x'")),
                 defaults))
          .model;
  const auto at = [&](const char* name) { return m.v_index(m.find_joint(name)); };
  const auto axis = [&](const char* name) { return std::get<Revolute<double>>(m.joint(m.find_joint(name))).axis(); };
  const ModelProperties<double>& p = m.properties();
  CHECK(p.damping[at("a")] == 1);
  CHECK(p.damping[at("b")] == 2);
  CHECK(p.damping[at("c")] == 3);
  CHECK(p.damping[at("d")] == 1);
  CHECK(p.armature[at("b")] == 0.5);
  CHECK(p.armature[at("c")] == 0.25);
  CHECK(axis("a") == Vector3<double>::UnitZ());
  CHECK(axis("b") == Vector3<double>::UnitX());
  CHECK(axis("c") == Vector3<double>::UnitX());
  const auto twice = parse(file(body("a", "<joint/>" + ball),
                                "<default><joint damping='1' armature='1'/></default><default><joint damping='2'/></default>"))
                         .model;
  CHECK(twice.properties().damping[0] == 2);  // the later value is used
  CHECK(twice.properties().armature[0] == 1);
}

TEST_CASE("mjcf: limits are active if declared limited, or by autolimits", "[io][mjcf][fast]") {
  const auto lower = [](const std::string& attributes, const std::string& compiler = "") {
    return parse(file(body("a", "<joint " + attributes + "/>" + ball), compiler)).model.properties().lower[0];
  };
  const double infinity = std::numeric_limits<double>::infinity(), degree = detail::one_degree;
  CHECK(lower("range='-1 1'") == Approx(-degree));
  CHECK(lower("range='-1 1' limited='false'") == -infinity);
  CHECK(lower("range='-1 1' limited='true'", "<compiler autolimits='false'/>") == Approx(-degree));
  CHECK(lower("range='-1 1'", "<compiler autolimits='false'/>") == -infinity);
  CHECK(lower("type='slide' range='-1 1' ref='0.25'") == -1.25);
  CHECK(lower("range='-1 1'", "<compiler angle='radian'/>") == -1);
  CHECK(lower("") == -infinity);
}

TEST_CASE("mjcf: inertia is read or computed from geoms, as the compiler element demands", "[io][mjcf][fast]") {
  const auto mass = [](const std::string& inside, const std::string& compiler = "") {
    return parse(file(body("a", "<joint/>" + inside), compiler)).model.mass();
  };
  const std::string inertial = "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>";
  CHECK(mass("<geom size='0.1'/>") == Approx(4000 * detail::pi / 3 * 1e-3));
  CHECK(mass("<geom size='0.1' density='1'/>") == Approx(4 * detail::pi / 3 * 1e-3));
  CHECK(mass(ball + inertial) == 3);
  CHECK(mass(ball + inertial, "<compiler inertiafromgeom='true'/>") == 1);
  CHECK(mass(ball, "<compiler inertiafromgeom='false'/>") == 0);
  CHECK(mass(ball + "<geom size='1' group='4'/>", "<compiler inertiagrouprange='0 3'/>") == 1);
  CHECK(mass(ball, "<compiler boundmass='5'/>") == 5);
  CHECK(mass(ball, "<compiler settotalmass='7'/>") == 7);
  const auto moments = [](const std::string& diagonal, const std::string& compiler) {
    return parse(file(body("a", "<joint/><inertial pos='0 0 0' mass='1' diaginertia='" + diagonal + "'/>"), compiler))
        .model.inertia(1)
        .principal_moments();
  };
  CHECK((moments("1 2 6", "<compiler balanceinertia='true'/>") - Vector3<double>::Constant(3)).norm() < 1e-14);
  CHECK((moments("1 2 3", "<compiler balanceinertia='true'/>") - Vector3<double>(1, 2, 3)).norm() < 1e-14);
  CHECK((moments("1 2 3", "<compiler boundinertia='2.5'/>") - Vector3<double>(2.5, 2.5, 3)).norm() < 1e-14);
  const auto mesh = parse(file(body("a", "<joint/><geom type='mesh' mesh='k'/>"), "<asset><mesh name='k' file='k.stl'/></asset>"));
  CHECK(has_code(mesh.report.warnings, "inertia.mesh"));
  CHECK(std::get<MeshFile>(mesh.model.shapes()[0].geometry).uri == "k.stl");
}

TEST_CASE("mjcf: geoms with collisions become shapes", "[io][mjcf][fast]") {
  const auto m = parse(
      file("<geom type='plane' size='1 1 1' pos='0 0 0.5'/>" +
           body("a",
                "<geom name='s' size='0.1'/><geom type='capsule' size='0.1 0.2'/><geom type='cylinder' size='0.1' fromto='0 0 0 0 0 -3'/>"
                "<geom type='box' size='1 2 3'/><geom size='1' contype='0' conaffinity='0'/>",
                "pos='0 0 1'")));
  REQUIRE(m.model.shapes().size() == 5);
  const auto& shapes = m.model.shapes();
  CHECK(std::holds_alternative<HalfSpace>(shapes[0].geometry));
  CHECK(shapes[0].T_BS.p == Vector3<double>(0, 0, 0.5));
  CHECK(shapes[1].name == "s");
  CHECK(shapes[2].name == "a");
  CHECK(shapes[1].T_BS.p == Vector3<double>(0, 0, 1));  // the body is fixed to the world
  CHECK(std::get<Capsule<double>>(shapes[2].geometry).length == 0.4);
  CHECK(std::get<Cylinder<double>>(shapes[3].geometry).length == 3);
  CHECK(shapes[3].T_BS.p == Vector3<double>(0, 0, -0.5));
  CHECK(std::get<Box<double>>(shapes[4].geometry).size == Vector3<double>(2, 4, 6));
  CHECK(m.report.ignored.at("geom without contact") == 1);
}

TEST_CASE("mjcf: contype, conaffinity and <exclude> say which bodies may touch", "[io][mjcf][fast]") {
  const auto loaded =
      parse(file(body("a", "<geom size='1' contype='2' conaffinity='4'/>") + body("b", "<geom size='1' contype='8' conaffinity='2'/>") +
                     body("c", "<geom size='1' contype='8' conaffinity='0'/>"),
                 "", "<contact><exclude body1='a' body2='b'/><exclude body1='a' body2='x'/><pair geom1='g' geom2='h'/></contact>"));
  const auto& m = loaded.model;
  const auto& report = loaded.report;
  const auto& shapes = m.shapes();
  REQUIRE(shapes.size() == 3);
  CHECK(shapes[0].filter == ContactFilter{2, 4});
  CHECK(shapes[0].filter.may_touch(shapes[1].filter));
  CHECK(!shapes[1].filter.may_touch(shapes[2].filter));
  CHECK(parse(file(body("a", ball))).model.shapes()[0].filter == ContactFilter{1, 1});
  REQUIRE(report.passing.size() == 1);
  CHECK(report.passing[0] == std::pair<std::string, std::string>("a", "b"));
  CHECK(has_code(report.repairs, "exclude.body"));
  CHECK(report.ignored.at("contact/pair") == 1);
}

TEST_CASE("mjcf: several joints of a body become one of our joints or a chain", "[io][mjcf][fast]") {
  const auto read = [](const std::string& joints, const std::string& after = "") {
    return parse(file(body("a", joints + ball, "pos='0 0 1' euler='20 30 40'"), "", after)).model;
  };
  const Pose<double> T = pose(0, 0, 1) * Pose<double>{placed("euler='20 30 40'").R, Vector3<double>::Zero()};
  const auto moved = [&](const Model<double>& m, std::initializer_list<double> values) {
    VectorX<double> q(m.nq());
    std::copy(values.begin(), values.end(), q.begin());
    return T.inverse() * pose_of(m, "a", q);
  };
  SECTION("two hinges at one point") {
    const auto m = read("<joint name='x' axis='1 0 0' pos='0.1 0 0' damping='1'/><joint name='y' axis='0 1 0' pos='0.1 0 0' damping='2'/>");
    CHECK(std::holds_alternative<Universal<double>>(m.joint(1)));
    CHECK(m.properties().damping == Vector2<double>(1, 2));
    const Pose<double> P = pose(0.1, 0, 0);
    CHECK(distance(moved(m, {0.3, 0.4}), P * pose(0, 0, 0, 0.3) * pose(0, 0, 0, 0, 0.4) * P.inverse()) < 1e-15);
  }
  SECTION("two hinges apart") {
    const auto m = read("<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0' pos='0.1 0 0.2'/>");
    CHECK(m.num_bodies() == 3);
    CHECK(m.joint_name(2) == "y");
    const Pose<double> P = pose(0.1, 0, 0.2);
    CHECK(distance(moved(m, {0.3, 0.4}), pose(0, 0, 0, 0.3) * P * pose(0, 0, 0, 0, 0.4) * P.inverse()) < 1e-15);
  }
  SECTION("a slide and a hinge along it") {
    const auto m = read("<joint name='s' type='slide' axis='0 0 1' range='-1 2'/><joint name='h' axis='0 0 1' pos='0.1 0 0'/>");
    CHECK(std::holds_alternative<Cylindrical<double>>(m.joint(1)));
    CHECK(m.properties().lower[1] == -1);
    const Pose<double> P = pose(0.1, 0, 0);
    CHECK(distance(moved(m, {0.3, 0.4}), pose(0, 0, 0.4) * P * pose(0, 0, 0, 0, 0, 0.3) * P.inverse()) < 1e-15);
  }
  SECTION("two slides and a hinge across") {
    const std::string slides = "<joint name='s' type='slide' axis='1 0 0'/><joint name='t' type='slide' axis='0 0 -1'/>";
    const auto m = read(slides + "<joint name='h' axis='0 1 0' pos='0.1 0 0'/>");
    CHECK(std::holds_alternative<Planar<double>>(m.joint(1)));
    const Pose<double> P = pose(0.1, 0, 0);
    CHECK(distance(moved(m, {0.3, 0.4, 0.5}), pose(0.3, 0, -0.4) * P * pose(0, 0, 0, 0, 0.5) * P.inverse()) < 1e-15);
    CHECK(read(slides + "<joint name='h' axis='0 1 0' armature='1'/>").num_bodies() == 4);  // planar joints have no rotors
  }
  SECTION("joints with a coupling stay separate") {
    const auto m = read("<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/>",
                        "<equality><joint joint1='y' joint2='x' polycoef='0.5 2 0 0 0'/></equality>");
    CHECK(m.num_bodies() == 3);
    REQUIRE(m.couplings().size() == 1);
    CHECK(m.couplings()[0].name == "y");
    CHECK(m.couplings()[0].ratio == 2);
    CHECK(m.couplings()[0].offset == 0.5);
  }
  SECTION("unnamed joints are named after the body") {
    const auto m = read("<joint type='ball' pos='0 0 0.2' damping='2'/>");
    CHECK(m.joint_name(1) == "a");
    CHECK(m.properties().damping == Vector3<double>::Constant(2));
    VectorX<double> q(4);
    q << std::sin(0.2), 0, 0, std::cos(0.2);
    const Pose<double> P = pose(0, 0, 0.2);
    CHECK(distance(T.inverse() * pose_of(m, "a", q), P * pose(0, 0, 0, 0.4) * P.inverse()) < 1e-15);
  }
}

TEST_CASE("mjcf: bases float where they are free, unless fixed by an option", "[io][mjcf][fast]") {
  const std::string free_one = file(body("a", "<freejoint name='root'/>" + ball, "pos='1 2 3' euler='10 20 30'")),
                    welded = file(body("a", ball, "pos='1 2 3'"));
  const auto loaded = parse(free_one);
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(m.nv() == 6);
  CHECK(m.joint_name(1) == "root");
  CHECK(report.floating == 1);
  CHECK(report.dof == 0);
  CHECK(distance(pose_of(m, "a", m.neutral()), Pose<double>{placed("euler='10 20 30'").R, Vector3<double>(1, 2, 3)}) < 1e-15);
  CHECK(parse(free_one, {.base = Base::fixed}).model.nv() == 0);
  CHECK(parse(welded).model.nv() == 0);
  CHECK(parse(welded, {.base = Base::floating}).model.nv() == 6);
  const auto hung = test::refusal<ParseError>([&] { return parse(file(body("a", "<joint/>" + ball)), {.base = Base::floating}); });
  CHECK(missing(hung, {"floating base"}) == "");
}

TEST_CASE("mjcf: frames transform their contents", "[io][mjcf][fast]") {
  const auto m =
      parse(file("<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>" + body("a", ball, "pos='0 0 1'") + "</frame></frame>")).model;
  CHECK(distance(m.find_frame("a").T_BF, pose(1, 1, 1, 0, 0, 90 * detail::one_degree)) < 1e-15);
}

TEST_CASE("mjcf: equalities close loops", "[io][mjcf][fast]") {
  const std::string bodies = body("a", "<joint name='ja'/>" + ball, "pos='1 0 0' euler='0 0 30'") +
                             body("b", "<joint type='ball'/>" + ball, "pos='0 1 0' euler='20 0 0'");
  const auto loop_of = [&](const std::string& equality, const std::string& before = "") {
    const auto m = parse(file(bodies, before, "<equality>" + equality + "</equality>")).model;
    REQUIRE(m.loops().size() == 1);
    return m.loops()[0];
  };
  const Pose<double> A = pose(1, 0, 0, 0, 0, 30 * detail::one_degree), B = pose(0, 1, 0, 20 * detail::one_degree);
  const Loop<double> connect = loop_of("<connect name='c' body1='a' body2='b' anchor='0.1 0.2 0.3'/>");
  CHECK(connect.name == "c");
  CHECK(connect.type == LoopType::ball);
  CHECK(connect.T_A.p == Vector3<double>(0.1, 0.2, 0.3));
  CHECK((A * connect.T_A.p - B * connect.T_B.p).norm() < 1e-15);
  CHECK(loop_of("<connect body1='a' anchor='0 0 0'/>").body_b == 0);
  const Loop<double> weld = loop_of("<weld body1='a' body2='b'/>");
  CHECK(weld.name == "weld_a_b");
  CHECK(weld.type == LoopType::fixed);
  CHECK(distance(A * weld.T_A, B * weld.T_B) < 1e-15);
  const Loop<double> posed = loop_of("<weld body1='a' body2='b' anchor='0.4 0.5 0.6' relpose='0.1 0.2 0.3 1 0 0 1'/>");
  CHECK(distance(posed.T_A, pose(0.1, 0.2, 0.3, 0, 0, detail::pi / 2)) < 1e-15);  // MuJoCo 2.2.2 has the anchor there, according to efc_pos
  CHECK(posed.T_B.p == Vector3<double>(0.4, 0.5, 0.6));
  CHECK(weld.active);
  CHECK_FALSE(loop_of("<weld body1='a' body2='b' active='false'/>").active);
  CHECK_FALSE(loop_of("<weld body1='a' body2='b'/>", "<default><equality active='false'/></default>").active);
  CHECK_FALSE(loop_of("<weld body1='a' body2='b'/>", "<option><flag equality='disable'/></option>").active);
}

TEST_CASE("mjcf: errors name line, element and value", "[io][mjcf][fast]") {
  const std::string a = body("a", "<joint name='j'/>" + ball);
  const auto equal = [](const std::string& inside) { return "<equality>" + inside + "</equality>"; };
  const auto [text, parts] = GENERATE_COPY(table<std::string, std::vector<std::string_view>>({
      {"<robot/>", {"file:1", "<robot>", "expected <mujoco>", "URDF"}},
      {"<mujoco/>", {"file:1", "no bodies"}},
      {file(body("a", "<joint name='j' type='hing'/>" + ball)), {"file:3", "joint 'j'", "'hing'", "hinge, slide, ball, free"}},
      {file(body("a", "<joint name='j' axis='0 0 0'/>" + ball)), {"file:3", "joint 'j'", "zero length"}},
      {file(body("a", "<joint axis='0 0'/>" + ball)), {"file:3", "joint of body 'a'", "axis of <joint> has 2 numbers"}},
      {file(body("a", "<joint name='j' range='2 1'/>" + ball)), {"joint 'j'", "'2 1'"}},
      {file(body("a", "<joint name='j' damping='-1'/>" + ball)), {"joint 'j'", "damping -1"}},
      {file(body("a", "<joint name='j' damping='nan'/>" + ball)), {"joint 'j'", "'nan' is not finite"}},
      {file(body("a", "<joint class='x'/>" + ball)), {"body 'a'", "class 'x' is not declared"}},
      {file(body("a", ball, "childclass='x'")), {"file:3", "body 'a'", "class 'x' is not declared"}},
      {file(body("a", ball, "quat='0 0 0 0'")), {"body 'a'", "quat"}},
      {file(body("a", ball, "quat='1 0 0 0' euler='0 0 0'")), {"body 'a'", "both quat and euler"}},
      {file(body("a", ball, "xyaxes='1 0 0 2 0 0'")), {"body 'a'", "xyaxes"}},
      {file(body("a", ball, "pos='1 2'")), {"file:3", "body 'a'", "pos of <body> has 2 numbers"}},
      {file(body("a", "<geom type='box' size='1 2'/>")), {"geom of body 'a'", "size has 2 numbers, expected 3"}},
      {file(body("a", "<geom name='g' size='-1'/>")), {"geom 'g'", "'-1'"}},
      {file(body("a", "<geom type='cube' size='1'/>")), {"geom of body 'a'", "'cube'"}},
      {file(body("a", "<geom type='capsule' size='1' fromto='0 0 1 0 0 1'/>")), {"geom of body 'a'", "the same point"}},
      {file(body("a", "<inertial pos='0 0 0' diaginertia='1 1 1'/>")), {"body 'a'", "<inertial> has no mass"}},
      {file(body("a", "<inertial mass='1' diaginertia='1 1 1'/>")), {"body 'a'", "<inertial> has no pos"}},
      {file(body("a", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/>")), {"body 'a'", "principal moment -1 "}},
      {file(body("a", "<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>")), {"link 'a'", "mass -1"}},
      {file(body("a", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>")),
       {"body 'a'", "both diaginertia and fullinertia"}},
      {file(body("a", ball) + body("a", ball)), {"two links named 'a'"}},
      {file(body("world", ball)), {"'world'"}},
      {file(a + body("b", "<joint name='j'/>" + ball)), {"two joints named 'j'"}},
      {file(body("a", body("b", "<freejoint/>" + ball))), {"body 'b'", "only a child of the world"}},
      {file(body("a", "<joint type='ball'/><joint name='j'/>" + ball)), {"joint 'j'", "already"}},
      {file(body("a", "<freejoint/><joint/>" + ball)), {"body 'a'", "another joint"}},
      {file("<joint/>" + a), {"the world cannot have joints"}},
      {file("<include file='b.xml'/>" + a), {"file:3", "'b.xml'"}},
      {file(a, "<include file='b.xml'/>"), {"file:2", "'b.xml'"}},
      {file("<replicate count='3'>" + a + "</replicate>"), {"<replicate>"}},
      {file(body("a", "<composite/>" + ball)), {"<composite>"}},
      {file(a, "<compiler coordinate='global'/>"), {"file:2", "'global'"}},
      {file(a, "<compiler eulerseq='xyq'/>"), {"'xyq'"}},
      {file(a, "<default><default/></default>"), {"has no class"}},
      {file(a, "<default><default class='x'/><default class='y'><default class='x'/></default></default>"), {"two classes named 'x'"}},
      {file(a, "", equal("<connect body1='q' anchor='0 0 0'/>")), {"'q' is not declared"}},
      {file(a, "", equal("<connect body1='a'/>")), {"no anchor"}},
      {file(a, "", equal("<weld body2='a'/>")), {"no body1"}},
      {file(a, "", equal("<joint joint1='q' joint2='j'/>")), {"'q'"}},
      {file(a, "", equal("<joint joint1='j' joint2='j'/>")), {"'j' mimics itself"}},
      {file(a, "", equal("<joint joint2='j'/>")), {"no joint1"}},
  }));
  CAPTURE(text);
  for (const bool strict : {false, true}) CHECK(lacking(refusal(text, strict), parts) == "");
}

TEST_CASE("mjcf: unsupported elements are ignored or reported as doubtful, and refused in strict mode", "[io][mjcf][fast]") {
  const std::string ab = body("a", "<joint name='j'/>" + ball) + body("b", "<joint name='k'/>" + ball);
  const auto [text, code, repaired] = GENERATE_COPY(table<std::string, std::string, bool>({
      {file(ab, "", "<equality><joint joint1='j' joint2='k' polycoef='0 1 2'/></equality>"), "equality.unsupported", true},
      {file(ab, "", "<equality><joint joint1='j'/></equality>"), "equality.unsupported", true},
      {file(ab, "", "<equality><distance geom1='x' geom2='y'/></equality>"), "equality.unsupported", true},
      {file(body("a", "<joint range='0 1'/>" + ball), "<compiler autolimits='false'/>"), "joint.limit", true},
      {file(body("a", "<inertial pos='0 0 0' mass='1'/>")), "inertia.missing", true},
      {file(body("a", "<joint type='ball' armature='1'/>" + ball)), "joint.property", false},
      {file(body("a", "<joint type='ball' range='0 1'/>" + ball)), "joint.property", false},
      {file(body("a", "<joint springdamper='1 1'/>" + ball)), "joint.spring", false},
      {file(body("a", ball, "gravcomp='1'")), "body.gravcomp", false},
      {file(ab, "<option viscosity='1'/>"), "option.fluid", false},
  }));
  CAPTURE(text);
  const LoadReport report = parse(text).report;
  CHECK(has_code(repaired ? report.repairs : report.warnings, code));
  CHECK(missing(refusal(text, true), {code}) == "");
}

TEST_CASE("mjcf: elements without effect are counted", "[io][mjcf][fast]") {
  const auto report = parse(file(body("a", "<joint group='2'/><site/><site/><camera/>" + ball), "<visual/><statistic/>",
                                 "<actuator/><sensor/><tendon/><keyframe/>"))
                          .report;
  CHECK(report.ignored == std::map<std::string, int>{{"visual", 1},
                                                     {"statistic", 1},
                                                     {"sensor", 1},
                                                     {"tendon", 1},
                                                     {"body/site", 2},
                                                     {"body/camera", 1},
                                                     {"joint@group", 1}});
}

}  // namespace mjcf_test
