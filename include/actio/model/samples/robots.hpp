// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models for tests, benchmarks and examples: a humanoid and a quadruped.
#include "actio/model/samples/limb.hpp"

namespace actio::models {
namespace detail {

inline constexpr int humanoid_bodies = 16;

/// Adds a humanoid whose names begin with `prefix`, its pelvis at `at` in the world: x forward, y left, z up, upright with
/// hanging arms at neutral. Proportions and masses are those of an adult of 1.75 m and 75 kg, rounded.
template <Scalar S>
void add_humanoid(ModelBuilder<S>& builder, const std::string& prefix, const Pose<S>& at, Base base) {
  const Vector3<S> x = Vector3<S>::UnitX(), y = Vector3<S>::UnitY(), z = Vector3<S>::UnitZ(), origin = Vector3<S>::Zero();
  const auto named = [&](const std::string& side, const char* part) { return prefix + side + part; };
  const auto n = [](double value) { return number<S>(value); };
  const std::string pelvis = prefix + "pelvis", abdomen = prefix + "abdomen", chest = prefix + "chest", head = prefix + "head";

  add_capsule<S>(builder, pelvis, 9, 0.11, point<S>(0, -0.07, 0), point<S>(0, 0.07, 0));
  if (base == Base::floating) builder.add_joint(prefix + "base", "world", pelvis, at, Free<S>());
  else builder.add_joint(prefix + "base", "world", pelvis, at, Fixed{});

  add_capsule<S>(builder, abdomen, 10, 0.11, point<S>(0, -0.05, 0.08), point<S>(0, 0.05, 0.08));
  builder.add_joint(prefix + "waist", pelvis, abdomen, shifted<S>(0, 0, 0.1), Universal<S>(y, x),
                    motor<S>(0.05, 200, {n(-0.5), n(-0.5)}, {n(1.2), n(0.5)}));
  add_capsule<S>(builder, chest, 17, 0.13, point<S>(0, -0.08, 0.15), point<S>(0, 0.08, 0.15));
  builder.add_joint(prefix + "spine", abdomen, chest, shifted<S>(0, 0, 0.16), Revolute<S>(z), motor<S>(0.05, 150, {n(-0.8)}, {n(0.8)}));
  add_capsule<S>(builder, head, 5, 0.09, point<S>(0, 0, 0.08), point<S>(0.01, 0, 0.14));
  builder.add_joint(prefix + "neck", chest, head, shifted<S>(0, 0, 0.32), Universal<S>(z, y),
                    motor<S>(0.01, 20, {n(-1.2), n(-0.7)}, {n(1.2), n(0.8)}));

  for (const std::string side : {"left_", "right_"}) {
    const double out = side == "left_" ? 1 : -1;
    const std::string upper_arm = named(side, "upper_arm"), forearm = named(side, "forearm"), hand = named(side, "hand");
    add_capsule<S>(builder, upper_arm, 2, 0.05, origin, point<S>(0, 0, -0.28));
    builder.add_joint(named(side, "shoulder"), chest, upper_arm, shifted<S>(0, 0.22 * out, 0.24), Spherical<S>(), motor<S>(0, 80));
    add_capsule<S>(builder, forearm, 1.2, 0.04, origin, point<S>(0, 0, -0.25));
    builder.add_joint(named(side, "elbow"), upper_arm, forearm, shifted<S>(0, 0, -0.28), Revolute<S>(-y),
                      motor<S>(0.02, 60, {n(0)}, {n(2.5)}));
    add_capsule<S>(builder, hand, 0.4, 0.03, point<S>(0, 0, -0.04), point<S>(0, 0, -0.12));
    builder.add_joint(named(side, "wrist"), forearm, hand, shifted<S>(0, 0, -0.25), Universal<S>(y, x),
                      motor<S>(0.005, 15, {n(-1.2), n(-0.5)}, {n(1.2), n(0.5)}));
  }
  for (const std::string side : {"left_", "right_"}) {
    const double out = side == "left_" ? 1 : -1;
    const std::string thigh = named(side, "thigh"), shank = named(side, "shank"), foot = named(side, "foot");
    add_capsule<S>(builder, thigh, 9, 0.08, origin, point<S>(0, 0, -0.42));
    builder.add_joint(named(side, "hip"), pelvis, thigh, shifted<S>(0, 0.09 * out, -0.05), Spherical<S>(), motor<S>(0, 250));
    add_capsule<S>(builder, shank, 3.4, 0.055, origin, point<S>(0, 0, -0.4));
    builder.add_joint(named(side, "knee"), thigh, shank, shifted<S>(0, 0, -0.42), Revolute<S>(y), motor<S>(0.05, 250, {n(0)}, {n(2.5)}));
    add_capsule<S>(builder, foot, 1, 0.04, point<S>(-0.06, 0, -0.04), point<S>(0.14, 0, -0.04));
    builder.add_joint(named(side, "ankle"), shank, foot, shifted<S>(0, 0, -0.41), Universal<S>(y, x),
                      motor<S>(0.02, 120, {n(-0.9), n(-0.4)}, {n(0.7), n(0.4)}));
  }
}

/// Adds a quadruped whose names begin with `prefix`, its trunk at `at` in the world: see quadruped().
template <Scalar S>
void add_quadruped(ModelBuilder<S>& builder, const std::string& prefix, const Pose<S>& at, Base base) {
  const Vector3<S> x = Vector3<S>::UnitX(), y = Vector3<S>::UnitY(), origin = Vector3<S>::Zero();
  const auto n = [](double value) { return number<S>(value); };
  const std::string trunk = prefix + "trunk";
  const Vector3<S> size = point<S>(0.5, 0.22, 0.12);
  builder.add_body(trunk, Inertia<S>::box(n(11), size));
  builder.add_shape({.name = trunk, .geometry = Box<S>{size}}, trunk);
  if (base == Base::floating) builder.add_joint(prefix + "base", "world", trunk, at, Free<S>());
  else builder.add_joint(prefix + "base", "world", trunk, at, Fixed{});

  for (const std::string end : {"front", "hind"}) {
    for (const std::string side : {"left", "right"}) {
      const std::string leg = prefix + end + '_' + side + '_';
      const double ahead = end == "front" ? 1 : -1, out = side == "left" ? 1 : -1;
      add_capsule<S>(builder, leg + "hip", 0.8, 0.04, point<S>(0, 0.02 * out, 0), point<S>(0, 0.06 * out, 0));
      builder.add_joint(leg + "abduction", trunk, leg + "hip", shifted<S>(0.2 * ahead, 0.07 * out, 0), Revolute<S>(x),
                        motor<S>(0.01, 30, {n(-0.8)}, {n(0.8)}));
      add_capsule<S>(builder, leg + "thigh", 1.15, 0.03, origin, point<S>(0, 0, -0.22));
      builder.add_joint(leg + "pitch", leg + "hip", leg + "thigh", shifted<S>(0, 0.08 * out, 0), Revolute<S>(y),
                        motor<S>(0.01, 30, {n(-1.5)}, {n(3)}));
      add_capsule<S>(builder, leg + "shank", 0.3, 0.02, origin, point<S>(0, 0, -0.23));
      builder.add_joint(leg + "knee", leg + "thigh", leg + "shank", shifted<S>(0, 0, -0.22), Revolute<S>(y),
                        motor<S>(0.01, 45, {n(-2.6)}, {n(0)}));
      builder.add_frame(leg + "foot", leg + "shank", shifted<S>(0, 0, -0.25));
    }
  }
}

}  // namespace detail

/// Returns a humanoid of 75 kg and 16 bodies: ball joints at hips and shoulders, universal ones at waist, neck, wrists and ankles,
/// revolute ones between. Floating: nq 40, nv 35; its pelvis is at the origin at neutral, its soles 0.96 m below.
template <Scalar S = double>
Model<S> humanoid(Base base = Base::floating) {
  ModelBuilder<S> builder("humanoid");
  detail::add_humanoid<S>(builder, "", Pose<S>::identity(), base);
  return builder.build();
}

/// Returns a model of at least n bodies: as many floating humanoids as necessary, in rows of eight, one metre apart, with names
/// "1/pelvis", "2/pelvis", ... They are connected through the world only: the tree grows in breadth, and its depth is that of one humanoid.
template <Scalar S = double>
Model<S> humanoids(int n) {
  ModelBuilder<S> builder("humanoids");
  for (int k = 0; k * detail::humanoid_bodies < n || k == 0; ++k) {
    detail::add_humanoid<S>(builder, std::to_string(k + 1) + "/", detail::shifted<S>(k / 8, k % 8, 0), Base::floating);
  }
  return builder.build();
}

/// Returns a four-legged robot of 20 kg and 13 bodies: three revolute joints per leg (abduction about x, hip and knee about y).
/// x forward, y left, z up; its trunk is at the origin at neutral, with straight legs, its feet 0.47 m below.
template <Scalar S = double>
Model<S> quadruped(Base base = Base::floating) {
  ModelBuilder<S> builder("quadruped");
  detail::add_quadruped<S>(builder, "", Pose<S>::identity(), base);
  return builder.build();
}

}  // namespace actio::models
