// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Collision shapes on bodies: spheres, boxes, cylinders, capsules, half spaces and mesh files.
#include <concepts>
#include <string>
#include <variant>

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
/// A shape that is stored in a file.
struct MeshFile {
  std::string uri;  ///< recorded, never opened
};

/// The geometry of a shape.
template <Scalar S>
using Geometry = std::variant<Sphere<S>, Box<S>, Cylinder<S>, Capsule<S>, MeshFile, HalfSpace>;

/// A collision shape on a body. It is recorded; contact takes part in the dynamics only if Model::enforced() says so.
template <Scalar S>
struct Shape {
  std::string name{};                  ///< may be empty
  BodyIndex body = 0;                  ///< body that carries it, 0 for the world
  Pose<S> T_BS = Pose<S>::identity();  ///< pose of the shape in the body
  Geometry<S> geometry{};              ///< sizes [m], >= 0
};

namespace detail {

template <Scalar S>
bool has_sound_sizes(const Geometry<S>& geometry) {
  const auto sound = [](const S& size) { return is_finite(size) && value_of(size) >= 0; };
  return std::visit(
      [&]<class G>(const G& g) {
        if constexpr (std::same_as<G, Box<S>>) return sound(g.size[0]) && sound(g.size[1]) && sound(g.size[2]);
        else if constexpr (std::same_as<G, MeshFile> || std::same_as<G, HalfSpace>) return true;
        else if constexpr (std::same_as<G, Sphere<S>>) return sound(g.radius);
        else return sound(g.radius) && sound(g.length);
      },
      geometry);
}

}  // namespace detail
}  // namespace actio
