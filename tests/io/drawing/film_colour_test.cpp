// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/drawing/film_colour.hpp"

#include <set>

#include "support/catch.hpp"

using namespace actio;

namespace film_colour_test {

/// Relative luminance of linear sRGB [IEC 61966-2-1].
double luminance(const detail::LinearColour& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

TEST_CASE("film_colour: white, black and grey are correct", "[io][film]") {
  for (const double value : detail::colour_of(1, 0, 0)) CHECK(std::abs(value - 1) < 1e-6);
  for (const double value : detail::colour_of(0, 0, 0)) CHECK(value == 0);
  const detail::LinearColour grey = detail::colour_of(0.5, 0, 0.3);
  CHECK(std::abs(grey[0] - 0.125) < 1e-6);  // lightness cubed
  CHECK(std::abs(grey[0] - grey[1]) < 1e-6);
  CHECK(std::abs(grey[1] - grey[2]) < 1e-6);
}

TEST_CASE("film_colour: red has a hue of 29 degrees", "[io][film]") {
  const detail::LinearColour red = detail::colour_of(0.62796, 0.25768, 29.234 / 360);  // the primary of sRGB
  CHECK(std::abs(red[0] - 1) < 1e-3);
  CHECK(red[1] < 1e-3);
  CHECK(red[2] < 1e-3);
}

TEST_CASE("film_colour: every body has its own colour, all of similar lightness", "[io][film]") {
  const BodyIndex bodies = GENERATE(2, 3, 40);
  std::set<detail::LinearColour> seen;
  for (BodyIndex i = 1; i < bodies; ++i) {
    const detail::LinearColour colour = detail::film_colour(i, bodies);
    seen.insert(colour);
    CHECK(luminance(colour) > 0.2);
    CHECK(luminance(colour) < 0.5);
  }
  CHECK(static_cast<BodyIndex>(seen.size()) == bodies - 1);
}

}  // namespace film_colour_test
