// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/html.hpp"

#include <cstring>
#include <limits>
#include <locale>

#include "io/films.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace actio;
using namespace actio::test;

namespace html_test {

/// The data of the page, read as by a browser.
nlohmann::json data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"film\">";
  const std::size_t begin = html.find(open);
  REQUIRE(begin != std::string::npos);
  return nlohmann::json::parse(html.substr(begin + open.size(), html.find("</script>", begin) - begin - open.size()));
}

template <class T>
std::vector<T> numbers(const nlohmann::json& base64) {
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : base64.get<std::string>()) {
    if (c == '=') break;
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                                             : 63;
    bits = bits << 6 | static_cast<unsigned>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  std::vector<T> read(bytes.size() / sizeof(T));
  if (!read.empty()) std::memcpy(read.data(), bytes.data(), read.size() * sizeof(T));
  return read;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("HTML: a page contains its data and one script, and no addresses", "[io][fast]") {
  const std::string html = to_html(falling_box());
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(html.ends_with("</html>\n"));
  CHECK(count(html, "<script") == 2);
  CHECK(count(html, "</script") == 2);
  CHECK(html.find("default-src 'none'") != std::string::npos);
  for (const char* way_out : {"http:", "https:", "src=", "url(", "@import", "import(", "fetch(", "XMLHttpRequest", "WebSocket"}) {
    CAPTURE(way_out);
    CHECK(html.find(way_out) == std::string::npos);
  }
}

TEST_CASE("HTML: poses match those of the film", "[io][fast]") {
  const Film film = waving_humanoids(16, 0);
  const nlohmann::json data = data_of(to_html(film));
  const auto positions = numbers<float>(data["positions"]);
  const auto rotations = numbers<std::int16_t>(data["rotations"]);
  CHECK(numbers<double>(data["times"]) == film.motion.times);
  REQUIRE(data["bodies"].size() == 16);  // the world is not drawn
  REQUIRE(positions.size() == film.motion.times.size() * 16 * 3);
  REQUIRE(rotations.size() == film.motion.times.size() * 16 * 4);
  double p_error = 0, R_error = 0;
  for (std::size_t frame = 0; frame < film.motion.times.size(); ++frame) {
    for (BodyIndex i = 1; i <= 16; ++i) {
      const std::size_t at = frame * 16 + static_cast<std::size_t>(i - 1);
      const Pose<double>& T = film.motion.poses[frame][i];
      const Quaternion<double> q(rotations[4 * at + 3], rotations[4 * at], rotations[4 * at + 1], rotations[4 * at + 2]);  // w first
      for (int k = 0; k < 3; ++k) p_error = std::max(p_error, std::abs(positions[3 * at + static_cast<std::size_t>(k)] - T.p[k]));
      R_error = std::max(R_error, (q.normalized().toRotationMatrix() - T.R).cwiseAbs().maxCoeff());
    }
  }
  CHECK(p_error < 1e-6);
  CHECK(R_error < 1e-4);
  CHECK(data["bodies"][0] == film.body_names[1]);
}

TEST_CASE("HTML: solids keep their sizes and poses, and meshes are omitted", "[io][fast]") {
  Film film = falling_box();
  const Pose<double> aside = Pose<double>::from(quaternion::exp<double>({0, 0, 1}), {1, 2, 3});
  film.shapes = {{"ball", 1, aside, Sphere<double>{0.25}},        {"rod", 1, aside, Capsule<double>{0.1, 0.7}},
                 {"can", 1, aside, Cylinder<double>{0.2, 0.4}},   {"brick", 1, aside, Box<double>{{1, 2, 3}}},
                 {"mesh", 1, aside, MeshFile{"a.stl"}},           {"floor", 0, aside, HalfSpace{}}};
  const nlohmann::json solids = data_of(to_html(film))["solids"];
  REQUIRE(solids.size() == 5);
  CHECK(solids[0]["radius"] == 0.25);
  CHECK(solids[1]["kind"] == "capsule");
  CHECK(solids[1]["length"] == 0.7);
  CHECK(solids[2]["kind"] == "cylinder");
  CHECK(solids[3]["size"] == nlohmann::json{1.0, 2.0, 3.0});
  CHECK(solids[4]["kind"] == "ground");
  CHECK(solids[4]["body"] == -1);
  CHECK(solids[3]["body"] == 0);  // the first of the drawn bodies
  const detail::LinearColour colour = detail::film_colour(1, 2);  // as in a GLB file, up to the rounding of cosines by compilers
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(solids[3]["colour"][k].get<double>() - colour[k]) < 1e-12);
  CHECK(!solids[4].contains("colour"));
  CHECK(solids[3]["p"] == nlohmann::json{1.0, 2.0, 3.0});
  CHECK(solids[3]["q"][2].get<double>() == Approx(std::sin(0.5)));
  CHECK(solids[3]["q"][3].get<double>() == Approx(std::cos(0.5)));
}

TEST_CASE("HTML: a failure and solids that touch nothing are in the data", "[io][fast]") {
  Film film = falling_box();
  CHECK(data_of(to_html(film))["failure"] == "");
  film.failure = "failed at t = 0.2 s";
  film.drawn_only = {{"limb", 1, Pose<double>::identity(), Capsule<double>{0.1, 0.7}}};
  const nlohmann::json data = data_of(to_html(film));
  CHECK(data["failure"] == film.failure);
  REQUIRE(data["solids"].size() == 2);
  CHECK(!data["solids"][0].contains("drawn_only"));
  CHECK(data["solids"][1]["name"] == "limb");
  CHECK(data["solids"][1]["drawn_only"] == true);
}

TEST_CASE("HTML: curves keep all visible features", "[io][fast]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{0, 0.1, 0.2, 0.3};
  const std::vector<double> errors{0, 1.23456789e-9, -2.3456789e-9, nan}, level{1000, 1000 + 1e-9, 1000 - 1e-9, 1000},
      vast{1, 1e200, -1e300, 2};
  Film film = falling_box();
  film.plots = {plot_of("errors", x, errors), plot_of("level", x, level), plot_of("vast", x, vast), plot_of("a point", {0.05}, {7}),
                plot_of("nothing", {}, {})};
  const nlohmann::json data = data_of(to_html(film));

  REQUIRE(data["x"].size() == 3);  // shared where the values are the same
  CHECK(numbers<double>(data["x"][0]) == x);
  const auto read = numbers<float>(data["plots"][0]["series"][0]["float"]);
  REQUIRE(read.size() == 4);
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(read[k] - errors[k]) <= 1e-6 * std::abs(errors[k]));
  CHECK(std::isnan(read[3]));
  CHECK(numbers<double>(data["plots"][1]["series"][0]["double"]) == level);
  CHECK(numbers<double>(data["plots"][2]["series"][0]["double"]) == vast);
  CHECK(numbers<float>(data["plots"][3]["series"][0]["float"]) == std::vector<float>{7});
  CHECK(numbers<double>(data["x"][1]) == std::vector<double>{0.05});
  CHECK(data["plots"][4]["series"][0]["float"] == "");
  CHECK(data_of(to_html(falling_box()))["plots"].empty());
}

TEST_CASE("HTML: names from files are written as text, whatever they contain", "[io][fast]") {
  const std::string attack = scripting_name, odd = "\"quoted\" \\ 'single' & \n\r\t \xe2\x80\xa8", broken = "a\xff\xc3z";
  Film film = falling_box();
  film.title = attack;
  film.body_names[1] = odd;
  film.shapes[0].name = broken;
  film.plots = {{attack, odd, attack, attack, attack, attack, {{attack, {0}, {1}}}}};
  const std::string html = to_html(film);
  CHECK(count(html, "<script") == 2);
  CHECK(count(html, "</script") == 2);
  CHECK(count(html, "<!--") == 0);
  CHECK(html.find("\xe2\x80\xa8") == std::string::npos);
  const nlohmann::json data = data_of(html);
  CHECK(data["title"] == attack);
  CHECK(data["plots"][0]["series"][0]["name"] == attack);
  CHECK(data["bodies"][0] == odd);
  CHECK(data["solids"][0]["name"] == "a\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST_CASE("HTML: pages of two humanoids over ten seconds with fifteen curves stay small", "[io][fast]") {
  const std::string html = to_html(waving_humanoids(31, 15));
  const std::string page = to_html(falling_box());
  CAPTURE(html.size(), page.size());
  CHECK(html.size() < 800'000);
  CHECK(page.size() < 80'000);
}

TEST_CASE("HTML: it is the same under every locale", "[io][fast]") {
  const std::string expected = to_html(falling_box());
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  const std::string html = to_html(falling_box());
  std::locale::global(before);
  CHECK(html == expected);
}

TEST_CASE("HTML: contacts are points and forces, frame by frame", "[io][fast]") {
  Film film = falling_box();
  film.motion.contacts = {{}, {{{1, 2, 3}, {4, 5, 6}}, {{-1, 0, 0}, {0, 0, 1e4}}}, {{{7, 8, 9}, {0, -1, 0}}}};
  const nlohmann::json page = data_of(to_html(film));
  CHECK(numbers<float>(page["arrows"]) == std::vector<float>{1, 2, 3, 4, 5, 6, -1, 0, 0, 0, 0, 1e4F, 7, 8, 9, 0, -1, 0});
  CHECK(numbers<std::int32_t>(page["arrow_ends"]) == std::vector<std::int32_t>{0, 2, 3});
  const nlohmann::json without = data_of(to_html(falling_box()));
  CHECK(numbers<float>(without["arrows"]).empty());
  CHECK(numbers<std::int32_t>(without["arrow_ends"]).empty());
  film.motion.contacts.pop_back();
  CHECK(refusal<ModelError>([&] { return to_html(film); }) == "film 'a box' has 3 frames but contacts of 2");
}

TEST_CASE("HTML: an inconsistent film is refused", "[io][fast]") {
  Film film = falling_box();
  film.motion.times.pop_back();
  CHECK(missing(refusal<ModelError>([&] { return to_html(film); }), {"'a box'", "2 times", "3 frames"}).empty());
  CHECK(missing(refusal<ModelError>([&] { return to_html(falling_box(0)); }), {"no frame"}).empty());
  film = falling_box();
  film.motion.poses[1] = BodyArray<Pose<double>>(5, Pose<double>::identity());
  CHECK(missing(refusal<ModelError>([&] { return to_html(film); }), {"5 poses", "2 body names"}).empty());
  film = falling_box();
  film.shapes[0].body = 2;
  CHECK(missing(refusal<ModelError>([&] { return to_html(film); }), {"'box'", "body 2"}).empty());
}

}  // namespace html_test
