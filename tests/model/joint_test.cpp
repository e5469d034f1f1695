// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/joint.hpp"

#include "actio/model/joints/default_joints.hpp"
#include "support/custom_joints.hpp"
#include "support/joint_laws.hpp"
#include "support/refusal.hpp"

namespace joint_test {

using namespace actio;
using test::Cam;
using test::CompleteCam;
using test::missing;
using test::refusal;
using test::Skate;

TEMPLATE_TEST_CASE("joint: every joint type satisfies the laws of joints", "[model][joint][fast]", Revolute<double>, Prismatic<double>,
                   Helical<double>,
                   Cylindrical<double>, Universal<double>, Spherical<double>, Planar<double>, Free<double>, Cam<double>,
                   CompleteCam<double>, Skate<double>) {
  STATIC_REQUIRE(JointType<TestType>);
  test::check_joint_laws(test::oblique<TestType>());
}

TEST_CASE("joint: optional members have defaults", "[model][joint][fast]") {
  const Cam<double> bare(0.3);
  const CompleteCam<double> complete(0.3);
  CHECK(joints::type_name<Cam<double>>() == "custom");
  CHECK(joints::type_name<CompleteCam<double>>() == "cam");
  CHECK(joints::q_name<Cam<double>>(0).empty());
  CHECK(joints::v_name<Skate<double>>(2) == "2");
  CHECK(joints::q_name<CompleteCam<double>>(0) == "angle");
  CHECK(joints::v_name<CompleteCam<double>>(0) == "rate");
  CHECK(joints::is_flat<Cam<double>>());
  CHECK_FALSE(joints::is_flat<Skate<double>>());
  CHECK_FALSE(joints::has_constant_subspace<Cam<double>>());

  const Cam<double>::Config q(0.7), v(1.3);
  const Vector6<double> subspace = bare.motion_subspace(q);
  CHECK((joints::bias(bare, q, v, subspace) - joints::bias(complete, q, v, subspace)).norm() < 1e-9);
  CHECK(joints::is_valid(bare, Cam<double>::Config(1e300)));
  CHECK_FALSE(joints::is_valid(complete, Cam<double>::Config(std::nan(""))));

  const Vector3<double> x(0.3, -0.8, 1.1);
  CHECK((joints::dlog(Skate<double>(), x) - Planar<double>().dlog(x)).norm() < 1e-9);
}

TEST_CASE("joint: axes of any length are normalised, and zero axes are refused by name", "[model][joint][fast]") {
  CHECK(Revolute<double>(Vector3<double>(0, 0, 5e-5)).axis() == Vector3<double>::UnitZ());
  CHECK(std::abs(Helical<double>(Vector3<double>(1, 2, 3), 0.1).axis().norm() - 1) < 1e-15);
  const Vector3<double> none = Vector3<double>::Zero(), nan(0, std::nan(""), 1), x = Vector3<double>::UnitX();
  CHECK(missing(refusal<ModelError>([&] { return Revolute<double>(none); }), {"revolute", "axis has length 0"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Prismatic<double>(nan); }), {"prismatic", "nan"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Cylindrical<double>(none); }), {"cylindrical"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Helical<double>(none, 1); }), {"helical", "axis"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Helical<double>(x, std::nan("")); }), {"helical", "pitch"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Universal<double>(x, none); }), {"universal", "axis has length 0"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return Universal<double>(x, -3 * x); }), {"universal", "parallel"}) == "");
}

}  // namespace joint_test
