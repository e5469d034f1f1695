// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes plots as self-contained SVG pictures, readable on light and dark screens and independent of the locale.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/core/text.hpp"
#include "actio/io/drawing/plot.hpp"

namespace actio {
namespace detail {

/// Returns the text in a form that XML allows: markup escaped, control characters and invalid UTF-8 replaced.
inline std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c < 0x80) out += c < ' ' || c == 0x7f ? ' ' : static_cast<char>(c);
    else {
      const std::size_t more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
      const auto follows = [&](std::size_t n) { return k + n < text.size() && (static_cast<unsigned char>(text[k + n]) & 0xc0) == 0x80; };
      const auto second = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
      const bool odd =
          (c == 0xe0 && second < 0xa0) || (c == 0xed && second >= 0xa0) || (c == 0xf0 && second < 0x90) || (c == 0xf4 && second >= 0x90);
      if (more > 0 && !odd && follows(1) && (more < 2 || follows(2)) && (more < 3 || follows(3))) {
        out += text.substr(k, more + 1);
        k += more;
      } else {
        out += '?';
      }
    }
  }
  return out;
}

/// Returns the number of characters, not of bytes.
inline std::size_t length_of(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

inline std::string power_of_ten(int exponent) {
  constexpr std::array<std::string_view, 10> raised{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                    "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = "10";
  if (exponent < 0) text += "\u207b";
  for (const char c : std::to_string(std::abs(exponent))) text += raised[static_cast<std::size_t>(c - '0')];
  return text;
}

/// Formats a number for readers: at most `digits` significant digits, a minus sign instead of a hyphen, powers of ten written out.
inline std::string plot_number(double number, int digits = 6) {
  std::array<char, 32> text;
  const auto [end, error] = number_to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits);
  std::string_view plain(text.data(), static_cast<std::size_t>(end - text.data()));
  std::string out;
  if (plain.starts_with('-')) {
    out = "\u2212";
    plain.remove_prefix(1);
  }
  const std::size_t e = plain.find('e');
  out += plain.substr(0, e);
  if (e == std::string_view::npos) return out;
  int exponent = 0;
  std::from_chars(plain.data() + e + (plain[e + 1] == '+' ? 2 : 1), plain.data() + plain.size(), exponent);
  return out + " \u00d7 " + power_of_ten(exponent);
}

/// Formats a position in the picture, to hundredths of a pixel.
inline std::string pixels(double x) {
  std::array<char, 32> text;
  const auto [end, error] = number_to_chars(text.data(), text.data() + text.size(), std::clamp(x, -1e6, 1e6), std::chars_format::fixed, 2);
  std::string out(text.data(), end);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

/// One axis: its range, and its ticks at round numbers.
struct PlotAxis {
  double low = 0, high = 1, step = 0.5;
  int exponent = 0;  ///< tick labels are in units of 10^exponent
  double begin = 0, end = 1;  ///< position of low and high in the picture

  /// @param ticks approximate number of ticks.  @param widen whether the range is extended to whole ticks.
  static PlotAxis spanning(double low, double high, int ticks, bool widen) {
    constexpr double largest = 1e300;
    PlotAxis axis;
    axis.low = std::clamp(low, -largest, largest);
    axis.high = std::clamp(high, -largest, largest);
    const double size = std::max(std::abs(axis.low), std::abs(axis.high));
    if (!(axis.high - axis.low > 1e-12 * size) || !(axis.high - axis.low > 1e-300)) {
      const double margin = size > 1e-300 ? size / 2 : 1;
      axis.low -= margin;
      axis.high += margin;
    }
    const double raw = axis.high / ticks - axis.low / ticks, decade = std::pow(10.0, std::floor(std::log10(raw)));
    const double digit = raw / decade;
    axis.step = decade * (digit < 1.41 ? 1 : digit < 3.16 ? 2 : digit < 7.07 ? 5 : 10);
    if (widen) {
      axis.low = axis.step * std::floor(axis.low / axis.step + 1e-9);
      axis.high = axis.step * std::ceil(axis.high / axis.step - 1e-9);
    }
    const double largest_label = std::max(std::abs(axis.low), std::abs(axis.high));
    if (largest_label >= 1e4 || largest_label < 0.1) axis.exponent = 3 * static_cast<int>(std::floor(std::log10(largest_label) / 3));
    return axis;
  }
  double place(double value) const { return begin + (value / (high - low) - low / (high - low)) * (end - begin); }
  std::vector<double> ticks() const {
    std::vector<double> at;
    const double first = std::ceil(low / step - 1e-9);
    for (int k = 0; k < 50 && (first + k) * step <= high + 1e-9 * step; ++k) at.push_back((first + k) * step);
    return at;
  }
  std::string label(double tick) const { return plot_number(std::abs(tick) < 1e-9 * step ? 0 : tick / std::pow(10.0, exponent)); }
  std::string title(const std::string& text, const std::string& unit) const {
    const std::string scaled = (exponent != 0 ? power_of_ten(exponent) : "") + (exponent != 0 && !unit.empty() ? " " : "") + unit;
    return xml_text(text + (scaled.empty() ? "" : " [" + scaled + "]"));
  }
};

/// The range that the axes must span.
struct PlotRange {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;

  static PlotRange of(const std::vector<PlotSeries>& all) {
    std::vector<double> sizes;
    const auto each_point = [&](auto use) {
      for (const PlotSeries& series : all) {
        for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
          if (std::isfinite(series.x[k]) && std::isfinite(series.y[k])) use(series.x[k], series.y[k]);
        }
      }
    };
    each_point([&](double, double y) { sizes.push_back(std::abs(y)); });
    PlotRange range;
    if (sizes.empty()) return range;
    const auto most = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) * 99 / 100);
    std::nth_element(sizes.begin(), most, sizes.end());
    const double usual = *most, largest = *std::max_element(most, sizes.end());
    const double bound = largest > 50 * usual && usual > 0 ? 2 * usual : largest;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    range = {infinity, -infinity, infinity, -infinity};
    each_point([&](double x, double y) {
      range.x_low = std::min(range.x_low, x);
      range.x_high = std::max(range.x_high, x);
      range.y_low = std::min(range.y_low, std::clamp(y, -bound, bound));
      range.y_high = std::max(range.y_high, std::clamp(y, -bound, bound));
    });
    return range;
  }
};

/// Returns a curve as SVG path data. In each column of pixels only the lowest and highest points are drawn, together with the first and the
/// last: the picture is the same as with all points, for a run of any length.
inline std::string path_of(const PlotSeries& series, const PlotAxis& x, const PlotAxis& y) {
  std::string path;
  bool pen_is_down = false;
  const auto go_to = [&](double px, double py) {
    path += (path.empty() ? "" : " ") + std::string(pen_is_down ? "L" : "M") + pixels(px) + ',' + pixels(py);
    pen_is_down = true;
  };
  struct Column {
    double at, first, last, low, high;
    bool low_came_first;
  } column{};
  bool is_open = false;
  const auto close = [&] {
    if (!is_open) return;
    go_to(column.at, column.first);
    if (column.low != column.high) {
      const auto [one, two] = column.low_came_first ? std::pair(column.low, column.high) : std::pair(column.high, column.low);
      if (one != column.first) go_to(column.at, one);
      go_to(column.at, two);
      if (two != column.last) go_to(column.at, column.last);
    }
    is_open = false;
  };
  for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
    const double px = x.place(series.x[k]), py = y.place(std::clamp(series.y[k], -1e300, 1e300));
    if (!std::isfinite(px) || !std::isfinite(py)) {
      close();
      pen_is_down = false;
      continue;
    }
    if (is_open && px - column.at < 0.5) {
      if (py < column.low) { column.low = py; column.low_came_first = false; }
      if (py > column.high) { column.high = py; column.low_came_first = true; }
      column.last = py;
    } else {
      close();
      column = {px, py, py, py, py, true};
      is_open = true;
    }
  }
  close();
  return path;
}

}  // namespace detail

/// Returns the plot as the text of an SVG file, 880 by 500 pixels. If a few points are so large that 99 of 100 would look like one line,
/// the y axis spans the usual values and the curve leaves the picture. Texts are never interpreted as markup.
inline std::string to_svg(const Plot& plot) {
  using detail::pixels;
  using detail::xml_text;
  constexpr double width = 880, height = 500, left = 88, right = 28, bottom = 62;
  constexpr std::size_t colours = 6;

  std::vector<std::pair<double, double>> legend;  // where each entry begins, row by row
  double legend_x = left, legend_y = plot.subtitle.empty() ? 67 : 89;
  for (const PlotSeries& series : plot.series) {
    const double entry = 30 + 7.2 * static_cast<double>(detail::length_of(series.name));
    if (legend_x > left && legend_x + entry > width - right) {
      legend_x = left;
      legend_y += 22;
    }
    legend.emplace_back(legend_x, legend_y);
    legend_x += entry + 28;
  }
  const double top = legend_y + 25;

  const detail::PlotRange range = detail::PlotRange::of(plot.series);
  detail::PlotAxis x = detail::PlotAxis::spanning(range.x_low, range.x_high, 8, false);
  detail::PlotAxis y = detail::PlotAxis::spanning(range.y_low, range.y_high, 6, true);
  x.begin = left;
  x.end = width - right;
  y.begin = height - bottom;
  y.end = top;

  // Hidden from Doxygen, which would interpret the marks in the raw string as its own commands.
  /// @cond
  std::string svg = R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 500" width="880" height="500" role="img"
  font-family="system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif" font-size="13">
<style>
  .paper { fill: #ffffff } .ink { fill: #1c2330 } .soft { fill: #5b6575 } .grid { stroke: #e6e9ee } .zero { stroke: #aab2be }
  .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
  .c0 { stroke: #d1495b } .c1 { stroke: #0b6fb8 } .c2 { stroke: #2a9d5c } .c3 { stroke: #b8860b }
  .c4 { stroke: #7b4fb5 } .c5 { stroke: #3b8e99 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12161d } .ink { fill: #e8ebf0 } .soft { fill: #9aa5b5 } .grid { stroke: #272e39 } .zero { stroke: #5a6575 }
    .c0 { stroke: #ff7b86 } .c1 { stroke: #5db7ff } .c2 { stroke: #5fd38d } .c3 { stroke: #e9bd4f }
    .c4 { stroke: #b693f0 } .c5 { stroke: #6fd0dc }
  }
</style>
)";
  /// @endcond
  const auto line = [&](const char* style, double x1, double y1, double x2, double y2) {
    const auto value = [](const char* name, double at) { return std::string(" ") + name + "=\"" + pixels(at) + '"'; };
    svg += std::string("<line class=\"") + style + '"' + value("x1", x1) + value("y1", y1) + value("x2", x2) + value("y2", y2) + "/>\n";
  };
  const auto text = [&](const char* style, double at_x, double at_y, const char* further, const std::string& escaped) {
    svg += std::string("<text class=\"") + style + "\" x=\"" + pixels(at_x) + "\" y=\"" + pixels(at_y) + "\" " + further + '>';
    svg += escaped + "</text>\n";
  };
  svg += "<title>" + xml_text(plot.title) + "</title>\n<desc>" + xml_text(plot.subtitle) + "</desc>\n";
  svg += "<rect class=\"paper\" width=\"880\" height=\"500\" rx=\"10\"/>\n";
  text("ink", left, 38, "font-size=\"20\" font-weight=\"600\"", xml_text(plot.title));
  if (!plot.subtitle.empty()) text("soft", left, 61, "", xml_text(plot.subtitle));

  for (const double tick : y.ticks()) {
    line(std::abs(tick) < 1e-9 * y.step ? "zero" : "grid", x.begin, y.place(tick), x.end, y.place(tick));
    text("soft", x.begin - 10, y.place(tick) + 4.5, "text-anchor=\"end\"", y.label(tick));
  }
  for (const double tick : x.ticks()) {
    line("zero", x.place(tick), y.begin, x.place(tick), y.begin + 5);
    text("soft", x.place(tick), y.begin + 21, "text-anchor=\"middle\"", x.label(tick));
  }
  line("zero", x.begin, y.begin, x.end, y.begin);
  text("ink", (x.begin + x.end) / 2, height - 16, "text-anchor=\"middle\"", x.title(plot.x_label, plot.x_unit));
  text("ink", 0, 0, ("text-anchor=\"middle\" transform=\"translate(24," + pixels((y.begin + y.end) / 2) + ") rotate(-90)\"").c_str(),
       y.title(plot.y_label, plot.y_unit));

  svg += "<clipPath id=\"inside\"><rect x=\"" + pixels(left - 2) + "\" y=\"" + pixels(top - 2) + "\" width=\"" +
         pixels(width - left - right + 4) + "\" height=\"" + pixels(height - bottom - top + 4) + "\"/></clipPath>\n";
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const std::string curve = "curve c" + std::to_string(k % colours);
    const auto [at_x, at_y] = legend[k];
    svg += "<path class=\"" + curve + "\" clip-path=\"url(#inside)\"" + (k >= colours ? " stroke-dasharray=\"7 5\"" : "") + " d=\"" +
           detail::path_of(plot.series[k], x, y) + "\"/>\n";
    line(curve.c_str(), at_x, at_y, at_x + 22, at_y);
    text("ink", at_x + 30, at_y + 4.5, "", xml_text(plot.series[k].name));
  }
  return svg + "</svg>\n";
}

}  // namespace actio
