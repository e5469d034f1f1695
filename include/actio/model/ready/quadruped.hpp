// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/limb.hpp"

namespace actio::models {

/// A four-legged robot of 20 kg and 13 bodies: three revolute joints a leg (abduction about x, hip and knee about y).
/// x forward, y left, z up; its trunk is at the origin at neutral, with straight legs, its feet 0.47 m below.
template <Scalar S = double>
Model<S> quadruped(Base base = Base::floating) {
  using detail::point, detail::shifted;
  const Vector3<S> x = Vector3<S>::UnitX(), y = Vector3<S>::UnitY(), origin = Vector3<S>::Zero();
  const auto n = [](double value) { return detail::number<S>(value); };
  ModelBuilder<S> builder("quadruped");
  const Vector3<S> size = point<S>(0.5, 0.22, 0.12);
  builder.add_body("trunk", Inertia<S>::box(n(11), size));
  builder.add_shape({.name = "trunk", .geometry = Box<S>{size}}, "trunk");
  if (base == Base::floating) builder.add_joint("base", "world", "trunk", Pose<S>::identity(), Free<S>());
  else builder.add_joint("base", "world", "trunk", Pose<S>::identity(), Fixed{});

  for (const std::string end : {"front", "hind"}) {
    for (const std::string side : {"left", "right"}) {
      const std::string leg = end + '_' + side + '_';
      const double ahead = end == "front" ? 1 : -1, out = side == "left" ? 1 : -1;
      detail::add_capsule<S>(builder, leg + "hip", 0.8, 0.04, point<S>(0, 0.02 * out, 0), point<S>(0, 0.06 * out, 0));
      builder.add_joint(leg + "abduction", "trunk", leg + "hip", shifted<S>(0.2 * ahead, 0.07 * out, 0), Revolute<S>(x),
                        detail::motor<S>(0.01, 30, {n(-0.8)}, {n(0.8)}));
      detail::add_capsule<S>(builder, leg + "thigh", 1.15, 0.03, origin, point<S>(0, 0, -0.22));
      builder.add_joint(leg + "pitch", leg + "hip", leg + "thigh", shifted<S>(0, 0.08 * out, 0), Revolute<S>(y),
                        detail::motor<S>(0.01, 30, {n(-1.5)}, {n(3)}));
      detail::add_capsule<S>(builder, leg + "shank", 0.3, 0.02, origin, point<S>(0, 0, -0.23));
      builder.add_joint(leg + "knee", leg + "thigh", leg + "shank", shifted<S>(0, 0, -0.22), Revolute<S>(y),
                        detail::motor<S>(0.01, 45, {n(-2.6)}, {n(0)}));
      builder.add_frame(leg + "foot", leg + "shank", shifted<S>(0, 0, -0.25));
    }
  }
  return builder.build();
}

}  // namespace actio::models
