// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inertia of solid shapes of uniform density, about their centres.
#include <concepts>
#include <optional>
#include <variant>

#include "actio/io/rotations.hpp"
#include "actio/math/inertia.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

struct Solid {
  double volume;          ///< [m^3]
  Inertia<double> unit;   ///< of 1 kg
};

inline Solid solid_ellipsoid(const Vector3<double>& radii) {
  const Vector3<double> square = radii.cwiseProduct(radii) / 5;
  return {4 * pi / 3 * radii.prod(), {1, Vector3<double>::Zero(),
          Vector3<double>(square[1] + square[2], square[0] + square[2], square[0] + square[1]).asDiagonal()}};
}

/// None for what has no volume that we know.
inline std::optional<Solid> solid_of(const Geometry<double>& geometry) {
  return std::visit(
      []<class G>(const G& g) -> std::optional<Solid> {
        if constexpr (std::same_as<G, Sphere<double>>) {
          return solid_ellipsoid(Vector3<double>::Constant(g.radius));
        } else if constexpr (std::same_as<G, Box<double>>) {
          return Solid{g.size.prod(), Inertia<double>::box(1, g.size)};
        } else if constexpr (std::same_as<G, Cylinder<double>>) {
          return Solid{pi * g.radius * g.radius * g.length, Inertia<double>::cylinder(1, g.radius, g.length)};
        } else if constexpr (std::same_as<G, Capsule<double>>) {
          if (g.radius == 0) return Solid{0, Inertia<double>::point(1, Vector3<double>::Zero())};
          return Solid{pi * g.radius * g.radius * (g.length + 4 * g.radius / 3), Inertia<double>::capsule(1, g.radius, g.length)};
        } else {
          return std::nullopt;
        }
      },
      geometry);
}

/// The unit inertia times a mass, where the shape stands.
inline Inertia<double> placed(const Solid& solid, double mass, const Pose<double>& T) {
  return Inertia<double>{mass, solid.unit.com, mass * solid.unit.I_com}.seen_from_parent(T);
}

}  // namespace actio::detail
