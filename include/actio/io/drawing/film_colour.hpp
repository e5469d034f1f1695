// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The colours of bodies in pictures of a film.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "actio/core/types.hpp"

namespace actio::detail {

using LinearColour = std::array<double, 3>;  ///< red, green, blue, 0 to 1, in linear light

/// Returns a colour whose perceived lightness and chroma do not depend on the hue.  @param hue in revolutions. [Ottosson 2020: OKLCH]
inline LinearColour colour_of(double lightness, double strength, double hue) {
  const double a = strength * std::cos(2 * std::numbers::pi * hue), b = strength * std::sin(2 * std::numbers::pi * hue);
  const auto cube = [&](double of_a, double of_b) {
    const double root = lightness + of_a * a + of_b * b;
    return root * root * root;
  };
  const double l = cube(0.3963377774, 0.2158037573), m = cube(-0.1055613458, -0.0638541728), s = cube(-0.0894841775, -1.2914855480);
  const auto light = [&](double of_l, double of_m, double of_s) { return std::clamp(of_l * l + of_m * m + of_s * s, 0.0, 1.0); };
  return {light(4.0767416621, -3.3077115913, 0.2309699292), light(-1.2684380046, 2.6097574011, -0.3413193965),
          light(-0.0041960863, -0.7034186147, 1.7076147010)};
}

/// Returns the colour of a body. Consecutive bodies have neighbouring hues, so that limbs differ and their parts match; the world is grey.
inline LinearColour film_colour(BodyIndex body, BodyIndex num_bodies) {
  if (body == 0) return colour_of(0.7, 0.01, 0.66);
  const double share = num_bodies > 2 ? static_cast<double>(body - 1) / static_cast<double>(num_bodies - 2) : 0;
  return colour_of(0.69 + (body % 2 == 0 ? 0.035 : -0.035), 0.095, 0.66 + 0.83 * share);
}

}  // namespace actio::detail
