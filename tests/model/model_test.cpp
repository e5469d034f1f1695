// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/model.hpp"

#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace model_test {

using namespace actio;
using test::missing;
using test::refusal;

const double nowhere = std::numeric_limits<double>::quiet_NaN();

/// A floating base with a hinge, a ball joint and a slider below it.
Model<double> walker() {
  const Inertia<double> ball = Inertia<double>::sphere(1, 0.1);
  const Pose<double> here = Pose<double>::identity();
  ModelBuilder<double> builder("walker");
  for (const char* link : {"trunk", "thigh", "foot", "mast"}) builder.add_body(link, ball);
  builder.base(Base::floating, "root");
  const Revolute<double> hinge(Vector3<double>::UnitY());
  builder.add_joint("hip", "trunk", "thigh", here, hinge, {.damping = 0.1, .lower = -1.0, .upper = 1.0});
  builder.add_joint("ankle", "thigh", "foot", here, Spherical<double>(), {.stiffness = 2.0});
  builder.add_joint("lift", "trunk", "mast", here, Prismatic<double>(Vector3<double>::UnitZ()));
  builder.add_frame("sole", "foot", here);
  builder.add_loop({.name = "cable"}, "mast", "foot").add_coupling("lift", "hip", 1, 0);
  return builder.build();
}

TEST_CASE("model: entries of q and v have names", "[model][fast]") {
  const Model<double> model = walker();
  std::string q, v;
  for (Eigen::Index k = 0; k < model.nq(); ++k) q += model.q_name(k) + ' ';
  for (Eigen::Index k = 0; k < model.nv(); ++k) v += model.v_name(k) + ' ';
  CHECK(q == "root.px root.py root.pz root.x root.y root.z root.w hip ankle.x ankle.y ankle.z ankle.w lift ");
  CHECK(v == "root.wx root.wy root.wz root.vx root.vy root.vz hip ankle.wx ankle.wy ankle.wz lift ");
}

TEST_CASE("model: bodies, joints and frames are found by name, and errors list the known names", "[model][fast]") {
  const Model<double> model = walker();
  CHECK(model.find_body("world") == 0);
  CHECK(model.find_body("foot") == 3);
  CHECK(model.find_joint("ankle") == 3);
  CHECK(model.find_joint("root") == 1);
  CHECK(model.find_frame("sole").body == 3);
  CHECK(model.find_frame("trunk").body == 1);
  CHECK(refusal<ModelError>([&] { return model.find_body("hand"); }) ==
        "model 'walker' has no body 'hand'; it has world, trunk, thigh, foot, mast");
  CHECK(refusal<ModelError>([&] { return model.find_joint("knee"); }) ==
        "model 'walker' has no joint 'knee'; it has root, hip, ankle, lift");
  CHECK(missing(refusal<ModelError>([&] { return model.find_frame("eye"); }), {"no frame 'eye'", "sole"}) == "");
  const std::string long_list = refusal<ModelError>([] { return models::random_tree(1, 300).find_body("x"); });
  CHECK(missing(long_list, {"body_1, ", ", ..."}) == "");
  CHECK(long_list.size() < 500);
}

TEST_CASE("model: integrate and difference match the joints and are inverse to each other", "[model][fast]") {
  const Model<double> model = models::random_tree(5, 30);
  models::Random random(3);
  const VectorX<double> q0 = models::random_configuration(model, random), x = models::random_velocity(model, random);
  const VectorX<double> q1 = model.integrate(q0, x);
  CHECK(model.why_not_configuration(q1).empty());
  CHECK((model.difference(q0, q1) - x).norm() < 1e-13);
  CHECK(model.difference(q0, q0).norm() < 1e-14);
  VectorX<double> in_place = q0;
  model.integrate(in_place, x, in_place);
  CHECK(in_place == q1);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Config expected = joint.integrate(model.q_of<J>(i, q0), model.v_of<J>(i, x));
      CHECK(model.q_of<J>(i, q1) == expected);
    });
  }
}

TEST_CASE("model: a vector that is not a configuration is refused with a reason", "[model][fast]") {
  const Model<double> model = walker();
  CHECK(model.why_not_configuration(model.neutral()).empty());
  CHECK(missing(model.why_not_configuration(VectorX<double>::Zero(12)), {"12 entries, expected 13"}) == "");
  VectorX<double> q = model.neutral();
  q[7] = nowhere;
  CHECK(missing(model.why_not_configuration(q), {"'hip' is not finite"}) == "");
  q[7] = 100;  // neither wrapped nor bounded
  CHECK(model.why_not_configuration(q).empty());
  q[11] = 0.9;
  CHECK(missing(model.why_not_configuration(q), {"'ankle'", "unit quaternion"}) == "");
}

TEST_CASE("model: copies with new values leave the original unchanged", "[model][fast]") {
  const Model<double> model = walker();
  const Inertia<double> heavy = Inertia<double>::sphere(5, 0.2);
  CHECK(model.with_inertia(3, heavy).inertia(3).mass == 5);
  CHECK(model.with_inertia(3, heavy).mass() == 8);
  CHECK(model.with_gravity({0, 0, -1.62}).gravity()[2] == -1.62);
  CHECK_FALSE(model.with_loops(false).loops()[0].active);
  CHECK_FALSE(model.with_couplings(false).couplings()[0].active);
  CHECK(model.with_couplings(false).dof() == model.nv() - 1);
  CHECK(model.with_enforced({.limits = true}).enforced() == Enforcement{.limits = true});
  ModelProperties<double> properties = model.properties();
  properties.damping.setZero();
  CHECK_FALSE(model.with_properties(properties).is_dissipative());

  CHECK(model.is_dissipative());
  CHECK(model.mass() == 4);
  CHECK(model.gravity()[2] == -9.81);
  CHECK(model.loops()[0].active);
  CHECK(model.couplings()[0].active);
  CHECK(model.enforced() == Enforcement{});
}

TEST_CASE("model: visit_freedoms passes the joint's number of freedoms, and compiles only for numbers that occur", "[model][fast]") {
  const Model<double> tree = models::random_tree(3, 40);
  for (BodyIndex i = 1; i < tree.num_bodies(); ++i) {
    CHECK(visit_freedoms(tree, i, []<detail::HasFreedoms J>(J) { return Eigen::Index{J::nv}; }) == tree.nv(i));
  }
  const auto kernel = []<detail::HasFreedoms J>(J) {
    static_assert(J::nv == 1 || J::nv == 6);
    return J::nv;
  };
  using Few = Model<double, std::variant<Revolute<double>, Prismatic<double>, Free<double>>>;
  STATIC_REQUIRE(std::same_as<decltype(visit_freedoms(std::declval<const Few&>(), 1, kernel)), int>);
}

TEST_CASE("model: friction and contact make a model dissipative only while they are enforced", "[model][fast]") {
  ModelProperties<double> properties = walker().properties();
  properties.damping.setZero();
  const Model<double> model = walker().with_properties(properties);
  CHECK_FALSE(model.is_dissipative());
  CHECK(model.with_enforced({.limits = true}).is_dissipative());
  CHECK(model.with_enforced({.friction = true}).is_dissipative());
  CHECK(model.with_enforced({.contact = true}).is_dissipative());
}

TEST_CASE("model: new values are checked as by the builder", "[model][fast]") {
  const Model<double> model = walker();
  const auto with = [&](auto change) {
    ModelProperties<double> properties = model.properties();
    change(properties);
    return refusal<ModelError>([&] { return model.with_properties(properties); });
  };
  CHECK(missing(with([](auto& p) { p.damping[6] = -1; }), {"'hip'", "damping -1"}) == "");
  CHECK(missing(with([](auto& p) { p.armature[7] = nowhere; }), {"'ankle.wx'", "armature nan"}) == "");
  CHECK(missing(with([](auto& p) { p.armature[7] = 1; }), {"'ankle'", "armature is", "not for a spherical joint"}) == "");
  CHECK(missing(with([](auto& p) { p.upper[8] = 1; }), {"'ankle'", "limits are", "not for a spherical joint"}) == "");
  CHECK(missing(with([](auto& p) { p.lower[6] = 2; }), {"'hip'", "lower limit 2 is above upper limit"}) == "");
  CHECK(missing(with([](auto& p) { p.friction.resize(3); }), {"friction has 3 entries, expected 11"}) == "");
  CHECK(missing(with([](auto& p) { p.rest.setZero(); }), {"rest position", "'root'"}) == "");
  const Inertia<double> negative = Inertia<double>::point(-1, Vector3<double>::Zero());
  CHECK(missing(refusal<ModelError>([&] { return model.with_inertia(3, negative); }), {"'foot'", "mass -1 kg"}) == "");
  CHECK(missing(refusal<ModelError>([&] { return model.with_gravity({0, 0, nowhere}); }), {"gravity is 0 0 nan"}) == "");
  const auto with_ball = [&](BodyIndex body, double radius, double height) {
    const Shape<double> ball{"ball", body, Pose<double>::translation(0, 0, height), Sphere<double>{radius}};
    return refusal<ModelError>([&] { return model.with_shapes({ball}); });
  };
  CHECK(missing(with_ball(99, 1, 0), {"shape 'ball' is on body 99, expected 0 ... "}) == "");
  CHECK(missing(with_ball(1, -1, 0), {"shape 'ball'", "the radius is -1"}) == "");
  CHECK(missing(with_ball(1, 1, nowhere), {"shape 'ball'", "its pose in the body is not finite"}) == "");
}

}  // namespace model_test
