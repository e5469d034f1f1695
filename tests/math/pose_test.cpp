// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/pose.hpp"

#include <cmath>
#include <random>

#include "support/catch.hpp"

namespace pose_test {

using namespace actio;

template <class S>
struct Source {
  std::mt19937 engine{11};
  S number() { return std::uniform_real_distribution<S>(-1, 1)(engine); }
  Vector3<S> vector() { return Vector3<S>(number(), number(), number()); }
  Vector6<S> six() { return spatial<S>(vector(), vector()); }
  Pose<S> pose() { return {so3::exp<S>(3 * vector()), 2 * vector()}; }
};

template <class S>
const S few = 40 * epsilon<S>;

TEMPLATE_TEST_CASE("pose: rigid motions form a group that acts on points", "[math][pose][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 10; ++i) {
    const Pose<S> a = random.pose(), b = random.pose(), c = random.pose();
    const Vector3<S> x = random.vector();
    CHECK(distance((a * b) * c, a * (b * c)) < few<S>);
    CHECK(distance(a * Pose<S>::identity(), a) == 0);
    CHECK(distance(Pose<S>::identity() * a, a) == 0);
    CHECK(distance(a * a.inverse(), Pose<S>::identity()) < few<S>);
    CHECK(((a * b) * x - a * (b * x)).norm() < few<S>);
    CHECK((a * x - (a.R * x + a.p)).norm() < few<S>);
    CHECK(distance(Pose<S>::from(a.quaternion(), a.p), a) < few<S>);
    CHECK(distance(Pose<S>::translation(a.p) * Pose<S>::rotation(a.R), a) == 0);
    CHECK(distance(Pose<S>::translation(a.p[0], a.p[1], a.p[2]), Pose<S>::translation(a.p)) == 0);
  }
}

TEMPLATE_TEST_CASE("pose: distance is the larger of rotation and translation", "[math][pose][fast]", float, double) {
  using S = TestType;
  const Pose<S> unit = Pose<S>::identity();
  const Pose<S> shifted = Pose<S>::translation(3, 0, 4), turned = Pose<S>::rotation(so3::exp(Vector3<S>(0, 0, S(0.01))));
  CHECK(distance(unit, unit) == 0);
  CHECK(std::abs(distance(unit, shifted) - 5) < few<S>);
  CHECK(std::abs(distance(turned, unit) - S(0.01) * std::sqrt(S(2))) < S(1e-6));
  CHECK(distance(turned, shifted) == distance(shifted, turned));
}

TEMPLATE_TEST_CASE("pose: twists and wrenches transform with the adjoint, its inverse and their transposes", "[math][pose][fast]", float,
                   double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 10; ++i) {
    const Pose<S> T = random.pose(), U = random.pose();
    const Vector6<S> V = random.six(), F = random.six();
    const Matrix6<S> Ad = T.adjoint(), Ad_inverse = T.inverse().adjoint();
    CHECK((Ad * Ad_inverse - Matrix6<S>::Identity()).norm() < few<S>);
    CHECK(((T * U).adjoint() - Ad * U.adjoint()).norm() < few<S>);
    CHECK((T.twist_to_parent(V) - Ad * V).norm() < few<S>);
    CHECK((T.twist_to_child(V) - Ad_inverse * V).norm() < few<S>);
    CHECK((T.wrench_to_parent(F) - Ad_inverse.transpose() * F).norm() < few<S>);
    CHECK((T.wrench_to_child(F) - Ad.transpose() * F).norm() < few<S>);
    CHECK((T.twist_to_child(T.twist_to_parent(V)) - V).norm() < few<S>);
    CHECK((T.wrench_to_child(T.wrench_to_parent(F)) - F).norm() < few<S>);
    CHECK(std::abs(T.twist_to_parent(V).dot(T.wrench_to_parent(F)) - V.dot(F)) < few<S>);  // power does not depend on the frame
  }
}

TEMPLATE_TEST_CASE("pose: a force with a lever arm has a moment, and a rotation about a distant point has a velocity", "[math][pose][fast]",
                   float, double) {
  using S = TestType;
  const Pose<S> T = Pose<S>::translation(0, 0, 2);  // B is two metres above A
  const Vector6<S> push = spatial<S>(Vector3<S>::Zero(), Vector3<S>(1, 0, 0));
  const Vector6<S> about_A = spatial<S>(Vector3<S>(0, 2, 0), Vector3<S>(1, 0, 0));  // 2 e_z x e_x
  CHECK(T.wrench_to_parent(push) == about_A);
  CHECK(T.wrench_to_child(about_A) == push);
  const Vector6<S> spin = spatial<S>(Vector3<S>(1, 0, 0), Vector3<S>::Zero());
  const Vector6<S> at_B = spatial<S>(Vector3<S>(1, 0, 0), Vector3<S>(0, -2, 0));  // e_x x 2 e_z
  CHECK(T.twist_to_child(spin) == at_B);
  CHECK(T.twist_to_parent(at_B) == spin);
}

}  // namespace pose_test
