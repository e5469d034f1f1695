// SPDX-License-Identifier: BSD-3-Clause
// The robots and the invalid files of the collection, compared with its READMEs.
#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <locale>
#include <map>
#include <set>
#include <string>
#include <vector>
#ifdef __unix__
#include <sys/resource.h>
#endif

#include "io/read_urdf.hpp"
#include "support/catch.hpp"
#include "support/stopwatch.hpp"
#include "support/shared_file.hpp"

namespace urdf_collection_test {

using namespace actio;
using actio::test::shared_file;

struct Robot {
  const char* file;
  int links;
  std::map<std::string, int> joints;
  int dof;
  double mass;  // to four digits
};

// The degrees of freedom of the model. For youbot and urdf_test_cd the README counts only the joint types that all its programs support (11
// and 15).
const std::vector<Robot> robots{
    {"ur5.urdf", 11, {{"revolute", 6}, {"fixed", 4}}, 6, 20.99},
    {"ur10.urdf", 11, {{"revolute", 6}, {"fixed", 4}}, 6, 32.7},
    {"panda.urdf", 13, {{"revolute", 7}, {"fixed", 3}, {"prismatic", 2}}, 8, 17.45},
    {"iiwa14.urdf", 11, {{"fixed", 3}, {"revolute", 7}}, 7, 30.61},
    {"iiwa14_planar.urdf", 10, {{"fixed", 6}, {"revolute", 3}}, 3, 30.61},
    {"kinova_j2s6s200.urdf", 13, {{"fixed", 6}, {"continuous", 3}, {"revolute", 3}}, 6, 4.838},
    {"fanuc_m10ia.urdf", 9, {{"revolute", 6}, {"fixed", 2}}, 6, 0},
    {"baxter.urdf", 57, {{"fixed", 37}, {"revolute", 15}, {"prismatic", 4}}, 17, 137.3},
    {"pr2.urdf", 82, {{"fixed", 51}, {"prismatic", 1}, {"revolute", 25}, {"continuous", 4}}, 20, 257.2},
    {"youbot.urdf", 17, {{"planaraxis", 1}, {"continuous", 4}, {"fixed", 4}, {"revolute", 5}, {"prismatic", 2}}, 11 + 3, 36.62},
    {"allegro_right.urdf", 22, {{"fixed", 5}, {"revolute", 16}}, 16, 0.9549},
    {"shadow_hand.urdf", 33, {{"fixed", 8}, {"revolute", 24}}, 24, 3.794},
    {"robotiq_c2.urdf", 10, {{"fixed", 3}, {"revolute", 6}}, 1, 0},
    {"inspire_hand_right.urdf", 14, {{"fixed", 1}, {"revolute", 12}}, 6, 0.1918},
    {"finger_edu.urdf", 6, {{"fixed", 2}, {"revolute", 3}}, 3, 2.338},
    {"anymal_b.urdf", 23, {{"fixed", 10}, {"revolute", 12}}, 12, 30.48},
    {"anymal_c.urdf", 78, {{"fixed", 65}, {"revolute", 12}}, 12, 52.13},
    {"solo12.urdf", 17, {{"revolute", 12}, {"fixed", 4}}, 12, 2.5},
    {"a1.urdf", 23, {{"fixed", 10}, {"revolute", 12}}, 12, 13.74},
    {"go1.urdf", 46, {{"fixed", 33}, {"revolute", 12}}, 12, 13.1},
    {"go2.urdf", 42, {{"fixed", 29}, {"revolute", 12}}, 12, 16.09},
    {"minitaur.urdf", 27, {{"fixed", 10}, {"continuous", 8}, {"revolute", 8}}, 16, 6},
    {"cassie_v4.urdf", 17, {{"revolute", 16}}, 16, 34.68},
    {"cassie_dairlib.urdf", 23, {{"revolute", 16}, {"fixed", 6}}, 16, 33.01},
    {"atlas_v4_minimal.urdf", 60, {{"revolute", 30}, {"fixed", 29}}, 30, 175.1},
    {"atlas_v5_convex.urdf", 70, {{"revolute", 30}, {"fixed", 39}}, 30, 175.1},
    {"h1.urdf", 25, {{"revolute", 19}, {"fixed", 5}}, 19, 59.34},
    {"g1_29dof.urdf", 40, {{"fixed", 10}, {"revolute", 29}}, 29, 35.12},
    {"g1_inspire.urdf", 63, {{"fixed", 9}, {"revolute", 53}}, 41, 33.38},
    {"h1_2.urdf", 58, {{"revolute", 51}, {"fixed", 6}}, 39, 67.37},
    {"ergocub.urdf", 204, {{"revolute", 57}, {"fixed", 146}}, 57, 56.45},
    {"romeo_small.urdf", 58, {{"revolute", 31}, {"fixed", 26}}, 31, 40.53},
    {"simple_humanoid.urdf", 31, {{"fixed", 1}, {"revolute", 29}}, 29, 130.8},
    {"double_pendulum.urdf", 3, {{"revolute", 2}}, 2, 0.701},
    {"double_pendulum_continuous.urdf", 3, {{"continuous", 2}}, 2, 0.701},
    {"double_pendulum_simple.urdf", 4, {{"revolute", 2}, {"fixed", 1}}, 2, 0.6},
    {"asr_twodof.urdf", 5, {{"fixed", 2}, {"revolute", 2}}, 2, 2.1},
    {"acrobot_drake.urdf", 2, {{"revolute", 2}}, 2, 2},
    {"acrobot_unicode.urdf", 3, {{"fixed", 1}, {"continuous", 2}}, 2, 2},
    {"acrobot_floating.urdf", 3, {{"fixed", 1}, {"continuous", 1}}, 1, 7},
    {"five_link_biped.urdf", 15, {{"fixed", 7}, {"prismatic", 2}, {"continuous", 1}, {"revolute", 4}}, 7, 31.2},
    {"planar_walker.urdf", 13, {{"fixed", 5}, {"prismatic", 2}, {"continuous", 4}, {"revolute", 1}}, 7, 20},
    {"cartpole.urdf", 3, {{"prismatic", 1}, {"continuous", 1}}, 2, 11},
    {"r2d2.urdf", 16, {{"fixed", 7}, {"continuous", 5}, {"prismatic", 1}, {"revolute", 2}}, 8, 65.25},
    {"humanoid_spherical.urdf", 16, {{"fixed", 3}, {"spherical", 8}, {"revolute", 4}}, 28, 45},
    {"door.urdf", 3, {{"fixed", 1}, {"continuous", 1}}, 1, 2},
    {"iris_quadrotor.urdf", 6, {{"fixed", 5}}, 0, 1.535},
    {"hector_quadrotor.urdf", 1, {}, 0, 1.477},
    {"skydio2_quadrotor.urdf", 1, {}, 0, 0.775},
    {"planar_3dof_pinocchio.urdf", 4, {{"prismatic", 3}}, 3, 0},
    {"identical_names_pinocchio.urdf", 2, {{"fixed", 1}}, 0, 0},
    {"planar_slider_rbd.urdf", 4, {{"planar", 3}}, 9, 0},
    {"urdf_test_cd.urdf",
     13,
     {{"revolute", 1},
      {"continuous", 1},
      {"prismatic", 1},
      {"planar", 1},
      {"planarfree", 1},
      {"fixed", 1},
      {"floating", 1},
      {"ball", 1},
      {"fixedorientation", 1},
      {"cylindrical", 1},
      {"cylindricalfree", 1},
      {"planaraxis", 1}},
     15 + 5 + 3 + 2 + 4 + 3,
     12},
    {"doublependulum_cd.urdf", 3, {{"continuous", 2}}, 2, 2},
    {"loops/fourbar_cd.urdf", 5, {{"continuous", 4}}, 4, 4},
    {"loops/fourbar_dojo.urdf", 5, {{"continuous", 4}}, 4, 4},
    {"loops/cassie_full_loop_joint.urdf", 37, {{"revolute", 34}, {"fixed", 2}}, 34, 33.32},
};

/// Parts of the message for each invalid file; files that lenient mode accepts have a code in the report.
struct Broken {
  const char* file;
  std::vector<std::string> parts;
  const char* lenient_code = nullptr;
};
const std::vector<Broken> broken_files{
    {"01_empty_file.urdf", {"empty"}},
    {"02_malformed_xml.urdf", {":5", "</lnk>", "<link>"}},
    {"03_truncated.urdf", {":7", "end of the file"}},
    {"04_wrong_root_tag.urdf", {":2", "<model>", "<robot>", "SDF", "MJCF"}},
    {"05_cycle.urdf", {"a -> b -> c -> a", "'jb'", "'jc'", "'ja'", "loop constraint"}},
    {"06_two_roots.urdf", {"'base'", "'other'", "root"}},
    {"08_unknown_joint_type.urdf", {":7", "'j2'", "'hinge'", "revolute", "floating"}},
    {"09_missing_joint_type.urdf", {":7", "'j2'", "type"}},
    {"10_missing_limit.urdf", {":7", "'j2'", "<limit>"}, "joint.limit"},
    {"11_limit_inverted.urdf", {":7", "'j2'", " 1 ", "-1"}},
    {"12_missing_parent.urdf", {":7", "'j2'", "<parent>"}},
    {"13_undeclared_child.urdf", {":6", "'j2'", "'ghost'"}},
    {"15_duplicate_link.urdf", {"'l1'", ":4", ":5"}},
    {"16_duplicate_joint.urdf", {"'j1'", ":6", ":7"}},
    {"17_negative_mass.urdf", {":5", "'l2'", "-1"}},
    {"19_triangle_inequality.urdf", {":5", "'l2'", "0.09, 0.09, 0.5", "triangle"}, "inertia.triangle"},
    {"21_zero_axis.urdf", {":7", "'j2'", "axis"}},
    {"22_huge_numbers.urdf", {":5", "'l2'", "1e400", "1e308"}},
    {"24_wrong_vector_length.urdf", {":7", "'j2'", "xyz", "has 2", "rpy", "has 4", "expected 3"}},
    {"27_external_entity.urdf", {":2", "DOCTYPE"}},
    {"28_mimic_unknown.urdf", {":7", "'j2'", "'nope'"}},
    {"31_no_links.urdf", {"'bad'", "no links"}},
    {"32_two_documents.urdf", {":9", "after the root element"}},
    {"33_binary_garbage.urdf", {"not XML"}},
};

/// Returns the error message of a file; empty if it loads.
std::string refusal(const std::string& path, bool strict) {
  try {
    static_cast<void>(read_urdf(path, {.strict = strict}));
    return {};
  } catch (const ParseError& error) {
    return error.what();
  }
}

std::set<std::string> urdf_files(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".urdf") names.insert(entry.path().filename().string());
  }
  return names;
}

struct CommaPunctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("urdf: every robot of the collection loads with the counts of its README", "[io][urdf][fast]") {
  if (!shared_file("robots")) ACTIO_SKIP("no collection of robots");
  std::set<std::string> unlisted = urdf_files(*shared_file("robots"));
  for (const Robot& robot : robots) {
    CAPTURE(robot.file);
    unlisted.erase(robot.file);
    const std::string path = shared_file(std::string("robots/") + robot.file)->string();
    const test::Stopwatch watch;
    const auto loaded = read_urdf(path);
    const auto& model = loaded.model;
    const LoadReport& report = loaded.report;
    CHECK(watch.seconds() < test::a_second);
    CHECK(report.links == robot.links);
    CHECK(report.joints == robot.joints);
    CHECK(model.dof() == robot.dof);
    const std::string file = robot.file;
    CHECK(report.dof == (file == "youbot.urdf" ? 11 : file == "urdf_test_cd.urdf" ? 15 : robot.dof));
    CHECK(std::abs(model.mass() - robot.mass) <= 6e-4 * robot.mass);
    CHECK(model.why_not_configuration(model.neutral()) == "");
    for (BodyIndex i = 0; i < model.num_bodies(); ++i) CHECK(model.inertia(i).is_finite());
  }
  CHECK(unlisted == std::set<std::string>{});
}

TEST_CASE("urdf: loops, mimic joints and repairs of the collection are recognised", "[io][urdf][fast]") {
  if (!shared_file("robots")) ACTIO_SKIP("no collection of robots");
  const auto read = [](const char* file) { return read_urdf(shared_file(std::string("robots/") + file)->string()); };
  CHECK(read("loops/cassie_full_loop_joint.urdf").model.loops().size() == 4);
  CHECK(read("loops/fourbar_cd.urdf").model.loops().size() == 1);
  CHECK(read("pr2.urdf").model.couplings().size() == 10);
  CHECK(read("inspire_hand_right.urdf").model.couplings().size() == 6);
  const std::vector<std::pair<const char*, const char*>> repaired{
      {"shadow_hand.urdf", "xml.declaration"},    {"humanoid_spherical.urdf", "xml.nul"},
      {"acrobot_floating.urdf", "xml.namespace"}, {"acrobot_drake.urdf", "joint.parent"},
      {"five_link_biped.urdf", "joint.limit"},    {"loops/cassie_full_loop_joint.urdf", "number.empty"},
      {"cassie_dairlib.urdf", "inertia.missing"}, {"minitaur.urdf", "joint.limit"},
      {"kinova_j2s6s200.urdf", "joint.axis"},     {"youbot.urdf", "joint.type"}};
  for (const auto& [file, code] : repaired) {
    CAPTURE(file);
    bool found = false;
    for (const Finding& finding : read(file).report.repairs) found |= finding.code == code;
    CHECK(found);
    CHECK(refusal(shared_file(std::string("robots/") + file)->string(), true).find(code) != std::string::npos);
  }
  for (const char* file : {"anymal_b.urdf", "anymal_c.urdf", "pr2.urdf", "romeo_small.urdf"}) {
    CAPTURE(file);
    CHECK(refusal(shared_file(std::string("robots/") + file)->string(), true).find("triangle") != std::string::npos);
  }
  for (const char* file : {"ur5.urdf", "panda.urdf", "g1_29dof.urdf", "loops/fourbar_dojo.urdf"}) {
    CAPTURE(file);
    CHECK(refusal(shared_file(std::string("robots/") + file)->string(), true) == "");
  }
}

TEST_CASE("urdf: every invalid file is refused or repaired in both modes, quickly and by name", "[io][urdf][fast]") {
  if (!shared_file("robots/bad")) ACTIO_SKIP("no collection of robots");
  std::set<std::string> unlisted = urdf_files(*shared_file("robots/bad"));
  unlisted.erase("00_baseline_ok.urdf");
  for (const bool strict : {false, true}) {
    CHECK(refusal(shared_file("robots/bad/00_baseline_ok.urdf")->string(), strict) == "");
    for (const Broken& broken : broken_files) {
      CAPTURE(broken.file, strict);
      unlisted.erase(broken.file);
      const std::string path = shared_file(std::string("robots/bad/") + broken.file)->string();
      const test::Stopwatch watch;
      if (broken.lenient_code && !strict) {
        const LoadReport report = read_urdf(path).report;
        std::vector<Finding> all = report.repairs;
        all.insert(all.end(), report.warnings.begin(), report.warnings.end());
        REQUIRE(all.size() == 1);
        CHECK(all[0].code == broken.lenient_code);
        CHECK(all[0].text.find(broken.parts[1]) != std::string::npos);
      } else {
        const std::string message = refusal(path, strict);
        CAPTURE(message);
        CHECK(message.find(broken.file) != std::string::npos);
        for (const std::string& part : broken.parts) CHECK(message.find(part) != std::string::npos);
      }
      CHECK(watch.seconds() < test::a_second);
    }
  }
  CHECK(unlisted == std::set<std::string>{});

  std::ifstream target(*shared_file("robots/bad/27_external_entity_target.txt"));
  std::string secret;
  std::getline(target, secret);
  REQUIRE(!secret.empty());
  CHECK(refusal(shared_file("robots/bad/27_external_entity.urdf")->string(), false).find(secret) == std::string::npos);
}

TEST_CASE("urdf: a decimal comma in the locale changes nothing", "[io][urdf][fast]") {
  const std::string text =
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1.57'/><inertia ixx='0.5' iyy='0.5' "
      "izz='0.5'/></inertial></link>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0.25 0 0'/></joint></robot>";
  const std::string bad = "<robot name='r'><link name='a'><inertial><mass value='-1234.5'/></inertial></link></robot>";
  const auto message = [&] {
    try {
      return std::to_string(parse_urdf(bad, "file").report.links);
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
  };
  const std::string expected = message();
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"}) {  // for the C library too, if the locale exists
    if (std::setlocale(LC_ALL, name)) break;
  }
  const auto model = parse_urdf(text, "file").model;
  const std::string under_comma = message();
  std::locale::global(before);
  std::setlocale(LC_ALL, c_before.c_str());
  CHECK(model.mass() == 1.57);
  CHECK(model.placement(1).p[0] == 0.25);
  CHECK(under_comma == expected);
  CHECK(expected.find("-1234.5") != std::string::npos);
}

#if defined(__linux__)
TEST_CASE("urdf: the most expensive input within the limits takes less than a second and 100 MB", "[io][urdf][fast]") {
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;  // MB
  };
  const auto before = peak();
  const auto numbered = [](int count, const std::string& head, const std::string& middle, const std::string& tail, int shift) {
    std::string all;
    for (int k = 1; k < count; ++k) all += head + std::to_string(k) + middle + (middle.empty() ? "" : std::to_string(k - shift)) + tail;
    return all;
  };
  const std::string padding(80, 'n');
  const std::vector<std::string> texts{
      numbered(45'000, "<link name='" + padding, "", "'/>", 0),
      numbered(45'000, "<joint name='j", "", "'/><link name='x'/>", 0),
      "<link name='l0'/>" + numbered(8'000, "<link name='l", "", "'/>", 0) +
          numbered(8'000, "<joint type='continuous' name='j", "'><child link='l", "'/><parent link='l0'/><mimic joint='j1'/></joint>", 0),
      "<link name='l0'><inertial><mass value='" + std::string(4'900'000, '7') + "'/></inertial></link>",
  };
  for (const std::string& text : texts) {
    const test::Stopwatch watch;
    try {
      static_cast<void>(parse_urdf("<robot name='r'>" + text + "</robot>", "file"));
    } catch (const ParseError& error) {
      CHECK(std::string(error.what()).size() < 21'000);
    }
    CHECK(watch.seconds() < test::a_second);
  }
  if (!test::checks_accesses) CHECK(peak() - before < 100);  // sanitizers keep freed memory for a while
}
#endif

}  // namespace urdf_collection_test
