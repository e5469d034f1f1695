// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/cast.hpp"

#include "actio/model/describe.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"

namespace cast_test {

using namespace actio;

/// Largest relative error, entry by entry; infinities must be equal.
double error(const VectorX<double>& a, const VectorX<float>& b) {
  if (a.size() != b.size()) return 1;
  double worst = 0;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const double expected = a[k], found = static_cast<double>(b[k]);
    if (expected != found) worst = std::max(worst, std::abs(expected - found) / (1 + std::abs(expected)));
  }
  return worst;
}

TEST_CASE("cast: a model in float has the same names and the same numbers up to rounding", "[model][long]") {
  const models::RandomTreeOptions options{.damping = true, .springs = true, .armature = true};
  const Model<double> model = models::random_tree(11, 40, options);
  const Model<float> single = cast<float>(model);
  CHECK(single.nq() == model.nq());
  CHECK(single.depth() == model.depth());
  CHECK(error(model.properties().damping, single.properties().damping) < 1e-7);
  CHECK(error(model.properties().stiffness, single.properties().stiffness) < 1e-7);
  CHECK(error(model.properties().rest, single.properties().rest) < 1e-6);
  CHECK(error(model.properties().upper, single.properties().upper) == 0);
  const VectorX<double> x = models::random_velocity(model, 4);
  CHECK(error(model.integrate(model.neutral(), x), single.integrate(single.neutral(), x.cast<float>())) < 1e-6);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    CHECK(single.parent(i) == model.parent(i));
    CHECK(single.subtree_end(i) == model.subtree_end(i));
    CHECK(single.body_name(i) == model.body_name(i));
    CHECK(single.joint(i).index() == model.joint(i).index());
    CHECK((single.inertia(i).matrix().cast<double>() - model.inertia(i).matrix()).norm() < 1e-5);
  }
  const Model<float> of_floats = models::random_tree<float>(11, 40, options);  // drawn in double for every scalar
  CHECK((of_floats.placement(7).R - single.placement(7).R).norm() < 1e-6f);
}

TEST_CASE("cast: closures, frames and shapes are converted too", "[model][long]") {
  const Pose<double> here = Pose<double>::identity();
  ModelBuilder<double> builder("crane");
  builder.add_body("a", Inertia<double>::sphere(1, 0.1)).add_body("b", Inertia<double>::sphere(1, 0.1));
  builder.add_joint("ja", "world", "a", here, Revolute<double>(Vector3<double>::UnitX()));
  builder.add_joint("jb", "a", "b", here, Helical<double>(Vector3<double>::UnitX(), 0.1));
  builder.add_loop({.name = "rope", .type = LoopType::distance, .length = 2}, "b", "world").add_coupling("jb", "ja", -2, 0.5);
  builder.add_shape({.name = "ball", .geometry = Sphere<double>{0.1}}, "a").add_shape({.geometry = MeshFile{"a.stl"}}, "a");
  builder.add_shape({.geometry = Box<double>{{1, 2, 3}}}, "a").add_shape({.geometry = Cylinder<double>{1, 2}}, "b");
  builder.add_frame("eye", "b", here);
  const Rolling<double> wheel{.center = {1, 2, 3}, .radius = 0.3, .axle = {1, 1, 1}, .normal = {0, 1, 1}, .height = 0.7};
  builder.add_nonholonomic({.name = "wheel", .type = wheel}, "a").add_nonholonomic({.name = "ball", .type = Rolling<double>{}}, "a");
  builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{{1, 2, 3}, {1, 2, 2}}}, "b");
  const Model<double> model = builder.build().with_loops(false).with_nonholonomic(false).with_enforced({.limits = true});
  const Model<float> single = cast<float>(model);
  CHECK(describe(single) == describe(model));
  CHECK(single.find_frame("eye").body == 2);
  CHECK(single.enforced() == model.enforced());
  REQUIRE(single.loops().size() == 1);
  CHECK(single.loops()[0].length == 2);
  CHECK_FALSE(single.loops()[0].active);
  REQUIRE(single.couplings().size() == 1);
  CHECK(single.couplings()[0].ratio == -2);
  CHECK(single.couplings()[0].leader_q == model.couplings()[0].leader_q);
  REQUIRE(single.nonholonomic().size() == 3);
  CHECK(std::get<Rolling<float>>(single.nonholonomic()[0].type).center == Vector3<float>(1, 2, 3));
  CHECK(std::get<Rolling<float>>(single.nonholonomic()[0].type).radius == 0.3F);
  CHECK(std::get<Rolling<float>>(single.nonholonomic()[0].type).height == 0.7F);
  CHECK(std::abs(std::get<Rolling<float>>(single.nonholonomic()[0].type).axle.norm() - 1) < 1e-6F);
  CHECK(std::get<Rolling<float>>(single.nonholonomic()[1].type) == Rolling<float>{});
  CHECK((std::get<KnifeEdge<float>>(single.nonholonomic()[2].type).across - Vector3<float>(1, 2, 2) / 3).norm() < 1e-6F);
  CHECK(single.nonholonomic()[2].body == 2);
  CHECK_FALSE(single.nonholonomic()[2].active);
  REQUIRE(single.shapes().size() == 4);
  CHECK(std::get<MeshFile>(single.shapes()[1].geometry).uri == "a.stl");
  CHECK(std::get<Box<float>>(single.shapes()[2].geometry).size == Vector3<float>(1, 2, 3));
}

TEST_CASE("cast: converted back to double, rotation matrices are orthogonal again", "[model][long]") {
  const Model<double> model = cast<double>(models::random_tree<float>(2, 30, {.springs = true}));
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Matrix3<double>& R = model.placement(i).R;
    CHECK((R.transpose() * R - Matrix3<double>::Identity()).norm() < 3e-15);
  }
  CHECK(model.why_not_configuration(model.properties().rest).empty());
  CHECK(describe(cast<double>(cast<float>(models::humanoid()))) == describe(models::humanoid()));
}

}  // namespace cast_test
