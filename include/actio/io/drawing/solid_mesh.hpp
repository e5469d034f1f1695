// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Triangle meshes of primitive solids, for pictures.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

#include "actio/model/shape.hpp"

namespace actio::detail {

/// A surface in the frame of its solid; closed, except for the square of a half-space. Triangles are counter-clockwise seen from outside.
struct SolidMesh {
  std::vector<Vector3<float>> points;           ///< of the vertices [m]
  std::vector<Vector3<float>> normals;          ///< one at each vertex, unit, outward
  std::vector<std::uint16_t> corners;           ///< three vertex indices for each triangle
};

/// A point of an outline in the half-plane (radius, z), and the normal of the surface there.
struct OutlinePoint {
  double radius, z, normal_radius, normal_z;
};

/// Appends a circular arc about (0, z), between two angles from the z axis.
inline void add_arc(std::vector<OutlinePoint>& outline, double radius, double z, double from, double to) {
  constexpr int pieces = 6;
  for (int k = 0; k <= pieces; ++k) {
    const double angle = from + (to - from) * k / pieces, s = std::sin(angle);
    outline.push_back({radius * s, z + radius * std::cos(angle), s, std::cos(angle)});
  }
}

/// Returns the surface of revolution of an outline about the z axis, from the upper pole to the lower one.
inline SolidMesh revolve(const std::vector<OutlinePoint>& outline) {
  constexpr int segments = 20;
  constexpr double nothing = 1e-9;
  SolidMesh mesh;
  for (const OutlinePoint& point : outline) {
    for (int k = 0; k <= segments; ++k) {
      const double angle = 2 * std::numbers::pi * (k % segments) / segments, c = std::cos(angle), s = std::sin(angle);
      mesh.points.push_back(Vector3<double>(point.radius * c, point.radius * s, point.z).cast<float>());
      mesh.normals.push_back(Vector3<double>(point.normal_radius * c, point.normal_radius * s, point.normal_z).cast<float>());
    }
  }
  for (std::size_t ring = 0; ring + 1 < outline.size(); ++ring) {
    const OutlinePoint &above = outline[ring], &below = outline[ring + 1];
    if (std::abs(above.radius - below.radius) < nothing && std::abs(above.z - below.z) < nothing) continue;  // a sharp edge
    for (int k = 0; k < segments; ++k) {
      const auto a = static_cast<std::uint16_t>(ring * (segments + 1) + static_cast<std::size_t>(k));
      const auto b = static_cast<std::uint16_t>(a + segments + 1);
      if (below.radius > nothing) mesh.corners.insert(mesh.corners.end(), {a, b, static_cast<std::uint16_t>(b + 1)});
      if (above.radius > nothing)
        mesh.corners.insert(mesh.corners.end(), {a, static_cast<std::uint16_t>(b + 1), static_cast<std::uint16_t>(a + 1)});
    }
  }
  return mesh;
}

inline SolidMesh capsule_mesh(double radius, double length) {
  std::vector<OutlinePoint> outline;
  add_arc(outline, radius, length / 2, 0, std::numbers::pi / 2);
  add_arc(outline, radius, -length / 2, std::numbers::pi / 2, std::numbers::pi);
  return revolve(outline);
}

inline SolidMesh box_mesh(const Vector3<double>& size) {
  SolidMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {0.5, -0.5}) {
      const auto first = static_cast<std::uint16_t>(mesh.points.size());
      for (const auto& [u, v] : {std::pair(-0.5, -0.5), {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
        Vector3<double> point;
        point[axis] = side;
        point[(axis + 1) % 3] = 2 * side * u;  // mirrored on the opposite side, so that triangles keep their orientation
        point[(axis + 2) % 3] = v;
        mesh.points.push_back(point.cwiseProduct(size).cast<float>());
        mesh.normals.push_back(Vector3<float>::Unit(axis) * static_cast<float>(2 * side));
      }
      for (const int corner : {0, 1, 2, 0, 2, 3}) mesh.corners.push_back(static_cast<std::uint16_t>(first + corner));
    }
  }
  return mesh;
}

/// Returns the surface of a solid, centred on its frame; for a half-space a square of 1 m, seen from above; for a mesh file nothing.
inline SolidMesh solid_mesh(const Geometry<double>& geometry) {
  return std::visit(
      []<class G>(const G& g) -> SolidMesh {
        if constexpr (std::same_as<G, Sphere<double>>) return detail::capsule_mesh(g.radius, 0);
        else if constexpr (std::same_as<G, Capsule<double>>) return detail::capsule_mesh(g.radius, g.length);
        else if constexpr (std::same_as<G, Box<double>>) return detail::box_mesh(g.size);
        else if constexpr (std::same_as<G, Cylinder<double>>) {
          const double r = g.radius, z = g.length / 2;
          return detail::revolve({{0, z, 0, 1}, {r, z, 0, 1}, {r, z, 1, 0}, {r, -z, 1, 0}, {r, -z, 0, -1}, {0, -z, 0, -1}});
        } else if constexpr (std::same_as<G, HalfSpace>) {
          const float e = 0.5f;
          return {{{-e, -e, 0}, {e, -e, 0}, {e, e, 0}, {-e, e, 0}},
                  std::vector<Vector3<float>>(4, Vector3<float>::UnitZ()),
                  {0, 1, 2, 0, 2, 3}};
        } else return {};
      },
      geometry);
}

}  // namespace actio::detail
