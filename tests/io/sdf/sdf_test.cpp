// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/sdf.hpp"

#include <limits>
#include <string>
#include <vector>

#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

template actio::Loaded<double> actio::parse_sdf<double>(std::string_view, const std::string&, const ReadOptions&);
template actio::Loaded<double> actio::read_sdf<double>(const std::string&, const ReadOptions&);

namespace sdf_test {

using namespace actio;
using test::has_code;
using test::missing;
using test::pose;
using test::pose_of;

const std::string unit_inertia = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

std::string a_link(const std::string& name, const std::string& inside = "") {
  return "<link name='" + name + "'>" + unit_inertia + inside + "</link>\n";
}
std::string a_joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                    const std::string& inside = "<axis><xyz>0 0 1</xyz></axis>") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" + inside +
         "</joint>\n";
}
std::string model(const std::string& inside, const std::string& attributes = "", const std::string& version = "1.9") {
  return "<sdf version='" + version + "'>\n<model name='m'" + attributes + ">\n" + inside + "</model></sdf>";
}
Loaded<double> parse(const std::string& text, const ReadOptions& options = {.base = Base::fixed}) {
  return parse_sdf(text, "file", options);
}
std::string refusal(const std::string& text, bool strict = false) {
  return test::refusal<ParseError>([&] { return parse_sdf(text, "file", {.strict = strict}); });
}
/// Returns the parts that a text does not contain.
std::string lacking(const std::string& text, const std::vector<std::string_view>& parts) {
  std::string all;
  for (const std::string_view part : parts) all += missing(text, {part});
  return all;
}
VectorX<double> some_q(const Model<double>& m) { return m.integrate(m.neutral(), VectorX<double>::LinSpaced(m.nv(), 0.3, 0.7)); }

TEST_CASE("sdf: links and a joint become a model", "[io][sdf][fast]") {
  const auto loaded =
      parse(model("<pose>1 0 0 0 0 0</pose>" + a_link("base") +
                  "<link name='arm'><pose>0 2 0 0.1 0.2 0.3</pose><inertial><pose>0 0 -1 0 0 1.5707963267948966</pose><mass>2</mass>"
                  "<inertia><ixx>3</ixx><iyy>4</iyy><izz>5</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>" +
                  a_joint("hinge", "revolute", "base", "arm",
                          "<pose>0 0 0.5 0 0 0</pose><axis><xyz>0 2 "
                          "0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>"
                          "<dynamics><damping>0.5</damping><friction>0.25</friction><spring_stiffness>7</"
                          "spring_stiffness><spring_reference>0.1</spring_reference>"
                          "</dynamics></axis>")));
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(m.name() == "m");
  REQUIRE(m.num_bodies() == 2);
  CHECK(m.body_name(1) == "arm");
  CHECK(m.joint_name(1) == "hinge");
  CHECK(std::get<Revolute<double>>(m.joint(1)).axis() == Vector3<double>::UnitY());

  const Pose<double> T_WL = pose(1, 0, 0) * pose(0, 2, 0, 0.1, 0.2, 0.3), T_LJ = pose(0, 0, 0.5);
  CHECK(distance(pose_of(m, "arm", m.neutral()), T_WL) < 1e-15);
  VectorX<double> q = m.neutral();
  q << 0.6;  // about y of the joint, whose frame differs from that of the link
  CHECK(distance(pose_of(m, "arm", q), T_WL * T_LJ * pose(0, 0, 0, 0, 0.6, 0) * T_LJ.inverse()) < 1e-15);

  const Inertia<double> G = m.inertia(1);  // in the frame of the body, which is that of the joint
  CHECK(G.mass == 2);
  CHECK((G.com - Vector3<double>(0, 0, -1.5)).norm() < 1e-15);
  CHECK((G.I_com - Matrix3<double>(Vector3<double>(4, 3, 5).asDiagonal())).norm() < 1e-14);
  const ModelProperties<double>& p = m.properties();
  CHECK(p.lower[0] == -1);
  CHECK(p.upper[0] == 2);
  CHECK(p.effort_limit[0] == 3);
  CHECK(p.velocity_limit[0] == 4);
  CHECK(p.damping[0] == 0.5);
  CHECK(p.friction[0] == 0.25);
  CHECK(p.stiffness[0] == 7);
  CHECK(p.rest[0] == 0.1);
  CHECK(report.repairs.empty());
  CHECK(report.links == 2);
  CHECK(report.joints == std::map<std::string, int>{{"revolute", 1}});
  CHECK(report.dof == 1);
}

TEST_CASE("sdf: each joint type has the motion of its name", "[io][sdf][fast]") {
  const auto of_type = [](const std::string& type, const std::string& inside) {
    return parse(model(a_link("base") + "<link name='arm'><pose>0 0 1 0 0 0</pose>" + unit_inertia + "</link>" +
                       a_joint("j", type, "base", "arm", inside)))
        .model;
  };
  const std::string axis = "<axis><xyz>0 1 0</xyz></axis>", axis2 = "<axis2><xyz>1 0 0</xyz></axis2>";
  const auto moved = [](const Model<double>& m, std::initializer_list<double> values) {
    VectorX<double> q(m.nq());
    std::copy(values.begin(), values.end(), q.begin());
    return pose(0, 0, 1).inverse() * pose_of(m, "arm", q);
  };
  CHECK(distance(moved(of_type("revolute", axis), {0.4}), pose(0, 0, 0, 0, 0.4, 0)) < 1e-15);
  CHECK(distance(moved(of_type("continuous", axis), {4}), pose(0, 0, 0, 0, 4, 0)) < 1e-15);
  CHECK(distance(moved(of_type("prismatic", axis), {0.4}), pose(0, 0.4, 0)) < 1e-15);
  CHECK(distance(moved(of_type("universal", axis + axis2), {0.4, 0.3}), pose(0, 0, 0, 0.3, 0.4, 0)) < 1e-15);
  CHECK(distance(moved(of_type("revolute2", axis + axis2), {0.4, 0.3}), pose(0, 0, 0, 0.3, 0.4, 0)) < 1e-15);
  CHECK(of_type("ball", "<axis><dynamics><damping>3</damping></dynamics></axis>").properties().damping == VectorX<double>::Constant(3, 3));
  CHECK(std::holds_alternative<Spherical<double>>(of_type("ball", "").joint(1)));
  CHECK(of_type("fixed", "").num_bodies() == 1);
  // A right-handed thread with a lead of 0.2 m; the old element is in radians per metre, and positive for left-handed threads.
  const Pose<double> screwed = pose(0, 0.2 / 4, 0, 0, detail::pi / 2, 0);
  CHECK(distance(moved(of_type("screw", axis + "<screw_thread_pitch>0.2</screw_thread_pitch>"), {detail::pi / 2}), screwed) < 1e-15);
  CHECK(distance(moved(of_type("screw", axis + "<thread_pitch>" + std::to_string(-10 * detail::pi) + "</thread_pitch>"), {detail::pi / 2}),
                 screwed) < 1e-7);
  CHECK(missing(
            refusal(model(a_link("base") + a_link("arm") + a_joint("j", "screw", "base", "arm", axis + "<thread_pitch>0</thread_pitch>"))),
            {"'j'", "thread_pitch"}) == "");
}

TEST_CASE("sdf: poses are expressed in the frames that they name", "[io][sdf][fast]") {
  const Pose<double> A = pose(1, 2, 3, 0.1, 0.2, 0.3), J = pose(0, 0, 0.5, 0.4, 0, 0), B = pose(0.1, 0, 0, 0, 0.5, 0),
                     F = pose(0, 0.2, 0, 0, 0, 0.6);
  const auto loaded =
      parse(model(a_link("a", "<pose>1 2 3 0.1 0.2 0.3</pose>") + a_link("b", "<pose relative_to='j'>0.1 0 0 0 0.5 0</pose>") +
                  "<frame name='f' attached_to='b'><pose>0 0.2 0 0 0 0.6</pose></frame><frame name='g'><pose relative_to='f'/></frame>"
                  "<frame name='h' attached_to='j'/>" +
                  a_joint("j", "revolute", "a", "f",
                          "<pose relative_to='a'>0 0 0.5 0.4 0 0</pose><axis><xyz expressed_in='__model__'>0 0 1</xyz></axis>")));
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  const VectorX<double> at_rest = m.neutral();
  CHECK(distance(pose_of(m, "b", at_rest), A * J * B) < 1e-14);
  CHECK(distance(pose_of(m, "f", at_rest), A * J * B * F) < 1e-14);
  CHECK(distance(pose_of(m, "g", at_rest), A * J * B * F) < 1e-14);
  CHECK(m.find_frame("g").body == 0);                 // attached to the model, which is its first link
  CHECK(m.find_frame("h").body == m.find_body("b"));  // by the child of the joint, which is a frame
  const Pose<double> turn = pose(0, 0, 0, 0, 0, 0.7), T_WJ = A * J;
  VectorX<double> q(1);
  q << 0.7;  // about the model's z, through the joint
  CHECK(distance(pose_of(m, "f", q), Pose<double>{turn.R, T_WJ.p - turn.R * T_WJ.p} * A * J * B * F) < 1e-14);
  CHECK(report.warnings.empty());
}

TEST_CASE("sdf: a joint is placed in the frame that it names as its child", "[io][sdf][fast]") {
  const Pose<double> B = pose(0, 1, 0, 0.2, 0, 0), F = pose(0, 0, 0.5, 0, 0.3, 0), J = pose(0.1, 0, 0);
  const auto m = parse(model(a_link("a") + a_link("b", "<pose>0 1 0 0.2 0 0</pose>") +
                             "<frame name='f' attached_to='b'><pose>0 0 0.5 0 0.3 0</pose></frame>" +
                             a_joint("j", "revolute", "a", "f", "<pose>0.1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>")))
                     .model;
  CHECK(distance(pose_of(m, "b", m.neutral()), B) < 1e-15);
  VectorX<double> q(1);
  q << 0.7;
  CHECK(distance(pose_of(m, "f", q), B * F * J * pose(0, 0, 0, 0, 0, 0.7) * J.inverse()) < 1e-15);
}

TEST_CASE("sdf: axes are in the joint frame; in version 1.4 and on request in the model frame", "[io][sdf][fast]") {
  const auto turned = [](const std::string& version, const std::string& extra) {
    const auto m = parse(model(a_link("a") + a_link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                                   a_joint("j", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz>" + extra + "</axis>"),
                               "", version))
                       .model;
    return Vector3<double>(pose_of(m, "b", m.neutral()).R * std::get<Revolute<double>>(m.joint(1)).axis());
  };
  CHECK((turned("1.4", "") - Vector3<double>::UnitX()).norm() < 1e-15);
  CHECK((turned("1.6", "") - Vector3<double>::UnitY()).norm() < 1e-15);
  CHECK((turned("1.6", "<use_parent_model_frame>1</use_parent_model_frame>") - Vector3<double>::UnitX()).norm() < 1e-15);
  CHECK((turned("1.6", "<use_parent_model_frame>false</use_parent_model_frame>") - Vector3<double>::UnitY()).norm() < 1e-15);
}

TEST_CASE("sdf: rotations in degrees, as quaternions, and rounded fractions of pi are read", "[io][sdf][fast]") {
  const auto of = [](const std::string& text, bool strict = false) {
    return parse(model(a_link("a", text)), {.strict = strict, .base = Base::fixed}).model.find_frame("a").T_BF;
  };
  CHECK(distance(of("<pose degrees='true'>1 2 3 90 0 45</pose>"), pose(1, 2, 3, detail::pi / 2, 0, detail::pi / 4)) < 1e-15);
  CHECK(distance(of("<pose rotation_format='quat_xyzw'>1 2 3 0 0 2 2</pose>"), pose(1, 2, 3, 0, 0, detail::pi / 2)) < 1e-15);
  CHECK(of("<pose>0 0 0 1.5708 0 -0.785398</pose>").R == pose(0, 0, 0, detail::pi / 2, 0, -detail::pi / 4).R);
  CHECK(of("<pose>0 0 0 1.5708 0 0</pose>", true).R == pose(0, 0, 0, 1.5708, 0, 0).R);  // as written
  CHECK(of("<pose>0 0 0 1.57 0 1.5707</pose>").R == pose(0, 0, 0, 1.57, 0, 1.5707).R);  // not close to a fraction of pi
  CHECK(has_code(parse(model(a_link("a", "<pose>0 0 0 3.1416 0 0</pose>"))).report.warnings, "pose.angle"));
}

TEST_CASE("sdf: the base floats from the pose in the file, unless it is static, joined to the world or fixed", "[io][sdf][fast]") {
  const std::string text = a_link("a", "<pose>1 2 3 0.1 0.2 0.3</pose>") + a_link("b") + a_joint("j", "revolute", "a", "b");
  const auto loaded = parse(model(text), {});
  const auto& floating = loaded.model;
  const LoadReport& report = loaded.report;
  REQUIRE(floating.nv() == 7);
  CHECK(floating.joint_name(1) == "base");
  CHECK(report.dof == 1);
  CHECK(report.floating == 1);
  CHECK(distance(pose_of(floating, "a", floating.neutral()), pose(1, 2, 3, 0.1, 0.2, 0.3)) < 1e-15);
  CHECK(distance(pose_of(parse(model(text)).model, "a", VectorX<double>::Zero(1)), pose(1, 2, 3, 0.1, 0.2, 0.3)) < 1e-15);
  CHECK(parse(model("<static>true</static>" + text), {}).model.nv() == 0);
  CHECK(parse(model(text + a_joint("w", "fixed", "world", "a")), {}).model.nv() == 1);
  CHECK(parse(model(a_link("a") + a_link("b")), {}).model.nv() == 12);  // two bodies without a joint between them
  CHECK(parse(model(a_link("a") + a_link("b"))).model.nv() == 6);       // the first is the model's canonical link
  CHECK(parse(model(a_link("a") + a_link("b"), " canonical_link='b'")).model.body_name(1) == "a");
  const auto freed = parse(model(text + a_joint("w", "fixed", "world", "a")), {.base = Base::floating});
  CHECK(freed.model.nv() == 7);
  CHECK(has_code(freed.report.warnings, "base.freed"));
  const auto refused =
      test::refusal<ParseError>([&] { return parse(model(text + a_joint("w", "revolute", "world", "a")), {.base = Base::floating}); });
  CHECK(missing(refused, {"floating base", "'world'"}) == "");
}

TEST_CASE("sdf: links of a model touch each other unless <self_collide> is false for both", "[io][sdf][fast]") {
  const auto shapes = [](const std::string& of_model, const std::string& of_a) {
    const std::string ball = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>";
    const std::string links = "<link name='a'>" + of_a + ball + "</link><link name='b'>" + ball + "</link>";
    return parse("<sdf version='1.9'><world name='w'><model name='m'>" + of_model + links + "</model><model name='other'>" + links +
                 "</model></world></sdf>")
        .model.shapes();
  };
  const std::string yes = "<self_collide>true</self_collide>", no = "<self_collide>false</self_collide>";
  const auto touch = [](const auto& s, std::size_t one, std::size_t other) { return s[one].filter.may_touch(s[other].filter); };
  const auto unsaid = shapes("", ""), off = shapes(no, ""), mixed = shapes(no, yes), on = shapes(yes, no);
  CHECK((touch(unsaid, 0, 1) && !touch(off, 0, 1) && touch(mixed, 0, 1) && touch(on, 0, 1)));
  CHECK((touch(off, 0, 2) && touch(off, 2, 3)));  // the other model
}

TEST_CASE("sdf: a link that is the child of two joints closes a loop", "[io][sdf][fast]") {
  const auto [type, loop_type] = GENERATE(table<std::string, LoopType>({{"revolute", LoopType::revolute},
                                                                        {"continuous", LoopType::revolute},
                                                                        {"prismatic", LoopType::prismatic},
                                                                        {"ball", LoopType::ball},
                                                                        {"fixed", LoopType::fixed},
                                                                        {"universal", LoopType::universal}}));
  CAPTURE(type);
  const auto m = parse(model(a_link("a") + a_link("b", "<pose>0 1 0 0.3 0 0</pose>") + a_link("c", "<pose>0 0 1 0 0.4 0</pose>") +
                             a_joint("ab", "revolute", "a", "b") + a_joint("ac", "ball", "a", "c") +
                             a_joint("bc", type, "b", "c",
                                     "<pose>0.1 0 0 0 0 0.2</pose><axis><xyz>0 1 0</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>")))
                     .model;
  REQUIRE(m.loops().size() == 1);
  CHECK(m.nv() == 4);
  const Loop<double>& loop = m.loops()[0];
  CHECK(loop.name == "bc");
  CHECK(loop.type == loop_type);
  CHECK(loop.body_a == m.find_body("b"));
  CHECK(loop.body_b == m.find_body("c"));
  const Pose<double> T_WJ = pose(0, 0, 1, 0, 0.4, 0) * pose(0.1, 0, 0, 0, 0, 0.2);
  CHECK(distance(pose_of(m, "b", m.neutral()) * loop.T_A, T_WJ) < 1e-15);
  CHECK(distance(pose_of(m, "c", m.neutral()) * loop.T_B, T_WJ) < 1e-15);
  if (type != "ball" && type != "fixed") CHECK(loop.axis == Vector3<double>::UnitY());
  if (type == "universal") CHECK(loop.axis2 == Vector3<double>::UnitX());
}

TEST_CASE("sdf: loops without a root are accepted, and properties lost by a closure are reported", "[io][sdf][fast]") {
  const std::string ring = a_link("a") + a_link("b", "<pose>1 0 0 0 0 0</pose>") + a_link("c", "<pose>0 1 0 0 0 0</pose>");
  const auto m =
      parse(model(ring + a_joint("ab", "revolute", "a", "b") + a_joint("bc", "revolute", "b", "c") + a_joint("ca", "revolute", "c", "a")),
            {})
          .model;
  CHECK(m.nv() == 8);
  REQUIRE(m.loops().size() == 1);
  CHECK(m.loops()[0].name == "ca");
  const std::string lossy =
      model(ring + a_joint("ab", "revolute", "a", "b") + a_joint("ac", "revolute", "a", "c") +
            a_joint("bc", "revolute", "b", "c", "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"));
  CHECK(has_code(parse(lossy).report.warnings, "loop.properties"));
  CHECK(missing(refusal(lossy, true), {"'bc'", "damping"}) == "");
  CHECK(missing(refusal(model(ring + a_joint("ab", "revolute", "a", "b") + a_joint("ac", "revolute", "a", "c") +
                              a_joint("bc", "screw", "b", "c"))),
                {"'bc'", "screw"}) == "");
}

TEST_CASE("sdf: nested models are placed by their frames", "[io][sdf][fast]") {
  const auto m = parse(model("<pose>0 0 1 0 0 0</pose>" + a_link("base") +
                             "<model name='hand' placement_frame='grip'><pose relative_to='mount'>0 0 0 0 0 0</pose>" + a_link("palm") +
                             "<frame name='grip' attached_to='palm'><pose>0 0 0.25 0 0.3 0</pose></frame></model>"
                             "<frame name='mount' attached_to='base'><pose>0.5 0 0 0.2 0 0</pose></frame>" +
                             a_joint("wrist", "revolute", "base", "hand::palm")))
                     .model;
  CHECK(m.nv() == 1);
  CHECK(m.body_name(1) == "hand::palm");
  CHECK(distance(pose_of(m, "hand::grip", m.neutral()), pose(0.5, 0, 1, 0.2, 0, 0)) < 1e-15);
  CHECK(distance(pose_of(m, "hand::palm", m.neutral()), pose(0.5, 0, 1, 0.2, 0, 0) * pose(0, 0, 0.25, 0, 0.3, 0).inverse()) < 1e-15);
}

TEST_CASE("sdf: a world contains gravity, a ground and models", "[io][sdf][fast]") {
  const std::string ground =
      "<model name='ground'><static>1</static><link name='l'><collision name='c'><pose>0 0 0.1 0 0 0</pose><geometry><plane><normal>0 0.6 "
      "0.8</normal></plane></geometry>"
      "</collision></link></model>";
  const auto world = [](const std::string& inside) { return "<sdf version='1.7'><world name='w'>" + inside + "</world></sdf>"; };
  const std::string robot = "<model name='r'>" + a_link("a") + "</model>";
  const auto m = parse(world("<gravity>0 1 -5</gravity>" + ground + robot), {}).model;
  CHECK(m.name() == "w");
  CHECK(m.gravity() == Vector3<double>(0, 1, -5));
  CHECK(m.body_name(1) == "r::a");
  CHECK(m.nv() == 6);
  REQUIRE(m.shapes().size() == 1);
  CHECK(m.shapes()[0].body == 0);
  CHECK(std::holds_alternative<HalfSpace>(m.shapes()[0].geometry));
  CHECK((m.shapes()[0].T_BS.R.col(2) - Vector3<double>(0, 0.6, 0.8)).norm() < 1e-15);
  CHECK(m.shapes()[0].T_BS.p == Vector3<double>(0, 0, 0.1));
  const auto one = parse(world(robot + "<frame name='f' attached_to='r::a'/>"), {}).model;  // no prefix is needed for a single model
  CHECK(one.body_name(1) == "a");
  CHECK(one.find_frame("f").body == 1);
  CHECK(one.gravity() == Vector3<double>(0, 0, -9.8));
}

TEST_CASE("sdf: the time step of the default physics is read, else that of the first", "[io][sdf][fast]") {
  const auto step = [](const std::string& physics) {
    return parse("<sdf version='1.7'><world name='w'>" + physics + "<model name='r'>" + a_link("a") + "</model></world></sdf>", {});
  };
  const std::string first = "<physics><max_step_size>0.01</max_step_size><real_time_factor>1</real_time_factor></physics>";
  CHECK(!step("").time_step);
  CHECK(step(first).time_step == 0.01);
  CHECK(step(first).report.ignored.at("physics/real_time_factor") == 1);
  CHECK(step(first + "<physics><max_step_size>0.02</max_step_size></physics>").time_step == 0.01);
  CHECK(step(first + "<physics default='true'><max_step_size>0.02</max_step_size></physics>").time_step == 0.02);
  const Loaded<double> bad = step("<physics><max_step_size>-1</max_step_size></physics>");
  CHECK(!bad.time_step);
  CHECK(has_code(bad.report.repairs, "physics.step"));
}

TEST_CASE("sdf: shapes are recorded, and inertia may be computed from them", "[io][sdf][fast]") {
  const auto collision = [](const std::string& geometry) {
    return "<collision name='c'><pose>1 0 0 0 0 0</pose><geometry>" + geometry + "</geometry></collision>";
  };
  const auto loaded =
      parse(model(a_link("a", collision("<sphere><radius>0.5</radius></sphere>") + collision("<box><size>1 2 3</size></box>") +
                                  collision("<cylinder><radius>1</radius><length>2</length></cylinder>") +
                                  collision("<capsule><radius>1</radius><length>2</length></capsule>") +
                                  collision("<mesh><uri>model://no/such.stl</uri></mesh>") + collision("<cone/>") + "<visual name='v'/>")));
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  REQUIRE(m.shapes().size() == 5);
  CHECK(std::get<Sphere<double>>(m.shapes()[0].geometry).radius == 0.5);
  CHECK(std::get<Box<double>>(m.shapes()[1].geometry).size == Vector3<double>(1, 2, 3));
  CHECK(std::get<Cylinder<double>>(m.shapes()[2].geometry).length == 2);
  CHECK(std::get<Capsule<double>>(m.shapes()[3].geometry).radius == 1);
  CHECK(std::get<MeshFile>(m.shapes()[4].geometry).uri == "model://no/such.stl");
  CHECK(m.shapes()[0].T_BS.p == Vector3<double>(1, 0, 0));
  CHECK(has_code(report.warnings, "shape.unknown"));
  CHECK(report.ignored == std::map<std::string, int>{{"link/visual", 1}});
  const auto solid = parse(model("<link name='a'><inertial auto='true'><density>500</density></inertial>" +
                                 collision("<box><size>1 2 3</size></box>") + "</link>"))
                         .model;
  CHECK(solid.mass() == 3000);
  CHECK(solid.inertia(0).com == Vector3<double>(1, 0, 0));
}

TEST_CASE("sdf: a mimic axis becomes a coupling", "[io][sdf][fast]") {
  const auto m = parse(model(a_link("a") + a_link("b") + a_link("c") + a_joint("ab", "revolute", "a", "b") +
                             a_joint("bc", "revolute", "b", "c",
                                     "<axis><xyz>0 0 1</xyz><mimic "
                                     "joint='ab'><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis>")))
                     .model;
  REQUIRE(m.couplings().size() == 1);
  CHECK(m.couplings()[0].ratio == 2);
  CHECK(m.couplings()[0].offset == Approx(0.3));
  CHECK(m.dof() == 1);
}

TEST_CASE("sdf: limits that mean no limit, and defaults of the format, are recognised", "[io][sdf][fast]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto p = parse(model(a_link("a") + a_link("b") +
                             a_joint("j", "revolute", "a", "b",
                                     "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>inf</upper>"
                                     "<effort>-1</effort><velocity>-1</velocity></limit></axis>")))
                     .model.properties();
  CHECK(p.lower[0] == -infinity);
  CHECK(p.upper[0] == infinity);
  CHECK(p.effort_limit[0] == infinity);
  CHECK(p.velocity_limit[0] == infinity);
  const auto loaded = parse(model("<link name='a'/>"));
  const auto& m = loaded.model;
  const LoadReport& report = loaded.report;
  CHECK(m.mass() == 1);
  CHECK(has_code(report.warnings, "inertia.missing"));
}

TEST_CASE("sdf: errors name line, element and value", "[io][sdf][fast]") {
  const std::string ab = a_link("a") + a_link("b");
  const auto [text, parts] = GENERATE_COPY(table<std::string, std::vector<std::string_view>>({
      {"<robot/>", {"file:1", "<robot>", "expected <sdf>", "URDF"}},
      {"<sdf version='1.6'/>", {"file:1", "no links"}},
      {model(""), {"file:2", "model 'm'", "no links"}},
      {model("") + "<x/>", {"after the root element"}},
      {model(ab + a_joint("j", "hinge", "a", "b")), {"file:5", "joint 'j'", "'hinge'", "revolute, continuous"}},
      {model(ab + a_joint("j", "", "a", "b")), {"file:5", "joint 'j'", "no type"}},
      {model(ab + a_joint("j", "gearbox", "a", "b")), {"joint 'j'", "'gearbox'"}},
      {model(ab + a_joint("j", "fixed", "a", "c")), {"file:5", "joint 'j'", "'c' is not declared"}},
      {model(ab + a_joint("j", "fixed", "c", "b")), {"file:5", "joint 'j'", "'c' is not declared"}},
      {model(ab + a_joint("j", "fixed", "a", "world")), {"file:5", "joint 'j'", "world"}},
      {model(ab + a_joint("j", "fixed", "a", "a")), {"file:5", "joint 'j'", "the same link"}},
      {model(ab + a_joint("j", "fixed", "", "b")), {"file:5", "joint 'j'", "<parent>"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>")), {"joint 'j'", "zero length"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz>0 0</xyz></axis>")), {"joint 'j'", "<xyz> has 2 numbers"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz expressed_in='q'>0 0 1</xyz></axis>")),
       {"joint 'j'", "'q' is not declared"}},
      {model(ab + a_joint("j", "universal", "a", "b", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>")),
       {"joint 'j'", "parallel"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>-1</upper></limit></axis>")),
       {"joint 'j'", "lower limit 1 ", "-1"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz><dynamics><damping>-1</damping></dynamics></axis>")),
       {"joint 'j'", "damping -1"}},
      {model(ab + a_joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz><mimic joint='x'/></axis>")), {"'j'", "'x'"}},
      {model(a_link("a") + a_link("a")), {"file:4", "link 'a'", "file:3"}},
      {model(a_link("world")), {"'world'"}},
      {model(a_link("a::b")), {"'a::b'", "'::'"}},
      {model("<link/>"), {"file:3", "a link has no name"}},
      {model(a_link("a", "<pose>1 2 3</pose>")), {"file:3", "link 'a'", "<pose> has 3 numbers, expected 6"}},
      {model(a_link("a", "<pose>0 0 nan 0 0 0</pose>")), {"link 'a'", "'nan' is not finite"}},
      {model(a_link("a", "<pose relative_to='x'/>")), {"link 'a'", "'x' is not declared"}},
      {model(a_link("a", "<pose relative_to='b'/>") + a_link("b", "<pose relative_to='a'/>")), {"relative to itself"}},
      {model(a_link("a") + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), {"'f'", "attached to itself"}},
      {model(a_link("a", "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>")), {"link 'a'", "quaternion"}},
      {model(a_link("a", "<pose degrees='perhaps'>0 0 0 0 0 0</pose>")), {"link 'a'", "'perhaps'"}},
      {model("<link name='a'><inertial><mass>-1</mass></inertial></link>"), {"file:3", "link 'a'", "mass -1"}},
      {model("<link name='a'><inertial><mass>x</mass></inertial></link>"), {"file:3", "link 'a'", "'x' is not a number"}},
      {model("<link name='a'><inertial><mass>1</mass><inertia><ixx>-1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"),
       {"link 'a'", "principal moment -1 "}},
      {model(a_link("a") + "<include><uri>model://b</uri></include>"), {"file:4", "'model://b'"}},
      {"<sdf version='1.6'><world name='w'><include><uri>model://sun</uri></include></world></sdf>", {"'model://sun'"}},
      {model(ab, " canonical_link='c'"), {"model 'm'", "'c' is not declared"}},
      {model(ab, " placement_frame='c'"), {"model 'm'", "'c' is not declared"}},
      {"<sdf version='1.6'><model name='a'/><model name='b'/></sdf>", {"a second <model>"}},
  }));
  CAPTURE(text);
  for (const bool strict : {false, true}) CHECK(lacking(refusal(text, strict), parts) == "");
}

TEST_CASE("sdf: violations are repaired and reported, doubtful values reported, and strict mode refuses both", "[io][sdf][fast]") {
  const std::string ab = a_link("a") + a_link("b");
  const auto [text, code, repaired] = GENERATE_COPY(table<std::string, std::string, bool>({
      {"<sdf><model name='m'>" + ab + "</model></sdf>", "sdf.version", true},
      {"<sdf version='9.9'><model name='m'>" + ab + "</model></sdf>", "sdf.version", true},
      {model(ab + a_joint("j", "revolute", "a", "b", "")), "joint.axis", true},
      {model(a_link("a", "<pose>0 0 0 0 0 0</pose><pose>1 0 0 0 0 0</pose>")), "element.duplicate", true},
      {model("<link name='a'><inertial><mass></mass></inertial></link>"), "number.empty", true},
      {model(a_link("a", "<gravity>0</gravity>")), "link.gravity", false},
      {model(a_link("a", "<kinematic>true</kinematic>")), "link.kinematic", false},
      {model(a_link("a", "<velocity_decay><linear>0.1</linear></velocity_decay>")), "link.decay", false},
  }));
  CAPTURE(text);
  const LoadReport report = parse(text).report;
  CHECK(has_code(repaired ? report.repairs : report.warnings, code));
  CHECK(missing(refusal(text, true), {code}) == "");
}

TEST_CASE("sdf: velocities match poses for trees whose joint and link frames differ", "[io][sdf][fast]") {
  const auto m =
      parse(model(a_link("a", "<pose>0 0 1 0.3 0 0</pose>") + a_link("b", "<pose>0 1 1 0 0.4 0</pose>") +
                  a_link("c", "<pose>1 1 1 0 0 0.5</pose>") +
                  a_joint("ab", "universal", "a", "b",
                          "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><axis><xyz>0 1 0</xyz></axis><axis2><xyz>1 0 0.5</xyz></axis2>") +
                  a_joint("bc", "screw", "b", "c",
                          "<pose>-0.3 0.2 0.1 0 0 1</pose><axis><xyz>1 1 0</xyz></axis><screw_thread_pitch>0.3</screw_thread_pitch>")),
            {})
          .model;
  const VectorX<double> q = some_q(m), v = VectorX<double>::LinSpaced(m.nv(), -1, 1);
  KinematicsData<double> data(m);
  forward_kinematics(m, data, q, v);
  const double e = 1e-5;
  for (BodyIndex i = 1; i < m.num_bodies(); ++i) {
    KinematicsData<double> before(m), after(m);
    forward_kinematics(m, before, m.integrate(q, -e * v));
    forward_kinematics(m, after, m.integrate(q, e * v));
    const Vector6<double> V = se3::log<double>(before.T_WB[i].inverse() * after.T_WB[i]) / (2 * e);
    CHECK((V - data.V[i]).norm() < 1e-8);
  }
}

}  // namespace sdf_test
