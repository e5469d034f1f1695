// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <variant>

#include "actio/math/pose.hpp"

namespace actio {

template <Scalar S> struct Sphere { S radius; };
template <Scalar S> struct Box { Vector3<S> size; };                  ///< full edge lengths
template <Scalar S> struct Cylinder { S radius, length; };            ///< axis z, centred
template <Scalar S> struct Capsule { S radius, length; };             ///< axis z, centred; length between the centres of the caps
struct MeshFile { std::string uri; };                                 ///< recorded by name, never opened

template <Scalar S>
using Geometry = std::variant<Sphere<S>, Box<S>, Cylinder<S>, Capsule<S>, MeshFile>;

/// A collision shape on a body: recorded; contact is active only where Model::enforced() says so.
template <Scalar S>
struct Shape {
  std::string name;
  BodyIndex body = 0;
  Pose<S> T_BS = Pose<S>::identity();  ///< pose of the shape in the body
  Geometry<S> geometry{};
};

}  // namespace actio
