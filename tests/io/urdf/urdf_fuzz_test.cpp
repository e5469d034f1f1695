// SPDX-License-Identifier: BSD-3-Clause
// Damaged files: any content gives a model or a ParseError, nothing else.
#include <random>
#include <string>

#include "io/read_urdf.hpp"
#include "support/catch.hpp"

using namespace actio;

namespace urdf_fuzz_test {

const std::string sound = R"(<?xml version="1.0"?>
<robot name="fuzz">
  <link name="world"/>
  <link name="base"><inertial><origin xyz="0 0 1" rpy="0 0 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="arm"><collision name="c"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="hand"><!-- empty --></link>
  <joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="j1" type="revolute"><origin xyz="0 0 -1" rpy="0.1 0 0"/><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="100" velocity="10"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="j2" type="prismatic"><parent link="arm"/><child link="hand"/><limit lower="0" upper="1"/><mimic joint="j1" multiplier="2" offset="0.1"/></joint>
  <loop_joint name="l"><link1 link="hand" xyz="0 0 0"/><link2 link="base" xyz="1 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/></loop_joint>
  <frame name="grip" link="hand" xyz="0 0 1" rpy="0 0 0"/>
  <gazebo reference="arm"><material>Blue</material></gazebo>
</robot>
)";

const std::string pieces[] = {"<",         ">",
                              "/>",        "</",
                              "\"",        "'",
                              "&",         "&#0;",
                              "<!--",      "-->",
                              "<![CDATA[", "]]>",
                              "<?xml",     "<!DOCTYPE x [",
                              "1e400",     "nan",
                              "-",         "inf",
                              "1e-400",    std::string(1, '\0'),
                              "\xff",      "\xc3\x28",
                              "world",     "base",
                              "j1",        "<joint name='j' type='planarfree'>",
                              "</robot>",  "<robot>",
                              " ",         "\n"};

std::string damaged(std::mt19937& random) {
  std::string text = sound;
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t times = 1 + below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size()), length = below(40);
    switch (below(6)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(below(text.size()), length)); break;
      case 3: text.insert(at, pieces[below(std::size(pieces))]); break;
      case 4: text.replace(at, 1, pieces[below(std::size(pieces))]); break;
      default:
        if (below(4) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

template <Scalar S>
void survive(unsigned seed, int rounds) {
  std::mt19937 random(seed);
  int loaded = 0, refused = 0;
  for (int k = 0; k < rounds; ++k) {
    const std::string text = damaged(random);
    CAPTURE(seed, k, text);
    try {
      const auto result = parse_urdf<S>(text, "file", {.strict = k % 4 == 0});
      REQUIRE(result.model.why_not_configuration(result.model.neutral()) == "");
      ++loaded;
    } catch (const ParseError& error) {
      REQUIRE(std::string(error.what()).rfind("file", 0) == 0);
      ++refused;
    }  // any other exception fails the test
  }
  CHECK(loaded > rounds / 50);  // otherwise the damage is too great to test more than the XML parser
  CHECK(refused > rounds / 50);
}

TEMPLATE_TEST_CASE("urdf: damaged files give a model or a ParseError", "[io][urdf][fast]", float, double) {
  REQUIRE_NOTHROW(parse_urdf<TestType>(sound, "file", {.strict = true}));
  survive<TestType>(20240607u + static_cast<unsigned>(sizeof(TestType)), 3000);
}

TEST_CASE("urdf: every truncated file gives a model or a ParseError", "[io][urdf][fast]") {
  for (std::size_t length = 0; length < sound.rfind("</robot>"); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(parse_urdf(sound.substr(0, length), "file"), ParseError);
  }
}

TEST_CASE("urdf: numbers that float cannot hold are refused for float", "[io][urdf][fast]") {
  const std::string text =
      "<robot name='r'><link name='a'><inertial><mass value='1e30'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
  CHECK_NOTHROW(parse_urdf<double>(text, "file"));
  CHECK_THROWS_AS(parse_urdf<float>(text, "file"), ParseError);
}

}  // namespace urdf_fuzz_test
