// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/quaternion.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace quaternion_test {

using namespace actio;

template <class S>
struct Source {
  std::mt19937 engine{7};
  S number() { return std::uniform_real_distribution<S>(-1, 1)(engine); }
  Vector3<S> vector() { return Vector3<S>(number(), number(), number()); }
  Vector3<S> direction() { return vector().normalized(); }
  Quaternion<S> turn() { return quaternion::normalized(Quaternion<S>(number(), number(), number(), number())); }
};

template <class S>
S distance(const Quaternion<S>& a, const Quaternion<S>& b) {
  return (a.coeffs() - b.coeffs()).norm();
}

/// Angles on both sides of every switch between formulas, up to just below pi.
template <class S>
std::vector<S> angles() {
  const S pi = std::numbers::pi_v<S>;
  return {S(0),      S(1e-30), S(1e-8),   S(1e-3), S(0.1), S(0.5),       S(0.505),           S(0.506),
          S(0.9999), S(1),     S(1.0001), S(2),    S(3),   pi - S(1e-3), pi - 4 * epsilon<S>};
}

TEMPLATE_TEST_CASE("quaternion: products are products of rotations", "[math][quaternion][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 20; ++i) {
    const Quaternion<S> a = random.turn(), b = random.turn();
    const Vector3<S> x = random.vector();
    const Quaternion<S> ab = quaternion::multiply(a, b);
    CHECK(distance<S>(ab, a * b) < 2 * epsilon<S>);
    const Matrix3<S> A = quaternion::rotation_matrix(a), B = quaternion::rotation_matrix(b);
    CHECK((quaternion::rotation_matrix(ab) - A * B).norm() < 8 * epsilon<S>);
    CHECK((A * x - a * x).norm() < 8 * epsilon<S>);  // Eigen rotates with v x (v x a)
    CHECK((A.transpose() * A - Matrix3<S>::Identity()).norm() < 16 * epsilon<S>);
    CHECK(std::abs(quaternion::normalized(Quaternion<S>(3 * a.w(), 3 * a.x(), 3 * a.y(), 3 * a.z())).norm() - 1) < 2 * epsilon<S>);
    CHECK((quaternion::left_matrix(a) * quaternion::to_wxyz(b) - quaternion::to_wxyz(ab)).norm() < 4 * epsilon<S>);
    CHECK((quaternion::right_matrix(b) * quaternion::to_wxyz(a) - quaternion::to_wxyz(ab)).norm() < 4 * epsilon<S>);
    CHECK(distance(quaternion::from_wxyz(quaternion::to_wxyz(a)), a) == 0);
  }
}

TEMPLATE_TEST_CASE("quaternion: log inverts exp with an error relative to the length of the vector", "[math][quaternion][fast]", float,
                   double) {
  using S = TestType;
  Source<S> random;
  for (const S angle : angles<S>()) {
    CAPTURE(angle);
    const Vector3<S> w = angle * random.direction();
    const Quaternion<S> q = quaternion::exp(w);
    CHECK(std::abs(q.norm() - 1) < 2 * epsilon<S>);
    CHECK((quaternion::log(q) - w).norm() <= 6 * epsilon<S> * w.norm());
    CHECK((quaternion::log(Quaternion<S>(-q.w(), -q.x(), -q.y(), -q.z())) - w).norm() <= 6 * epsilon<S> * w.norm());
    if (angle > S(0)) {
      CHECK(distance<S>(q, Quaternion<S>(Eigen::AngleAxis<S>(w.norm(), w.normalized()))) < 4 * epsilon<S>);
      CHECK(distance<S>(quaternion::about<S>(w.normalized(), w.norm()), q) < 4 * epsilon<S>);
    }
  }
  const Vector3<S> axis = random.direction();
  for (const S angle : {S(-5), S(-0.5), S(4), S(7), S(100)}) {  // vectors of any length and sign
    CAPTURE(angle);
    CHECK(distance<S>(quaternion::exp<S>(angle * axis), quaternion::about<S>(axis, angle)) <
          2 * std::abs(angle) * epsilon<S> + 2 * epsilon<S>);
    CHECK(distance<S>(quaternion::about<S>(axis, angle), Quaternion<S>(Eigen::AngleAxis<S>(angle, axis))) <
          (4 + std::abs(angle)) * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("quaternion: from_matrix is exact whichever component is largest", "[math][quaternion][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 200; ++i) {
    const Quaternion<S> q = quaternion::canonical(random.turn());
    CHECK(distance(quaternion::from_matrix(quaternion::rotation_matrix(q)), q) < 6 * epsilon<S>);
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (const S angle : angles<S>()) {
      CAPTURE(axis, angle);
      const Quaternion<S> q = quaternion::exp<S>(angle * (Vector3<S>::Unit(axis) + S(1e-3) * random.vector()).normalized());
      CHECK(distance(quaternion::from_matrix(quaternion::rotation_matrix(q)), q) < 6 * epsilon<S>);
    }
  }
}

TEMPLATE_TEST_CASE("quaternion: the canonical one of q and -q has a positive first non-zero component", "[math][quaternion][fast]", float,
                   double) {
  using S = TestType;
  const auto check = [](S w, S x, S y, S z) {
    const Quaternion<S> expected(w, x, y, z), other(-w, -x, -y, -z);
    CHECK(quaternion::canonical(expected).coeffs() == expected.coeffs());
    CHECK(quaternion::canonical(other).coeffs() == expected.coeffs());
  };
  check(1, 0, 0, 0);
  check(S(0.5), S(-0.5), S(0.5), S(-0.5));
  check(0, 1, 0, 0);
  check(0, S(0.6), S(-0.8), 0);
  check(0, 0, S(0.6), S(-0.8));
  check(0, 0, 0, 1);
  const S pi = std::numbers::pi_v<S>;
  CHECK((quaternion::log(Quaternion<S>(0, 0, S(-0.6), S(0.8))) - pi * Vector3<S>(0, S(0.6), S(-0.8))).norm() < 2 * epsilon<S> * pi);
}

}  // namespace quaternion_test
