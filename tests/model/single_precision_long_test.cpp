// SPDX-License-Identifier: BSD-3-Clause
// Joints and ready-made mechanisms in single precision: in a separate file, since each type of joint takes long to compile.
#include "actio/model/cast.hpp"
#include "actio/model/joints/default_joints.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/joint_laws.hpp"

namespace single_precision_long_test {

using namespace actio;
using test::Cam;
using test::CompleteCam;
using test::Skate;

TEMPLATE_TEST_CASE("joint: every joint type satisfies the laws of joints in single precision", "[model][joint][long]", Revolute<float>,
                   Prismatic<float>,
                   Helical<float>, Cylindrical<float>, Universal<float>, Spherical<float>, Planar<float>, Free<float>, Cam<float>,
                   CompleteCam<float>, Skate<float>) {
  STATIC_REQUIRE(JointType<TestType>);
  test::check_joint_laws(test::oblique<TestType>());
}

TEMPLATE_TEST_CASE("joint: a joint cast to another precision moves like the original", "[model][joint][long]", Revolute<double>,
                   Prismatic<double>,
                   Helical<double>, Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>, Free<double>,
                   CompleteCam<double>) {
  using J = TestType;
  const J joint = test::oblique<J>();
  const auto single = joint.template cast<float>();
  const typename J::Config q = joint.integrate(joints::neutral(joint), J::Tangent::Constant(0.7));
  const Pose<double> T = joint.pose(q);
  const Pose<float> in_float = single.pose(q.template cast<float>());
  CHECK((T.R - in_float.R.template cast<double>()).norm() < 1e-6);
  CHECK((T.p - in_float.p.template cast<double>()).norm() < 1e-6);
}

/// Built in float, each mechanism is the one built in double, rounded; at any attitude.
TEST_CASE("ready-made: mechanisms in single precision match those in double precision", "[model][ready][long]") {
  const auto check = [](const Model<float>& found, const Model<double>& expected) {
    CAPTURE(expected.name());
    const auto apart = [](const Pose<float>& a, const Pose<double>& b) {
      return distance(Pose<double>{a.R.cast<double>(), a.p.cast<double>()}, b);
    };
    REQUIRE(found.num_bodies() == expected.num_bodies());
    REQUIRE(found.loops().size() == expected.loops().size());
    for (BodyIndex i = 1; i < expected.num_bodies(); ++i) {
      CHECK(apart(found.placement(i), expected.placement(i)) < 1e-6);
      CHECK((found.inertia(i).matrix().cast<double>() - expected.inertia(i).matrix()).norm() < 1e-5);
      CHECK(found.joint(i).index() == expected.joint(i).index());
    }
    for (std::size_t k = 0; k < expected.loops().size(); ++k) {
      CHECK(found.loops()[k].body_b == expected.loops()[k].body_b);
      CHECK(apart(found.loops()[k].T_A, expected.loops()[k].T_A) < 1e-6);
      CHECK(apart(found.loops()[k].T_B, expected.loops()[k].T_B) < 1e-6);
    }
  };
  models::Random random(1);
  for (int attitude = 0; attitude < 4; ++attitude) {
    const Matrix3<double> R =
        attitude == 0 ? Matrix3<double>(Matrix3<double>::Identity()) : quaternion::rotation_matrix<double>(random.rotation<double>());
    const Matrix3<float> rounded = R.cast<float>();
    check(models::four_bars<float>(2, rounded), models::four_bars(2, R));
    check(models::jansen_leg<float>(rounded), models::jansen_leg(R));
    check(models::stewart_platform<float>(rounded), models::stewart_platform(R));
    check(models::eight_bar<float>(rounded), models::eight_bar(R));
  }
}

}  // namespace single_precision_long_test
