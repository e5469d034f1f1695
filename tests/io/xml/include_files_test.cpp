// SPDX-License-Identifier: BSD-3-Clause
// Files that include others, written to a temporary folder.
#include "actio/io/xml/include_files.hpp"

#include <fstream>
#include <random>

#include "actio/model/describe.hpp"
#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace include_files_test {

using namespace actio;
namespace fs = std::filesystem;

/// A folder that exists as long as this object.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("actio_include_" + std::to_string(std::random_device()()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  fs::path path_;
};

using Files = std::vector<std::pair<std::string, std::string>>;  // names and texts, the main one first

std::string refused(const Folder& folder, const Files& files, const ReadOptions& options = {}) {
  for (const auto& [name, text] : files) folder.write(name, text);
  const bool sdf = files[0].first.ends_with(".sdf");
  const std::string main = (folder.path() / files[0].first).string();
  return test::refusal<ParseError>([&] { return sdf ? read_sdf(main, options).report : read_mjcf(main, options).report; });
}

const std::string ball = "<geom type='sphere' size='0.1'/>";
const std::string leg = "<body name='leg'>\n<joint name='hip'/>\n" + ball + "\n</body>\n";
std::string mujoco(const std::string& inside) { return "<mujoco model='m'>\n" + inside + "</mujoco>\n"; }
std::string include(const std::string& file) { return "<include file='" + file + "'/>\n"; }

std::string a_link(const std::string& name, const std::string& inside = "") {
  return "<link name='" + name + "'>" + inside +
         "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>\n";
}
std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& axis = "<xyz>0 1 0</xyz>") {
  return "<joint name='" + name + "' type='revolute'><parent>" + parent + "</parent><child>" + child + "</child><axis>" + axis +
         "</axis></joint>\n";
}
std::string model(const std::string& name, const std::string& inside) { return "<model name='" + name + "'>\n" + inside + "</model>\n"; }
std::string sdf(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'>\n" + inside + "</sdf>\n";
}
std::string uri(const std::string& file, const std::string& more = "") {
  return "<include><uri>" + file + "</uri>" + more + "</include>\n";
}

const std::string wheel = sdf(model(
    "wheel", "<pose>0 0 9 0 0 0</pose>" + a_link("hub") + a_link("rim", "<pose>1 0 0 0 0 0.3</pose>") + hinge("axle", "hub", "rim")));

TEST_CASE("includes: a scene in several MJCF files gives the same model as one file", "[io][mjcf][fast]") {
  const Folder folder;
  const std::string defaults = "<default><joint damping='0.5'/><default class='stiff'><joint stiffness='7'/></default></default>\n";
  const std::string toe = "<body name='toe' pos='0 0 1'><joint name='toe' class='stiff'/>" + ball + "</body>";
  const std::string option = "<option gravity='0 0 -1'/>\n", light = "<light/>";
  folder.write("one.xml", mujoco(option + defaults + "<worldbody><body name='base'>" + ball + leg + "</body>" + toe + "</worldbody>"));
  folder.write("scene.xml", mujoco(include("robot/robot.xml") + "<worldbody>" + include("./toe.xml") + "</worldbody>"));
  folder.write("robot/robot.xml", "<mujoco model='other'>" + option + include("robot/defaults.xml") + "<worldbody><body name='base'>" +
                                      ball + include("robot/leg.xml") + "</body></worldbody></mujoco>");
  folder.write("robot/defaults.xml", "<mujocoinclude>" + defaults + "</mujocoinclude>");
  folder.write("robot/leg.xml", "<anything>" + leg + "</anything>");
  folder.write("toe.xml", "<mujoco>" + toe + light + "</mujoco>");
  const Loaded<double> one = read_mjcf((folder.path() / "one.xml").string()), scene = read_mjcf((folder.path() / "scene.xml").string());
  CHECK(describe(scene.model) == describe(one.model));
  CHECK(scene.model.properties().damping == one.model.properties().damping);
  CHECK(scene.model.properties().stiffness == one.model.properties().stiffness);
  CHECK(scene.model.properties().stiffness.maxCoeff() == 7);
  CHECK(scene.model.gravity() == Vector3<double>(0, 0, -1));
  CHECK(scene.report.ignored.count("worldbody/light") == 1);

  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  CHECK(describe(read_mjcf("scene.xml").model) == describe(one.model));
  fs::current_path(before);
}

TEST_CASE("includes: errors in MJCF files with includes are reported with file and line", "[io][mjcf][fast]") {
  const Folder folder;
  const std::string world = "<worldbody>\n" + leg + "</worldbody>\n";
  const auto [files, parts] = GENERATE_COPY(table<Files, std::vector<std::string>>({
      {{{"main.xml", mujoco(include("b.xml"))}}, {"main.xml:2: <include>: '", "b.xml' is not a file that can be opened [include.file]"}},
      {{{"main.xml", mujoco(include("d"))}, {"d/x.xml", ""}}, {"d' is not a file"}},
      {{{"main.xml", mujoco("<include/>")}}, {"main.xml:2", "names no file"}},
      {{{"main.xml", mujoco(include("main.xml"))}}, {"main.xml:2", "main.xml' includes itself"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", mujoco("\n" + include("c.xml"))}, {"c.xml", mujoco(include("./b.xml"))}},
       {"c.xml:2: ", "b.xml' includes itself"}},
      {{{"main.xml", mujoco(include("b.xml") + include("d/../b.xml"))}, {"b.xml", mujoco(world)}, {"d/x.xml", ""}},
       {"main.xml:3", "b.xml' is already included at ", "main.xml:2"}},
      {{{"main.xml", mujoco(include("../b.xml"))}}, {"main.xml:2", "'../b.xml' leads out of the folder", "model_folders"}},
      {{{"main.xml", mujoco(include("d/../../b.xml"))}}, {"leads out of the folder"}},
      {{{"main.xml", mujoco(include("/etc/passwd"))}}, {"main.xml:2", "'/etc/passwd' is an absolute path"}},
      {{{"main.xml", mujoco(include("https://example.org/b.xml"))}}, {"main.xml:2", "'https://example.org/b.xml'", "not fetched"}},
      {{{"main.xml", mujoco("<include file='b.xml' prefix='x'/>")}}, {"'prefix' is not supported"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", "<mujoco/>"}}, {"main.xml:2", "b.xml' has no elements"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", "<robot name='r'/>"}}, {"main.xml:2", "<robot>, expected MJCF"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", "<mujoco>\n<worldbody>\n</mujoco>"}}, {"b.xml:3: mismatched end tag"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", "<!DOCTYPE a>\n<mujoco/>"}}, {"b.xml:1: a DOCTYPE is refused"}},
      {{{"main.xml", mujoco(include("b.xml"))}, {"b.xml", "<mujoco>\n<worldbody>\n<body name='a' pos='1 2'/></worldbody></mujoco>"}},
       {"b.xml:3: body 'a'", "pos of <body> has 2 numbers"}},
      {{{"main.xml", mujoco(world + include("b.xml"))}, {"b.xml", mujoco(world)}}, {"b.xml:3", "main.xml:3", "two links named 'leg'"}},
  }));
  CAPTURE(files[0].second);
  const std::string said = refused(folder, files);
  for (const std::string& part : parts) CHECK(test::missing(said, {part}) == "");
}

TEST_CASE("includes: files outside the main folder are allowed only in listed model folders", "[io][mjcf][fast]") {
  const Folder folder;
  const std::string main = folder.write("scenes/main.xml", mujoco(include("../parts/leg.xml")));
  folder.write("parts/leg.xml", mujoco("<worldbody>" + leg + "</worldbody>"));
  const auto refused_with = [&](const std::vector<fs::path>& folders) {
    return test::refusal<ParseError>([&] { return read_mjcf(main, {.model_folders = folders}).report; });
  };
  CHECK(test::missing(refused_with({}), {"leads out"}) == "");
  CHECK(test::missing(refused_with({folder.path() / "part"}), {"leads out"}) == "");
  CHECK(read_mjcf(main, {.model_folders = {folder.path() / "parts"}}).model.nv() == 1);
  CHECK(read_mjcf(main, {.model_folders = {folder.path()}}).model.nv() == 1);
}

TEST_CASE("includes: the total size of all files is bounded", "[io][mjcf][sdf][fast]") {
  const Folder folder;
  const std::string main = folder.write("main.xml", mujoco(include("b.xml") + include("c.xml")));
  folder.write("b.xml", mujoco("<worldbody>" + leg + "</worldbody>"));
  folder.write("c.xml", mujoco("<worldbody><body name='c'>" + ball + "</body></worldbody>"));
  const auto refused_within = [&](const XmlLimits& limits) {
    return test::refusal<ParseError>([&] { return read_mjcf(main, {.limits = limits}).report; });
  };
  CHECK(read_mjcf(main).model.nv() == 1);
  CHECK(test::missing(refused_within({.files = 1}), {"main.xml:3", "more than 1 files"}) == "");
  CHECK(test::missing(refused_within({.bytes = 150}), {"main.xml:2", "more than 150 bytes"}) == "");
  std::string four;
  for (const std::string name : {"p", "q", "r", "s"}) {
    folder.write(name + ".xml", mujoco("<body name='" + name + "'>" + ball + ball + ball + "</body>"));
    four += include(name + ".xml");
  }
  folder.write("main.xml", mujoco("<worldbody>" + four + "</worldbody>"));
  CHECK(read_mjcf(main).model.nv() == 0);
  CHECK(test::missing(refused_within({.tags = 7}), {"main.xml: more than 7 tags"}) == "");
  CHECK(test::missing(refused_within({.tags = 8}), {"r.xml:2", "more than 8 tags are included"}) == "");
  folder.write("main.xml", mujoco("<worldbody><body>" + ball + "\n" + include("p.xml") + "</body></worldbody>"));
  CHECK(test::missing(refused_within({.depth = 4}), {"p.xml:2", "nested more than 4 levels"}) == "");

  // Each includes the next one twice: the limit is that of tags, not two to the twentieth.
  for (int k = 0; k < 20; ++k) {
    const std::string next = "f" + std::to_string(k + 1) + ".sdf";
    folder.write("f" + std::to_string(k) + ".sdf", sdf(model("m", uri(next, "<name>a</name>") + uri(next, "<name>b</name>"))));
  }
  folder.write("f20.sdf", sdf(model("m", a_link("a"))));
  const std::string doubled = (folder.path() / "f0.sdf").string();
  CHECK(test::missing(test::refusal<ParseError>([&] { return read_sdf(doubled).report; }), {"more than 1000 files"}) == "");
}

TEST_CASE("includes: repairs in an included file are reported, and refused in strict mode", "[io][mjcf][fast]") {
  const Folder folder;
  const std::string main = folder.write("main.xml", mujoco(include("b.xml")));
  folder.write("b.xml", "<!-- a comment -->\n words <mujoco><worldbody>" + leg + "</worldbody></mujoco>");
  const LoadReport report = read_mjcf(main).report;
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].origin == (folder.path() / "b.xml").string() + ":2");
  const std::string strictly = test::refusal<ParseError>([&] { return read_mjcf(main, {.strict = true}).report; });
  CHECK(test::missing(strictly, {"b.xml:2", "text before the root"}) == "");
}

TEST_CASE("includes: included SDF models have their own names and poses", "[io][sdf][fast]") {
  const Folder folder;
  folder.write("models/wheel/model.sdf", wheel);
  folder.write("parts/wheel.sdf", wheel);
  const auto read = [&](const std::string& inside, const ReadOptions& options = {}) {
    return read_sdf(folder.write("main.sdf", sdf(inside)), options);
  };
  const std::string car = a_link("body", "<pose>5 0 0 0 0 0</pose>") +
                          uri("parts/wheel.sdf", "<name>left</name><pose relative_to='body'>0 1 0 0 0 0</pose>") +
                          uri("models/wheel", "<name>right</name><pose>0 -1 0 0 0 0.5</pose><plugin/>") + uri("models/wheel/model.sdf") +
                          hinge("l", "body", "left::hub") + hinge("r", "body", "right::hub") + hinge("s", "body", "wheel");
  const Loaded<double> loaded = read(model("car", car));
  const Model<double>& m = loaded.model;
  const VectorX<double> q = m.neutral();
  CHECK(m.nv() == 6 + 3 + 3);
  CHECK(distance(test::pose_of(m, "left::hub", q), test::pose(5, 1, 0)) < 1e-14);
  CHECK(distance(test::pose_of(m, "left::rim", q), test::pose(6, 1, 0, 0, 0, 0.3)) < 1e-14);
  CHECK(distance(test::pose_of(m, "right::rim", q), test::pose(0, -1, 0, 0, 0, 0.5) * test::pose(1, 0, 0, 0, 0, 0.3)) < 1e-14);
  CHECK(distance(test::pose_of(m, "wheel::hub", q), test::pose(0, 0, 9)) < 1e-14);  // the pose of its own file
  CHECK(loaded.report.ignored.count("model/plugin") == 1);

  const std::string two = uri("model://wheel", "<name>a</name>") +
                          uri("model://wheel", "<name>b</name><static>true</static><pose>0 0 2 0 0 0</pose>");
  const Model<double> world = read("<world name='w'>" + two + "</world>", {.model_folders = {folder.path() / "models"}}).model;
  CHECK(world.nv() == 7);
  CHECK(distance(test::pose_of(world, "b::hub", world.neutral()), test::pose(0, 0, 2)) < 1e-14);
  CHECK(read(uri("parts/wheel.sdf")).model.nv() == 7);  // right below <sdf>, as if it were the file
  folder.write("wheel/model.sdf", wheel);
  CHECK(read(uri("model://wheel")).model.nv() == 7);  // next to the file
  const std::string by_its_rim = uri("wheel", "<placement_frame>rim</placement_frame><pose>4 0 0 0 0 0.3</pose>");
  const Model<double> placed = read(model("m", a_link("a") + by_its_rim)).model;
  CHECK(distance(test::pose_of(placed, "wheel::hub", placed.neutral()), test::pose(3, 0, 0)) < 1e-14);
}

TEST_CASE("includes: SDF paths are relative to the file that contains them", "[io][sdf][fast]") {
  const Folder folder;
  folder.write("a/car.sdf", sdf(model("car", uri("../b/wheel.sdf", "<pose>0 2 0 0 0 0</pose>"))));
  folder.write("b/wheel.sdf", wheel);
  const std::string main = folder.write("main.sdf", sdf(uri("a/car.sdf", "<pose>1 0 0 0 0 0</pose>")));
  const Model<double> m = read_sdf(main).model;
  CHECK(distance(test::pose_of(m, "wheel::hub", m.neutral()), test::pose(1, 2, 0)) < 1e-14);
}

TEST_CASE("includes: a merged model is treated as part of the including model", "[io][sdf][fast]") {
  const Folder folder;
  const std::string axis = "<xyz expressed_in='__model__'>1 0 0</xyz>";
  const std::string old_axis = "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>";
  folder.write("arm.sdf",
               sdf(model("arm", a_link("upper") + a_link("lower", "<pose>0 0 1 0 0.4 0</pose>") +
                                    a_link("hand", "<pose relative_to='lower'>0 0 1 0 0 0</pose>") +
                                    "<frame name='grip'><pose>0 0 2 0 0 0</pose></frame><frame name='tip' attached_to='hand'/>" +
                                    hinge("elbow", "upper", "lower", axis) + hinge("wrist", "lower", "hand", old_axis) +
                                    model("tool", "<pose>0 0 3 0 0 0</pose>" + a_link("bit")) + hinge("chuck", "hand", "tool::bit"))));
  const std::string base = a_link("base") + hinge("shoulder", "base", "upper");
  const auto read = [&](const std::string& include) {
    return read_sdf(folder.write("main.sdf", sdf(model("robot", base + include)))).model;
  };
  const Model<double> merged = read("<include merge='true'><uri>arm.sdf</uri><pose>1 2 3 0 0 0.7</pose></include>");
  const Pose<double> T = test::pose(1, 2, 3, 0, 0, 0.7);
  const VectorX<double> q = merged.neutral();
  CHECK(distance(test::pose_of(merged, "upper", q), T) < 1e-14);
  CHECK(distance(test::pose_of(merged, "lower", q), T * test::pose(0, 0, 1, 0, 0.4)) < 1e-14);
  CHECK(distance(test::pose_of(merged, "hand", q), T * test::pose(0, 0, 1, 0, 0.4) * test::pose(0, 0, 1)) < 1e-14);
  CHECK(distance(test::pose_of(merged, "grip", q), T * test::pose(0, 0, 2)) < 1e-14);
  CHECK(distance(test::pose_of(merged, "tip", q), test::pose_of(merged, "hand", q)) < 1e-14);
  CHECK(distance(test::pose_of(merged, "tool::bit", q), T * test::pose(0, 0, 3)) < 1e-14);
  // The same robot with a nested arm: the same motions, with other names.
  const Model<double> nested =
      read_sdf(folder.write("nested.sdf", sdf(model("robot", a_link("base") + hinge("shoulder", "base", "arm::upper") +
                                                                 uri("arm.sdf", "<pose>1 2 3 0 0 0.7</pose>")))))
          .model;
  REQUIRE(merged.nv() == nested.nv());
  VectorX<double> turned = q, turned_there = nested.neutral();
  for (const std::string joint : {"elbow", "wrist", "chuck"}) {
    turned[merged.q_index(merged.find_joint(joint))] = 0.6;
    turned_there[nested.q_index(nested.find_joint("arm::" + joint))] = 0.6;
  }
  for (const std::string link : {"upper", "lower", "hand", "tool::bit"}) {
    CHECK(distance(test::pose_of(merged, link, turned), test::pose_of(nested, "arm::" + link, turned_there)) < 1e-14);
  }
  folder.write("twice.sdf", sdf(model("twice", "<include merge='1'><uri>arm.sdf</uri><pose>0 0 1 0 0 0</pose></include>")));
  const Model<double> twice = read("<include merge='true'><uri>twice.sdf</uri><pose>1 0 0 0 0 0</pose></include>");
  CHECK(distance(test::pose_of(twice, "grip", twice.neutral()), test::pose(1, 0, 3)) < 1e-14);
}

TEST_CASE("includes: axes of SDF files before and after version 1.5 are read correctly", "[io][sdf][fast]") {
  const Folder folder;
  const std::string part = a_link("a") + a_link("b", "<pose>0 0 0 0 0 1.2</pose>") + hinge("j", "a", "b", "<xyz>1 0 0</xyz>");
  const auto axis_in = [&](const std::string& outer, const std::string& inner) {
    folder.write("part.sdf", sdf(model("part", part), inner));
    const Model<double> m = read_sdf(folder.write("main.sdf", sdf(model("m", a_link("c") + uri("part.sdf")), outer))).model;
    return std::get<Revolute<double>>(m.joint(m.find_joint("part::j"))).axis();
  };
  const Vector3<double> in_joint(1, 0, 0), in_model = test::pose(0, 0, 0, 0, 0, -1.2).R * in_joint;
  for (const std::string outer : {"1.4", "1.6"}) {
    CHECK((axis_in(outer, "1.4") - in_model).norm() < 1e-14);
    CHECK((axis_in(outer, "1.6") - in_joint).norm() < 1e-14);
  }
}

TEST_CASE("includes: errors in SDF files with includes are reported with file and line", "[io][sdf][fast]") {
  const Folder folder;
  const auto in_model = [](const std::string& inside) { return sdf(model("m", a_link("a") + inside)); };
  const auto [files, parts] = GENERATE_COPY(table<Files, std::vector<std::string>>({
      {{{"main.sdf", in_model(uri("b.sdf"))}}, {"main.sdf:4: <include>: '", "b.sdf' is not a file"}},
      {{{"main.sdf", in_model(uri(""))}}, {"main.sdf:4", "names no file"}},
      {{{"main.sdf", in_model(uri("d"))}, {"d/other.sdf", ""}}, {"d/model.sdf' is not a file"}},
      {{{"main.sdf", in_model(uri("model://sun"))}}, {"main.sdf:4", "'sun' is in none of the model folders"}},
      {{{"main.sdf", in_model(uri("model://../x"))}}, {"'../x' is in none"}},
      {{{"main.sdf", in_model(uri("model:///etc"))}}, {"'/etc' is in none"}},
      {{{"main.sdf", in_model(uri("../b.sdf"))}}, {"leads out of the folder"}},
      {{{"main.sdf", in_model(uri("/b.sdf"))}}, {"absolute path"}},
      {{{"main.sdf", in_model(uri("https://fuel.example.org/b"))}}, {"'https://fuel.example.org/b' is not fetched"}},
      {{{"main.sdf", in_model(uri("main.sdf"))}}, {"main.sdf:4", "includes itself"}},
      {{{"main.sdf", in_model(uri("b.sdf"))}, {"b.sdf", sdf(model("b", "\n" + uri("./main.sdf")))}},
       {"b.sdf:4", "main.sdf' includes itself"}},
      {{{"main.sdf", in_model(uri("b.sdf"))}, {"b.sdf", "<robot name='b'/>"}}, {"main.sdf:4", "is not an <sdf> with exactly one <model>"}},
      {{{"main.sdf", in_model(uri("b.sdf"))}, {"b.sdf", sdf("<world name='w'/>")}}, {"is not an <sdf> with exactly one <model>"}},
      {{{"main.sdf", in_model(uri("b.sdf"))}, {"b.sdf", sdf("\n<model>")}}, {"b.sdf:3: mismatched end tag"}},
      {{{"main.sdf", in_model(uri("b.sdf"))}, {"b.sdf", sdf(model("b", a_link("x") + a_link("y", "<pose>1 2</pose>")))}},
       {"b.sdf:4: link 'y'", "<pose> has 2 numbers"}},
      {{{"main.sdf", in_model(uri("b.sdf", "<pose>1 2</pose>"))}, {"b.sdf", wheel}}, {"main.sdf:4", "<pose> has 2 numbers"}},
      {{{"main.sdf", in_model(uri("b.sdf", "<name>a</name>"))}, {"b.sdf", wheel}}, {"b.sdf:2", "main.sdf:3", "the name is already in use"}},
      {{{"main.sdf", in_model(uri("b.sdf", "<placement_frame>rim</placement_frame>"))}, {"b.sdf", wheel}},
       {"main.sdf:4", "needs a <pose>"}},
      {{{"main.sdf", in_model("<include merge='1'><uri>b.sdf</uri></include>")}, {"b.sdf", sdf(model("b", a_link("a")))}},
       {"b.sdf:3", "the name is already in use"}},
      {{{"main.sdf", in_model("<include merge='1'><uri>b.sdf</uri></include>")}, {"b.sdf", sdf(model("b", ""))}},
       {"b.sdf:2", "without links"}},
      {{{"main.sdf", sdf("<include merge='1'><uri>b.sdf</uri></include>")}, {"b.sdf", wheel}}, {"merged only into another <model>"}},
      {{{"main.sdf", in_model("<include merge='1'><uri>b.sdf</uri><pose/><placement_frame>rim</placement_frame></include>")},
        {"b.sdf", wheel}},
       {"placement_frame cannot be merged"}},
  }));
  CAPTURE(files[0].second);
  const std::string said = refused(folder, files);
  for (const std::string& part : parts) CHECK(test::missing(said, {part}) == "");
}

TEST_CASE("includes: an included light is ignored and reported, as in the file itself", "[io][sdf][fast]") {
  const Folder folder;
  folder.write("sun/model.sdf", sdf("<light name='sun' type='directional'><pose>0 0 10 0 0 0</pose></light>"));
  const auto ignored = [&](const std::string& light) {
    const auto loaded = read_sdf(folder.write("world.sdf", sdf("<world name='w'>\n" + light + model("m", a_link("hub")) + "</world>")));
    CHECK(loaded.model.mass() == 2);
    return loaded.report.ignored;
  };
  CHECK(ignored(uri("model://sun")) == ignored("<light name='sun' type='directional'><pose>0 0 10 0 0 0</pose></light>"));
  CHECK_FALSE(ignored(uri("model://sun")).empty());
}

TEST_CASE("includes: an included SDF file without a version is repaired, and refused in strict mode", "[io][sdf][fast]") {
  const Folder folder;
  const Files files = {{"main.sdf", sdf(model("m", a_link("base") + uri("part.sdf")))},
                       {"part.sdf", "<sdf>\n" + model("part", a_link("hub")) + "</sdf>"}};
  CHECK_THAT(refused(folder, files, {.strict = true}), test::contains("part.sdf:1: <sdf> has no version"));
  const auto loaded = read_sdf((folder.path() / "main.sdf").string());
  REQUIRE(loaded.report.repairs.size() == 1);
  CHECK_THAT(loaded.report.repairs[0].origin, test::contains("part.sdf:1"));
}

TEST_CASE("includes: invalid settings of an SDF include are repaired, and refused in strict mode", "[io][sdf][fast]") {
  const Folder folder;
  const auto [include, static_part, remark, merged] = GENERATE(table<std::string, std::string, std::string, bool>({
      {"<include merge='yes'>\n<uri>b.sdf</uri></include>", "", "main.sdf:4: <include>: merge is 'yes', expected true or false", false},
      {"<include>\n<uri>b.sdf</uri>\n<uri>c.sdf</uri></include>", "", "main.sdf:6: <include>: it has a second <uri>", false},
      {"<include merge='true'>\n<uri>b.sdf</uri></include>", "\n<static>true</static>", "b.sdf:4: <include>: a static model is merged",
       true},
      {"<include merge='true'>\n<uri>b.sdf</uri>\n<static>1</static></include>", "", "main.sdf:6: <include>: a static model is merged",
       true},
  }));
  CAPTURE(include);
  const Files files = {{"main.sdf", sdf(model("m", a_link("base") + include))}, {"b.sdf", sdf(model("b", static_part + a_link("hub")))}};
  CHECK_THAT(refused(folder, files, {.strict = true}), test::contains(remark));
  const auto loaded = read_sdf((folder.path() / "main.sdf").string());
  REQUIRE(loaded.report.repairs.size() == 1);
  CHECK_THAT(loaded.report.repairs[0].origin + ": " + loaded.report.repairs[0].text, test::contains(remark));
  CHECK(loaded.model.nv() == 12);  // nothing is static
  CHECK_NOTHROW(loaded.model.find_body(merged ? "hub" : "b::hub"));
}

TEST_CASE("includes: an MJCF include has no children", "[io][mjcf][fast]") {
  const Folder folder;
  CHECK_THAT(refused(folder, {{"main.xml", mujoco("<include file='a.xml'><body/></include>")}, {"a.xml", mujoco(ball)}}),
             test::contains("child elements"));
}

}  // namespace include_files_test
