// SPDX-License-Identifier: BSD-3-Clause
// joints::coordinate(), the inverse of pose(), by the members of the joints and by the generic default.
#include <array>
#include <numbers>

#include "actio/model/joint.hpp"
#include "actio/model/joints/default_joints.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/dual.hpp"

namespace joint_coordinate_test {

using namespace actio;
using test::Bare;
using test::Cam;
using test::CompleteCam;
using test::Dual;
using test::Skate;

/// Random axes; those of a universal joint are at least 17 degrees from parallel: the closer they are, the less a pose says about its
/// angles.
template <class J>
struct Draw {
  static J from(models::Random& random) {
    using S = typename J::Real;
    const Vector3<S> axis = random.direction<S>();
    if constexpr (std::constructible_from<J, Vector3<S>, Vector3<S>>) {
      for (;;) {
        const Vector3<S> axis2 = random.direction<S>();
        if (value_of(S(axis.cross(axis2).squaredNorm())) > 0.09f) return J(axis, axis2);
      }
    } else if constexpr (std::constructible_from<J, Vector3<S>, S>) {
      return J(axis, S(0.3));
    } else if constexpr (std::constructible_from<J, Vector3<S>>) {
      return J(axis);
    } else if constexpr (std::constructible_from<J, S>) {
      return J(S(0.3));
    } else {
      return J();
    }
  }
  static constexpr double reach = 2;  // largest distance from `near` [rad, m], for each degree of freedom
};
template <class J>
struct Draw<Bare<J>> {
  static Bare<J> from(models::Random& random) { return Bare<J>(Draw<J>::from(random)); }
  // for universal joints, 2 in each angle can lead to another turn
  static constexpr double reach = std::same_as<J, Universal<typename J::Real>> ? 1.5 : 2;
};

/// A number of turns and a remainder, random or such that a formula for angles may fail.
template <class S>
S angle(models::Random& random) {
  constexpr double pi = std::numbers::pi;
  constexpr std::array<double, 10> seams{0, 1e-9, -1e-9, pi / 2, -pi / 2, pi, -pi, pi - 1e-7, pi + 1e-7, 1e-3};
  const double remainder = random.happens(0.3) ? random.uniform(-pi, pi) : seams[static_cast<std::size_t>(random.below(10))];
  return S(static_cast<ValueOf<S>>(remainder + 2 * pi * (random.below(7) - 3)));
}

template <class J>
typename J::Config configuration(const J& joint, models::Random& random) {
  typename J::Tangent x;
  for (int k = 0; k < J::nv; ++k) x[k] = angle<typename J::Real>(random);
  return joint.integrate(joints::neutral(joint), x);
}

template <class S>
Quaternion<S> of_either_sign(const Pose<S>& T, models::Random& random) {
  const Quaternion<S> turn = T.quaternion();
  return random.happens(0.5) ? turn : Quaternion<S>(-turn.coeffs());
}

#define ACTIO_JOINTS(S) Revolute<S>, Prismatic<S>, Helical<S>, Cylindrical<S>, Universal<S>, Spherical<S>, Planar<S>, Free<S>
#define ACTIO_BARE_JOINTS(S)                                                                                                              \
  Bare<Revolute<S>>, Bare<Prismatic<S>>, Bare<Helical<S>>, Bare<Cylindrical<S>>, Bare<Universal<S>>, Bare<Spherical<S>>, Bare<Planar<S>>, \
      Bare<Free<S>>

TEMPLATE_TEST_CASE("joint: coordinate inverts pose at any angle and any number of turns, by member and by default", "[model][joint][long]",
                   ACTIO_JOINTS(double), ACTIO_JOINTS(float), ACTIO_BARE_JOINTS(double), ACTIO_BARE_JOINTS(float), Cam<double>, Cam<float>,
                   CompleteCam<double>, CompleteCam<float>, Skate<double>, Skate<float>) {
  using J = TestType;
  using S = typename J::Real;
  constexpr S rounding = 450 * epsilon<S>;  // 1e-13 in double
  models::Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config q = configuration(joint, random);
    const typename J::Config near = joint.integrate(q, random.in_box<S, J::nv>(Draw<J>::reach));
    const Pose<S> T = joint.pose(q);
    const typename J::Config found = joints::coordinate(joint, of_either_sign(T, random), T.p, near);
    CAPTURE(trial, q.transpose(), near.transpose(), found.transpose());
    CHECK(joint.difference(q, found).norm() < rounding);  // numbers include whole turns; quaternions are compared as rotations
    CHECK(distance(joint.pose(found), T) < rounding);
    CHECK(joints::is_valid(joint, found));
  }
}

TEMPLATE_TEST_CASE("joint: coordinate returns the unit quaternion nearer to the previous one", "[model][joint][long]", Spherical<double>,
                   Spherical<float>, Free<double>, Free<float>) {
  using J = TestType;
  using S = typename J::Real;
  models::Random random(12);
  const J joint;
  for (int trial = 0; trial < 100; ++trial) {
    const typename J::Config q = configuration(joint, random), near = configuration(joint, random);
    const Pose<S> T = joint.pose(q);
    const Quaternion<S> turn(of_either_sign(T, random).coeffs() * S(1 + 1e-3));
    const typename J::Config found = joint.coordinate(turn, T.p, near);
    const Vector4<S> e = found.template tail<4>();
    CHECK(e.dot(near.template tail<4>()) >= 0);
    CHECK(std::abs(e.norm() - 1) < 4 * epsilon<S>);
    CHECK(joint.difference(q, found).norm() < 450 * epsilon<S>);
  }
}

TEMPLATE_TEST_CASE("joint: a small error of the pose causes an error of the same size in the coordinate",
                   "[model][joint][long]", ACTIO_JOINTS(double), CompleteCam<double>) {
  using J = TestType;
  constexpr double off = 1e-10;
  models::Random random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config q = configuration(joint, random), near = joint.integrate(q, random.in_box<double, J::nv>(1));
    const Pose<double> T = joint.pose(q) * Displacement<double>::exp(random.in_box<double, 6>(off)).pose();
    const Quaternion<double> turn = of_either_sign(T, random);
    const typename J::Config found = joints::coordinate(joint, turn, T.p, near),
                             by_default = joints::coordinate(Bare<J>(joint), turn, T.p, near);
    CAPTURE(trial, q.transpose(), found.transpose(), by_default.transpose());
    // at most sqrt(6) off over the sine of the angle between the axes, which is at least 0.3
    CHECK(joint.difference(q, found).norm() < 20 * off);
    CHECK(joint.difference(by_default, found).norm() < 20 * off);
    CHECK(distance(joint.pose(found), T) < 20 * off);
  }
}

TEMPLATE_TEST_CASE("joint: the coordinate of any pose is finite", "[model][joint][long]", ACTIO_JOINTS(double),
                   ACTIO_BARE_JOINTS(double), Cam<double>, CompleteCam<double>, Skate<double>) {
  using J = TestType;
  models::Random random(14);
  for (int trial = 0; trial < 200; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config near = configuration(joint, random);
    Pose<double> T = random.pose<double>(10);
    if (trial % 2 == 0) T.R = Matrix3<double>::Identity();
    Quaternion<double> turn = of_either_sign(T, random);
    if (trial % 4 == 1) turn = Quaternion<double>(0, trial % 8 == 1 ? 1 : -1, 0, 0);  // half a turn across z
    CHECK(joints::coordinate(joint, turn, T.p, near).allFinite());
  }
  if constexpr (requires(const J& joint) { joint.axis(); }) {  // half a turn across the axis: the rotation about the axis is undetermined
    const Vector3<double> x = Vector3<double>::UnitX();
    const J joint = [&] {
      if constexpr (std::constructible_from<J, Vector3<double>, Vector3<double>>)
        return J(x, Vector3<double>::UnitY());
      else if constexpr (std::constructible_from<J, Vector3<double>, double>)
        return J(x, 0.3);
      else
        return J(x);
    }();
    CHECK(joints::coordinate(joint, Quaternion<double>(0, 0, 0, 1), x, joints::neutral(joint)).allFinite());
    CHECK(joints::coordinate(joint, Quaternion<double>(-0.0, -0.0, -1, 0), x, joints::neutral(joint)).allFinite());
  }
}

TEMPLATE_TEST_CASE("joint: on dual numbers the derivative of the coordinate is the velocity", "[model][joint][long]", ACTIO_JOINTS(Dual),
                   ACTIO_BARE_JOINTS(Dual), Cam<Dual>, CompleteCam<Dual>, Skate<Dual>) {
  using J = TestType;
  models::Random random(15);
  for (int trial = 0; trial < 20; ++trial) {
    const J joint = Draw<J>::from(random);
    const typename J::Config q = configuration(joint, random);
    const typename J::Tangent v = random.in_box<Dual, J::nv>(1), moved = v * Dual(0, 1);
    const Pose<Dual> T = joint.pose(joint.integrate(q, moved));
    const typename J::Config near = joint.integrate(q, random.in_box<Dual, J::nv>(1));
    const typename J::Tangent rate = joint.difference(q, joints::coordinate(joint, of_either_sign(T, random), T.p, near));
    for (int k = 0; k < J::nv; ++k) CHECK(std::abs(rate[k].derivative - v[k].x) < 1e-12);
  }
}

TEST_CASE("joint: coordinates allocate nothing", "[model][joint][long]") {
  const Universal<double> joint(Vector3<double>(0.48, -0.6, 0.64), Vector3<double>(2, 1, 0.5));
  const Vector2<double> q(0.3, 0.7), near(0, 0);
  const Vector3<double> p(0, 0, 0);
  const Quaternion<double> turn = joint.pose(q).quaternion();
  const test::AllocationCounter allocations;
  const Vector2<double> found = joints::coordinate(joint, turn, p, near);
  const Vector2<double> by_default = joints::coordinate(Bare(joint), turn, p, near);
  const std::size_t count = allocations.count();
  CHECK(count == 0);
  CHECK((found - by_default).norm() < 1e-14);
}

}  // namespace joint_coordinate_test
