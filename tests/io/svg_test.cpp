// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/svg.hpp"

#include <locale>
#include <pugixml.hpp>
#include <set>

#include "support/catch.hpp"

using namespace actio;

namespace svg_test {

Plot wave(std::size_t points, double size = 1) {
  Plot plot{"Energy", "a test", "time", "s", "error", "J", {{"one", {}, {}}, {"two", {}, {}}}};
  for (std::size_t k = 0; k < points; ++k) {
    const double t = 10 * static_cast<double>(k) / static_cast<double>(points - 1);
    plot.series[0].x.push_back(t);
    plot.series[0].y.push_back(size * std::sin(t));
    plot.series[1].x.push_back(t);
    plot.series[1].y.push_back(size * t / 20);
  }
  return plot;
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(svg.data(), svg.size());
  INFO(result.description());
  REQUIRE(result);
  return document;
}

std::string texts_of(const std::string& svg) {
  std::string texts;
  const pugi::xml_document document = parsed(svg);
  for (const pugi::xml_node text : document.child("svg").children("text")) texts += std::string(text.child_value()) + '|';
  return texts;
}

struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("SVG: a plot has a title, axes with units, a legend and a curve for each series", "[io][fast]") {
  const std::string svg = to_svg(wave(100));
  const std::string texts = texts_of(svg);
  for (const char* text : {"Energy|", "a test|", "time [s]|", "error [J]|", "one|", "two|", "\u22121|", "0.5|", "10|"}) {
    CAPTURE(text, texts);
    CHECK(texts.find(text) != std::string::npos);
  }
  const pugi::xml_document document = parsed(svg);
  int curves = 0;
  for (const pugi::xml_node path : document.child("svg").children("path"))
    curves += std::string_view(path.attribute("d").value()).starts_with("M");
  CHECK(curves == 2);
  CHECK(svg.find("prefers-color-scheme: dark") != std::string::npos);
}

TEST_CASE("SVG: small and large numbers are scaled by a common power of ten", "[io][fast]") {
  CHECK(texts_of(to_svg(wave(50, 3e-8))).find("error [10\u207b\u2079 J]|") != std::string::npos);
  CHECK(texts_of(to_svg(wave(50, 3e8))).find("error [10\u2076 J]|") != std::string::npos);
}

TEST_CASE("SVG: long runs give small files, and peaks are kept", "[io][fast]") {
  Plot plot = wave(300'000);
  plot.series[0].y[123'456] = 7;
  const std::string svg = to_svg(plot);
  CHECK(svg.size() < 150'000);
  CHECK(texts_of(svg).find("|8|") != std::string::npos);  // the axis reaches the peak
}

TEST_CASE("SVG: a diverging curve leaves the picture", "[io][fast]") {
  Plot plot = wave(1000);
  plot.series[1].y[999] = 1e200;
  const std::string texts = texts_of(to_svg(plot));
  CHECK(texts.find("error [J]|") != std::string::npos);
}

TEST_CASE("SVG: the output is valid XML for any input", "[io][fast]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  (void)parsed(to_svg({}));
  Plot plot{"<a> & \"b\" \x01 \xff \xc3\xa9", "", "", "", "", "", {}};
  plot.series.push_back({"constant", {0, 1, 2}, {5, 5, 5}});
  plot.series.push_back({"holes", {0, 1, 2, 3}, {nan, 1, infinity, 2}});
  plot.series.push_back({"short", {0, 1, 2, 3}, {1}});
  plot.series.push_back({"none", {}, {}});
  plot.series.push_back({"huge", {0, 1}, {-1e308, 1e308}});
  for (int k = 0; k < 6; ++k) plot.series.push_back({"a rather long name for a series of numbers", {0, 1}, {0, 0}});
  const std::string svg = to_svg(plot);
  CHECK(texts_of(svg).find("<a> & \"b\"   ? \u00e9|") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  for (const double flat : {0.0, 1e-320, 1e300, -3.0}) (void)parsed(to_svg({"", "", "", "", "", "", {{"", {1}, {flat}}}}));
}

TEST_CASE("SVG: axis ticks are round numbers that cover the data", "[io][fast]") {
  const auto [low, high] =
      GENERATE(std::pair(0.0, 1.0), std::pair(-3.7, 12.2), std::pair(1e-9, 3e-9), std::pair(-1e300, 1e300), std::pair(5.0, 5.0));
  CAPTURE(low, high);
  detail::PlotAxis axis = detail::PlotAxis::spanning(low, high, 6, true);
  const std::vector<double> ticks = axis.ticks();
  CHECK(axis.low <= low);
  CHECK(axis.high >= high);
  CHECK(ticks.size() >= 3);
  CHECK(ticks.size() <= 12);
  std::set<std::string> labels;
  for (const double tick : ticks) labels.insert(axis.label(tick));
  CHECK(labels.size() == ticks.size());
}

TEST_CASE("SVG: it is the same under every locale", "[io][fast]") {
  const std::string plain = to_svg(wave(100, 12345.678));
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  const std::string german = to_svg(wave(100, 12345.678));
  std::locale::global(before);
  CHECK(german == plain);
}

}  // namespace svg_test
