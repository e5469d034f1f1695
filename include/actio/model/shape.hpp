// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Collision shapes on bodies: spheres, boxes, cylinders, capsules, half spaces, convex hulls and mesh files.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

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
  std::uint32_t groups = 1, touches = ~std::uint32_t{0};  ///< a bit for each group
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

template <Scalar S>
bool has_sound_sizes(const Geometry<S>& geometry) {
  const auto sound = [](const S& size) { return is_finite(size) && value_of(size) >= 0; };
  return std::visit(
      [&]<class G>(const G& g) {
        if constexpr (std::same_as<G, Box<S>>) return sound(g.size[0]) && sound(g.size[1]) && sound(g.size[2]);
        else if constexpr (std::same_as<G, MeshFile>) return g.scale.allFinite();
        else if constexpr (std::same_as<G, HalfSpace>) return true;
        else if constexpr (std::same_as<G, ConvexPoints<S>>) {
          return std::all_of(g.points.begin(), g.points.end(), [](const Vector3<S>& x) { return is_finite(x.sum()); });
        }
        else if constexpr (std::same_as<G, Sphere<S>>) return sound(g.radius);
        else return sound(g.radius) && sound(g.length);
      },
      geometry);
}

}  // namespace detail
}  // namespace actio
