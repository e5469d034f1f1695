// SPDX-License-Identifier: BSD-3-Clause
// Damaged SDF and MJCF files: any content gives a model or a ParseError, nothing else; and the most expensive input within the limits
// is refused quickly.
#include <random>
#include <string>
#include <vector>

#include "io/read_models.hpp"
#include "support/catch.hpp"
#include "support/stopwatch.hpp"

namespace models_fuzz_test {

using namespace actio;

const std::string sound_sdf = R"(<?xml version="1.0"?>
<sdf version="1.9"><model name="m" canonical_link="a"><pose>0 0 1 0 0 0</pose>
  <link name="a"><inertial><pose>0 0 1 0 0 1</pose><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy></inertia></inertial></link>
  <link name="b"><pose relative_to="j">0 1 0 0.3 0 0</pose><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <collision name="c"><pose relative_to="f">0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision></link>
  <link name="c"><pose degrees="true">1 1 0 0 90 0</pose><inertial auto="true"/><collision name="s"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>
  <frame name="f" attached_to="b"><pose>0 0 0 1.5708 0 0</pose></frame>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><pose relative_to="a">0 0 1 0 0 0</pose><axis><xyz expressed_in="__model__">0 1 0</xyz>
    <limit><lower>-1</lower><upper>inf</upper></limit><dynamics><damping>0.1</damping></dynamics></axis></joint>
  <joint name="k" type="universal"><parent>a</parent><child>c</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  <joint name="l" type="ball"><parent>f</parent><child>c</child></joint>
  <model name="inner" placement_frame="g"><pose relative_to="f"/><link name="d"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
    <frame name="g" attached_to="d"><pose>0 0 1 0 0 0</pose></frame></model>
  <joint name="w" type="fixed"><parent>c</parent><child>inner::d</child></joint>
</model></sdf>
)";

const std::string sound_mjcf = R"(<mujoco model="m"><compiler angle="radian" eulerseq="zyx"/><option gravity="0 0 -9"/>
  <default><joint damping="1"/><default class="x"><geom type="capsule" size="0.1"/><joint armature="0.1"/></default></default>
  <asset><mesh name="k" file="k.stl"/></asset>
  <worldbody><geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1" euler="0.1 0.2 0.3" childclass="x"><freejoint name="root"/><geom fromto="0 0 0 0 0 1"/>
      <body name="b" quat="1 0 0 1"><joint name="j" axis="0 1 0" range="-1 1" ref="0.1"/><joint name="jj" axis="1 0 0"/><geom class="main" type="box" size="1 2 3"/>
        <body name="c" xyaxes="0 1 0 -1 0 0"><joint name="s" type="slide"/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/></body></body>
      <frame pos="1 0 0"><body name="d" zaxis="1 0 0"><joint name="h" stiffness="1" springref="0.2"/><geom class="main" size="0.2" mass="1"/></body></frame>
    </body>
  </worldbody>
  <equality><connect body1="b" body2="d" anchor="0 0 1"/><weld body1="c" body2="d" active="false"/><joint joint1="s" joint2="h" polycoef="0 2 0 0 0"/></equality>
</mujoco>
)";

const std::string pieces[] = {"<",
                              ">",
                              "/>",
                              "</",
                              "\"",
                              "'",
                              "&",
                              "&#0;",
                              "<!--",
                              "-->",
                              "<![CDATA[",
                              "]]>",
                              "1e400",
                              "nan",
                              "-",
                              "inf",
                              std::string(1, '\0'),
                              "\xff",
                              "world",
                              "a",
                              "b",
                              "j",
                              "x",
                              "f",
                              "__model__",
                              "inner::d",
                              "::",
                              " ",
                              "\n",
                              "<joint/>",
                              "<link/>",
                              "<body/>",
                              "<model/>",
                              "<default/>",
                              "<frame/>"};

std::string damaged(const std::string& sound, std::mt19937& random) {
  std::string text = sound;
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t times = 1 + below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size()), length = below(40);
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 4:
        text.replace(at, 1, pieces[below(std::size(pieces))]);
        break;
      default:
        if (below(4) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

using Parser = Loaded<double> (*)(std::string_view, const std::string&, const ReadOptions&);

TEST_CASE("models: damaged files give a model or a ParseError", "[io][sdf][mjcf][fast]") {
  const auto [sound, parse] =
      GENERATE(table<const std::string*, Parser>({{&sound_sdf, &parse_sdf<double>}, {&sound_mjcf, &parse_mjcf<double>}}));
  REQUIRE_NOTHROW(parse(*sound, "file", {}));
  constexpr unsigned seed = 20241122;
  std::mt19937 random(seed);
  constexpr int rounds = 3000;
  int loaded = 0, refused = 0;
  for (int k = 0; k < rounds; ++k) {
    const std::string text = damaged(*sound, random);
    CAPTURE(seed, k, text);
    try {
      const auto result =
          parse(text, "file",
                {.strict = k % 4 == 0, .base = k % 3 == 0 ? std::optional(k % 2 == 0 ? Base::fixed : Base::floating) : std::nullopt});
      REQUIRE(result.model.why_not_configuration(result.model.neutral()) == "");
      ++loaded;
    } catch (const ParseError& error) {
      REQUIRE(std::string(error.what()).rfind("file", 0) == 0);
      ++refused;
    }  // any other exception fails the test
  }
  CHECK(loaded > rounds / 50);
  CHECK(refused > rounds / 50);
}

TEST_CASE("models: every truncated file gives a model or a ParseError", "[io][sdf][mjcf][fast]") {
  const auto [sound, parse] =
      GENERATE(table<const std::string*, Parser>({{&sound_sdf, &parse_sdf<double>}, {&sound_mjcf, &parse_mjcf<double>}}));
  for (std::size_t length = 0; length < sound->rfind("</"); length += 3) {
    CAPTURE(length);
    CHECK_THROWS_AS(parse(sound->substr(0, length), "file", {}), ParseError);
  }
}

TEST_CASE("models: entities, depth and long chains of names are answered quickly", "[io][sdf][mjcf][fast]") {
  const auto numbered = [](int count, const std::string& head, const std::string& middle, const std::string& tail) {
    std::string all;
    for (int k = 1; k < count; ++k) all += head + std::to_string(k) + middle + (middle.empty() ? "" : std::to_string(k - 1)) + tail;
    return all;
  };
  const auto chain = [](int count) {
    std::string all;
    for (int k = 1; k < count; ++k) {
      const std::string at = std::to_string(k), before = std::to_string(k - 1);
      all += "<link name='l" + at + "'/><joint type='ball' name='j" + at + "'><parent>l" + before + "</parent><child>l" + at +
             "</child></joint>";
    }
    return all;
  };
  const std::string inside = numbered(60, "<model name='m", "", "'>");
  std::string deep = inside + "<link name='a'/>";
  for (int k = 0; k < 59; ++k) deep += "</model>";
  std::string nest, unnest;
  for (int k = 0; k < 5000; ++k) nest += "<body>", unnest += "</body>";
  const std::vector<std::string> texts{
      "<!DOCTYPE x [<!ENTITY a 'b'>]><sdf version='1.9'><model name='&a;'><link name='a'/></model></sdf>",
      "<sdf version='1.9'><model name='m'><link name='l0'/>" + numbered(20'000, "<frame name='l", "' attached_to='l", "'/>") +
          "</model></sdf>",
      "<sdf version='1.9'><model name='m'><link name='a'/><frame name='l0' attached_to='l19999'/>" +
          numbered(20'000, "<frame name='l", "' attached_to='l", "'/>") + "</model></sdf>",
      "<sdf version='1.9'><model name='m'><link name='l0'/>" +
          numbered(12'000, "<link name='l", "'><pose relative_to='l", "'>0 0 1 0 0 0</pose></link>") + "</model></sdf>",
      "<sdf version='1.9'>" + std::string("<model name='m'>") + deep + "</model></sdf>",
      "<mujoco><worldbody>" + nest + unnest + "</worldbody></mujoco>",
      "<mujoco><worldbody>" + numbered(20'000, "<body name='b", "", "'><joint/></body>") + "</worldbody></mujoco>",
      "<mujoco><default>" + numbered(20'000, "<default class='c", "", "'/>") + "</default><worldbody>" +
          numbered(20'000, "<geom class='c", "", "'/>") + "</worldbody></mujoco>",
      "<mujoco><worldbody><body name='a'>" + numbered(20'000, "<joint type='slide' name='j", "", "'/>") +
          "<geom size='1'/></body></worldbody></mujoco>",
      "<mujoco><worldbody>" + numbered(20'000, "<body pos='", "", " 0 0'><joint/></body>") + "</worldbody></mujoco>",
      "<mujoco><worldbody>" + numbered(8'000, "<body name='b", "", "'/>") + "</worldbody><equality>" +
          numbered(8'000, "<weld body1='b", "", "' body2='b7999'/>") + "</equality></mujoco>",
      "<sdf version='1.9'><model name='m'><link name='l0'/>" + numbered(4'500, "<link name='l", "", "'/>") +
          numbered(4'500, "<joint type='ball' name='j", "'><parent>l", "</parent>") + "</model></sdf>",
      "<sdf version='1.9'><model name='m'><link name='l0'/>" + chain(4'500) + "</model></sdf>",
      "<mujoco><worldbody><body name='a'><geom size='" + std::string(4'900'000, '7') + "'/></body></worldbody></mujoco>",
  };
  for (std::size_t k = 0; k < texts.size(); ++k) {
    CAPTURE(k);
    const test::Stopwatch watch;
    try {
      if (texts[k].find("<mujoco") != std::string::npos)
        static_cast<void>(parse_mjcf(texts[k], "file"));
      else
        static_cast<void>(parse_sdf(texts[k], "file"));
    } catch (const ParseError& error) {
      CHECK(std::string(error.what()).size() < 21'000);
    }
    CHECK(watch.seconds() < test::a_second);
  }
}

}  // namespace models_fuzz_test
