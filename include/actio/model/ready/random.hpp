// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random numbers, configurations and velocities that a seed fixes on every compiler: the distributions of the standard
// library differ from one to the next, its engines do not.
#include <cstdint>
#include <random>

#include "actio/model/model.hpp"

/// Models ready to step: what the tests, benchmarks and examples are made of. A rod, where nothing else is said, is a box of
/// 0.1 x 0.1 x 1 m and 1 kg that reaches from its origin to (0, 0, -1) m in its own frame. A Model of no bodies at all (n < 1) is
/// refused with a ModelError.
namespace actio::models {

/// A stream of random numbers, the same for the same seed everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}  ///< any seed will do

  /// Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }  ///< in [low, high)
  /// One of 0 ... count - 1.
  int below(int count) { return static_cast<int>(unit() * count); }
  bool happens(double probability) { return unit() < probability; }  ///< true with that probability

  /// Entries uniform in [-range, range), drawn in their order.
  template <Scalar S, int size>
  Eigen::Matrix<S, size, 1> in_box(double range) {
    Eigen::Matrix<S, size, 1> x;
    for (int k = 0; k < size; ++k) x[k] = S(static_cast<ValueOf<S>>(uniform(-range, range)));
    return x;
  }
  /// A unit vector, uniform on the sphere, by rejection: a trigonometric function's last digit differs between C libraries.
  template <Scalar S>
  Vector3<S> direction() { return on_sphere<S, 3>(); }
  /// A unit quaternion, uniform over all rotations.
  template <Scalar S>
  Quaternion<S> rotation() { return Quaternion<S>(on_sphere<S, 4>()); }
  /// Any rotation, and a position uniform in [-reach, reach)^3 [m].
  template <Scalar S>
  Pose<S> pose(double reach) {
    const Quaternion<S> turn = rotation<S>();
    return Pose<S>::from(turn, in_box<S, 3>(reach));
  }

 private:
  template <Scalar S, int size>
  Eigen::Matrix<S, size, 1> on_sphere() {
    for (;;) {  // in double whatever S is: the same numbers are rejected
      const Eigen::Matrix<double, size, 1> x = in_box<double, size>(1);
      const double square = x.squaredNorm();
      if (square > 0.01 && square <= 1) return (x / std::sqrt(square)).template cast<ValueOf<S>>().template cast<S>();
    }
  }

  std::mt19937_64 bits_;
};

///@{
/// (nq) neutral (+) x with every entry of x uniform in [-range, range)  [rad, m].  Takes a stream of random numbers, or its seed.
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
/// (nv) every entry uniform in [-range, range)  [rad/s, m/s].  Takes a stream of random numbers, or its seed.
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

}  // namespace actio::models
