// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Inertias from robot files: checks of moments, and the inertia of solids of uniform density.
#include <Eigen/Eigenvalues>
#include <concepts>
#include <optional>
#include <string>
#include <variant>

#include "actio/io/xml/element_reader.hpp"
#include "actio/io/xml/rotations.hpp"
#include "actio/math/inertia.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

/// Returns moments of inertia in the axes of the link.  @param I in axes rotated by R. If it is indefinite, zero is returned and reported.
/// @param moments the element that contains them.  @param subject the element that owns them, for messages.
inline Matrix3<double> checked_moments(ElementReader& reader, pugi::xml_node moments, const std::string& subject, double mass,
                                       const Matrix3<double>& I, const Matrix3<double>& R) {
  const Vector3<double> principal = Eigen::SelfAdjointEigenSolver<Matrix3<double>>(I, Eigen::EigenvaluesOnly).eigenvalues();
  if (principal[0] < -1e-6 * I.cwiseAbs().maxCoeff()) {
    reader.problem(moments, "inertia.definite", subject + ": principal moment " + to_text(principal[0]) + " kg m^2, expected >= 0");
    return Matrix3<double>::Zero();  // avoids a second message from the builder
  }
  if (mass == 0 && !I.isZero(0)) reader.warn(moments, "inertia.mass", subject + ": it has moments of inertia but no mass");
  const Matrix3<double> rotated = R * I * R.transpose();
  return (rotated + rotated.transpose()) / 2;  // removes the rounding error of the products
}

struct Solid {
  double volume;          ///< [m^3]
  Inertia<double> unit;   ///< for 1 kg
};

inline Solid solid_ellipsoid(const Vector3<double>& radii) {
  const Vector3<double> square = radii.cwiseProduct(radii) / 5;
  return {4 * pi / 3 * radii.prod(), {1, Vector3<double>::Zero(),
          Vector3<double>(square[1] + square[2], square[0] + square[2], square[0] + square[1]).asDiagonal()}};
}

/// Returns nothing for geometry whose volume is not known.
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

/// Returns the inertia of a solid with a mass, at the pose of the shape.
inline Inertia<double> placed(const Solid& solid, double mass, const Pose<double>& T) {
  return Inertia<double>{mass, solid.unit.com, mass * solid.unit.I_com}.seen_from_parent(T);
}

}  // namespace actio::detail
