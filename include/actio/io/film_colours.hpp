// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which colour a body has in pictures of a film.
#include <array>
#include <cstddef>

#include "actio/core/types.hpp"

namespace actio::detail {

using Colour = std::array<double, 3>;  ///< red, green, blue in sRGB, 0 to 1

/// Soft colours that stand apart from each other, one after the other; the world and its grounds are grey.
inline Colour film_colour(BodyIndex body) {
  constexpr std::array<Colour, 7> of_bodies{{{0.36, 0.55, 0.74}, {0.85, 0.62, 0.36}, {0.47, 0.67, 0.50}, {0.76, 0.45, 0.45},
                                             {0.58, 0.50, 0.72}, {0.42, 0.65, 0.67}, {0.79, 0.73, 0.46}}};
  return body == 0 ? Colour{0.62, 0.64, 0.67} : of_bodies[static_cast<std::size_t>(body - 1) % of_bodies.size()];
}

}  // namespace actio::detail
