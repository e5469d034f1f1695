// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Collision shapes on bodies: spheres, boxes, cylinders, capsules, half spaces, convex hulls and mesh files.
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "actio/core/text.hpp"
#include "actio/math/pose.hpp"

namespace actio {

/// A ball, centred on the frame of the shape.
template <Scalar S>
struct Sphere {
  S radius;  ///< [m]
};
/// A cuboid, centred on the frame of the shape and along its axes.
template <Scalar S>
struct Box {
  Vector3<S> size;  ///< full edge lengths [m]
};
/// A cylinder, centred on the frame of the shape.
template <Scalar S>
struct Cylinder {
  S radius,    ///< [m]
      length;  ///< along z [m]
};
/// A cylinder with half balls on its ends, centred on the frame of the shape.
template <Scalar S>
struct Capsule {
  S radius,    ///< of cylinder and caps [m]
      length;  ///< along z, between the centres of the caps [m]
};
struct HalfSpace {};  ///< all points below z = 0, such as the ground
/// The corners of a convex hull, in the frame of its shape.
template <Scalar S>
struct ConvexPoints {
  std::vector<Vector3<S>> points;  ///< [m]
};
/// A mesh of triangles, which are counterclockwise seen from outside, in the frame of the shape.
struct TriangleMesh {
  std::vector<Vector3<double>> vertices;      ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< three indices of vertices each
};
/// A shape that is stored in a file, which the readers of models do not open: see replace_meshes in actio/io/meshes.hpp.
struct MeshFile {
  std::string uri;                                     ///< as the model's file has it, after the mesh folder of MJCF
  Vector3<double> scale = Vector3<double>::Ones();     ///< factors of the file's coordinates, which are then in m
};

/// The geometry of a shape.
template <Scalar S>
using Geometry = std::variant<Sphere<S>, Box<S>, Cylinder<S>, Capsule<S>, MeshFile, HalfSpace, ConvexPoints<S>>;

/// Which other shapes a shape may touch: two of them if a group of one is among those that the other touches. These are contype and
/// conaffinity of MuJoCo; by default all shapes may touch each other.
struct ContactFilter {
  std::uint32_t groups = 1;                   ///< groups of the shape, a bit for each
  std::uint32_t touches = ~std::uint32_t{0};  ///< groups that it touches
  /// Returns whether two shapes may touch each other.
  bool may_touch(const ContactFilter& other) const noexcept { return ((groups & other.touches) | (other.groups & touches)) != 0; }
  friend bool operator==(const ContactFilter&, const ContactFilter&) = default;  ///< the same bits
};

/// A collision shape on a body. It is recorded; contact takes part in the dynamics only if Model::enforced() says so.
template <Scalar S>
struct Shape {
  std::string name{};                  ///< may be empty
  BodyIndex body = 0;                  ///< body that carries it, 0 for the world
  Pose<S> T_BS = Pose<S>::identity();  ///< pose of the shape in the body
  Geometry<S> geometry{};              ///< sizes [m], >= 0
  ContactFilter filter{};              ///< respected by sources of contacts between bodies
};

namespace detail {

/// Returns the first number of a shape that is out of its range, such as "radius is -1, expected a finite number >= 0"; empty if none is.
template <Scalar S>
std::string why_not_sound(const Geometry<S>& geometry) {
  std::string why;
  const auto require = [&](bool may_be_negative, const char* what, const auto& number) {
    if (!why.empty() || (is_finite(number) && (may_be_negative || value_of(number) >= 0))) return;
    why = concat({what, " is ", to_text(number), ", expected a finite number", may_be_negative ? "" : " >= 0"});
  };
  std::visit([&]<class G>(const G& g) {
    if constexpr (std::same_as<G, Box<S>>) {
      for (const S& edge : g.size) require(false, "an edge", edge);
    } else if constexpr (std::same_as<G, MeshFile>) {
      for (const double scale : g.scale) require(true, "the scale", scale);
    } else if constexpr (std::same_as<G, ConvexPoints<S>>) {
      for (const Vector3<S>& point : g.points) {
        for (const S& x : point) require(true, "a coordinate of a point", x);
      }
    } else if constexpr (!std::same_as<G, HalfSpace>) {
      require(false, "the radius", g.radius);
      if constexpr (!std::same_as<G, Sphere<S>>) require(false, "the length", g.length);
    }
  }, geometry);
  return why;
}

}  // namespace detail
}  // namespace actio
