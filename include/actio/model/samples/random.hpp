// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random numbers, states and trees with fixed seeds, for tests and experiments.
#include <cstdint>
#include <random>

#include "actio/model/builder.hpp"
#include "actio/model/model.hpp"

/// Models that are ready to step, for tests, benchmarks and examples. Unless stated otherwise, a rod is a box of 0.1 x 0.1 x 1 m and 1 kg
/// that extends from its origin to (0, 0, -1) m in its frame. A Model without bodies (n < 1) is refused with a ModelError.
namespace actio::models {

/// A stream of random numbers, which depends on the seed only and is the same on all platforms.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}  ///< any seed is valid

  /// Returns a number uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }  ///< uniform in [low, high)
  /// Returns one of 0 ... count - 1.
  int below(int count) { return static_cast<int>(unit() * count); }
  bool happens(double probability) { return unit() < probability; }  ///< true with that probability

  /// Returns entries uniform in [-range, range), drawn in their order.
  template <Scalar S, int size>
  Eigen::Matrix<S, size, 1> in_box(double range) {
    Eigen::Matrix<S, size, 1> x;
    for (int k = 0; k < size; ++k) x[k] = S(static_cast<ValueOf<S>>(uniform(-range, range)));
    return x;
  }
  /// Returns a unit vector, uniform on the sphere. It is found by rejection, because the last digit of a trigonometric function differs
  /// between C libraries.
  template <Scalar S>
  Vector3<S> direction() { return on_sphere<S, 3>(); }
  /// Returns a unit quaternion, uniform over all rotations.
  template <Scalar S>
  Quaternion<S> rotation() { return Quaternion<S>(on_sphere<S, 4>()); }
  /// Returns a uniform rotation and a position uniform in [-reach, reach)^3 [m].
  template <Scalar S>
  Pose<S> pose(double reach) {
    const Quaternion<S> q = rotation<S>();
    return Pose<S>::from(q, in_box<S, 3>(reach));
  }

 private:
  template <Scalar S, int size>
  Eigen::Matrix<S, size, 1> on_sphere() {
    for (;;) {  // in double for every S, so that the same numbers are rejected
      const Eigen::Matrix<double, size, 1> x = in_box<double, size>(1);
      const double square = x.squaredNorm();
      if (square > 0.01 && square <= 1) return (x / std::sqrt(square)).template cast<ValueOf<S>>().template cast<S>();
    }
  }

  std::mt19937_64 bits_;
};

///@{
/// Returns neutral (+) x (nq) with every entry of x uniform in [-range, range)  [rad, m].  Takes a stream of random numbers or its seed.
template <Scalar S, class Joints>
VectorX<S> random_configuration(const Model<S, Joints>& model, Random& random, double range = 1) {
  VectorX<S> x(model.nv());
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = S(static_cast<ValueOf<S>>(random.uniform(-range, range)));
  return model.integrate(model.neutral(), x);
}
template <Scalar S, class Joints>
VectorX<S> random_configuration(const Model<S, Joints>& model, std::uint64_t seed, double range = 1) {
  Random random(seed);
  return random_configuration(model, random, range);
}
///@}

///@{
/// Returns a velocity (nv) with every entry uniform in [-range, range)  [rad/s, m/s].  Takes a stream of random numbers or its seed.
template <Scalar S, class Joints>
VectorX<S> random_velocity(const Model<S, Joints>& model, Random& random, double range = 1) {
  VectorX<S> v(model.nv());
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = S(static_cast<ValueOf<S>>(random.uniform(-range, range)));
  return v;
}
template <Scalar S, class Joints>
VectorX<S> random_velocity(const Model<S, Joints>& model, std::uint64_t seed, double range = 1) {
  Random random(seed);
  return random_velocity(model, random, range);
}
///@}

/// Options of a random tree.
struct RandomTreeOptions {
  double straightness = 0.5;  ///< probability that the parent of a body is the previous body: 1 gives a chain, 0 a bushy tree
  bool floating = false;      ///< the first body is on a free joint and all others below it; otherwise any number of roots of any type
  bool damping = false,       ///< on about half of the joints, each entry in [0, 1) N m s/rad or N s/m
      springs = false,        ///< on about half of the joints, each entry in [0, 1) N m/rad or N/m
      armature = false;       ///< on about half of the flat joints, each entry in [0, 1) kg m^2 or kg
};

namespace detail {

/// Returns a joint of any type, all equally likely, on random axes.
template <Scalar S>
DefaultJoints<S> random_joint(Random& random) {
  const int type = random.below(8);
  const auto in_S = [](const Vector3<double>& a) { return Vector3<S>(a.template cast<ValueOf<S>>().template cast<S>()); };
  const Vector3<double> direction = random.direction<double>();
  const Vector3<S> axis = in_S(direction);
  switch (type) {
    case 0: return Revolute<S>(axis);
    case 1: return Prismatic<S>(axis);
    case 2: return Helical<S>(axis, S(static_cast<ValueOf<S>>(random.uniform(-0.3, 0.3))));
    case 3: return Cylindrical<S>(axis);
    case 4: {  // the second axis at least 30 degrees off the first
      Vector3<double> second = random.direction<double>();
      while (direction.cross(second).squaredNorm() < 0.25) second = random.direction<double>();
      return Universal<S>(axis, in_S(second));
    }
    case 5: return Spherical<S>();
    case 6: return Planar<S>();
    default: return Free<S>();
  }
}

/// Returns an inertia that a body can have: principal moments are sums of two positive second moments of mass.
template <Scalar S>
Inertia<S> random_inertia(Random& random) {
  const auto uniform = [&](double low, double high) { return S(static_cast<ValueOf<S>>(random.uniform(low, high))); };
  const S mass = uniform(0.5, 2), a = uniform(0.01, 0.1), b = uniform(0.01, 0.1), c = uniform(0.01, 0.1);
  const Matrix3<S> R = quaternion::rotation_matrix<S>(random.rotation<S>());
  const Vector3<S> com = random.in_box<S, 3>(0.3);
  const Matrix3<S> I = R * Vector3<S>(mass * (b + c), mass * (a + c), mass * (a + b)).asDiagonal() * R.transpose();
  return {mass, com, (I + I.transpose()) / S(2)};
}

template <Scalar S, JointType J>
JointProperties<S> random_properties(Random& random, const RandomTreeOptions& options) {
  JointProperties<S> properties;
  const auto maybe = [&](bool wanted) -> actio::detail::PerEntry<S> {
    if (!wanted || !random.happens(0.5)) return {};
    VectorX<S> values(J::nv);
    for (S& value : values) value = S(static_cast<ValueOf<S>>(random.unit()));
    return values;
  };
  properties.damping = maybe(options.damping);
  properties.armature = maybe(options.armature && joints::is_flat<J>());
  properties.stiffness = maybe(options.springs);
  return properties;
}

}  // namespace detail

/// Returns the builder of a tree of `bodies` moving bodies body_1 ... on joints joint_1 ... of all types, reproducible by its seed. Some
/// bodies carry further links on fixed joints. More can be added to the builder.
template <Scalar S = double>
ModelBuilder<S> random_tree_builder(std::uint64_t seed, int bodies, const RandomTreeOptions& options = {}) {
  Random random(seed);
  ModelBuilder<S> builder("random_tree_" + std::to_string(seed));
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  for (int k = 1; k <= bodies; ++k) {
    const int first = options.floating && k > 1 ? 1 : 0;  // the world is a parent like any other, but not of a floating tree
    const int parent = random.happens(options.straightness) ? k - 1 : first + random.below(k - first);
    const Pose<S> placement = random.pose<S>(0.5);
    const DefaultJoints<S> joint = options.floating && k == 1 ? DefaultJoints<S>(Free<S>()) : detail::random_joint<S>(random);
    const JointProperties<S> properties =
        std::visit([&]<JointType J>(const J&) { return detail::random_properties<S, J>(random, options); }, joint);
    builder.add_body(link(k), detail::random_inertia<S>(random));
    builder.add_joint("joint_" + std::to_string(k), link(parent), link(k), placement, joint, properties);
    if (random.happens(0.2)) {
      const std::string welded = "welded_" + std::to_string(k);
      builder.add_body(welded, detail::random_inertia<S>(random));
      builder.add_joint(welded, link(k), welded, random.pose<S>(0.3), Fixed{});
    }
  }
  return builder;
}

/// Returns the model of random_tree_builder().
template <Scalar S = double>
Model<S> random_tree(std::uint64_t seed, int bodies, const RandomTreeOptions& options = {}) {
  return random_tree_builder<S>(seed, bodies, options).build();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE Inertia<double> detail::random_inertia(Random&);
ACTIO_INSTANTIATE ModelBuilder<double> random_tree_builder(std::uint64_t, int, const RandomTreeOptions&);
ACTIO_INSTANTIATE Model<double> random_tree(std::uint64_t, int, const RandomTreeOptions&);
#endif

}  // namespace actio::models
