// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/drawing/drawn_shapes.hpp"

#include <algorithm>

#include "actio/dynamics/kinematics.hpp"
#include "actio/io/film.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"

using namespace actio;
using V3 = Vector3<double>;

namespace drawn_shapes_test {

/// All solids that a model is drawn with, body by body, its own before the others.
template <Scalar S>
std::vector<Shape<double>> drawn_shapes(const Model<S>& model) {
  std::vector<Shape<double>> all = primitive_shapes(model);
  const std::vector<Shape<double>> limbs = limb_shapes(model, all);
  all.insert(all.end(), limbs.begin(), limbs.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.body < b.body; });
  return all;
}

Pose<double> at(const V3& p) { return Pose<double>::translation(p); }

/// The two ends of a capsule in the body frame.
std::pair<V3, V3> ends(const Shape<double>& shape) {
  const double half = std::get<Capsule<double>>(shape.geometry).length / 2;
  return {shape.T_BS * V3(0, 0, -half), shape.T_BS * V3(0, 0, half)};
}

Motion still(BodyIndex bodies) { return {{0.0}, {BodyArray<Pose<double>>(bodies, Pose<double>::identity())}}; }

TEST_CASE("drawn_shapes: limbs connect joints, and the last one ends at the end of its rod", "[io][film]") {
  ModelBuilder<double> builder("arm");
  const auto rod = Inertia<double>{1, {0, 0, -0.5}, 0.1 * Matrix3<double>::Identity()};
  builder.add_body("upper", rod).add_body("lower", rod);
  builder.add_joint("shoulder", "world", "upper", at({0, 0, 2}), Revolute<double>({0, 1, 0}));
  builder.add_joint("elbow", "upper", "lower", at({0.3, 0, -0.4}), Revolute<double>({0, 1, 0}));
  const std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].body == 1);
  CHECK((ends(shapes[0]).first - V3::Zero()).norm() < 1e-12);
  CHECK((ends(shapes[0]).second - V3(0.3, 0, -0.4)).norm() < 1e-12);
  CHECK((ends(shapes[1]).second - V3(0, 0, -1)).norm() < 1e-12);
  CHECK(shapes[1].name == "lower");
  for (const auto& shape : shapes) CHECK(std::abs(shape.T_BS.R.determinant() - 1) < 1e-12);
}

TEST_CASE("drawn_shapes: the shapes of a body replace its limbs, its meshes do not, and grounds are kept", "[io][film]") {
  ModelBuilder<double> builder("shapes");
  const auto rod = Inertia<double>{1, {0, 0, -0.5}, 0.1 * Matrix3<double>::Identity()};
  builder.add_body("boxed", rod).add_body("meshed", rod);
  builder.add_joint("a", "world", "boxed", at({0, 0, 0}), Revolute<double>({0, 1, 0}));
  builder.add_joint("b", "boxed", "meshed", at({0, 0, -1}), Revolute<double>({0, 1, 0}));
  builder.add_shape({"box", 0, at({0, 0, -0.5}), Box<double>{{0.1, 0.1, 1}}}, "boxed");
  builder.add_shape({"mesh", 0, at({0, 0, 0}), MeshFile{"leg.stl"}}, "meshed");
  builder.add_shape({"ground", 0, at({0, 0, -3}), HalfSpace{}}, "world");
  builder.add_shape({"line", 0, at({0, 0, -0.5}), Capsule<double>{0, 1}}, "boxed");
  const std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
  REQUIRE(shapes.size() == 4);
  CHECK(std::holds_alternative<HalfSpace>(shapes[0].geometry));
  CHECK(std::holds_alternative<Box<double>>(shapes[1].geometry));
  CHECK(std::get<Capsule<double>>(shapes[2].geometry).radius == 0);  // as given, not as for limbs
  CHECK(std::get<Capsule<double>>(shapes[3].geometry).radius > 0);
  CHECK(std::is_sorted(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return a.body < b.body; }));
}

TEST_CASE("drawn_shapes: limbs connect joints that the shapes of a body do not reach", "[io][film]") {
  ModelBuilder<double> builder("torso");
  const auto rod = Inertia<double>{1, {0, 0, -0.5}, 0.1 * Matrix3<double>::Identity()};
  builder.add_body("torso", rod).add_body("near", rod).add_body("far", rod);
  builder.add_joint("a", "world", "torso", at({0, 0, 0}), Free<double>());
  builder.add_joint("b", "torso", "near", at({0, 0.1, 0}), Revolute<double>({0, 1, 0}));
  builder.add_joint("c", "torso", "far", at({0, 0.5, 0}), Revolute<double>({0, 1, 0}));
  builder.add_shape({"chest", 0, at({0, 0, 0}), Sphere<double>{0.2}}, "torso");
  const std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
  REQUIRE(shapes.size() == 4);
  CHECK(shapes[0].name == "chest");
  CHECK((ends(shapes[1]).second - V3(0, 0.5, 0)).norm() < 1e-12);
  for (std::size_t k = 1; k < 4; ++k) CHECK(std::get<Capsule<double>>(shapes[k].geometry).radius > 0.04);
}

TEST_CASE("drawn_shapes: a fixed base is drawn to its children if it has mass and the world no shapes", "[io][film]") {
  const auto rod = Inertia<double>{1, {0, 0, -0.5}, 0.1 * Matrix3<double>::Identity()};
  const auto shapes_on_world = [&](const Inertia<double>& base, bool has_ground) {
    ModelBuilder<double> builder("arm");
    builder.add_body("base", base).add_body("arm", rod).add_body("ball", rod);
    builder.add_joint("foot", "world", "base", Pose<double>::identity(), Fixed());
    builder.add_joint("shoulder", "base", "arm", at({0.3, 0, 0.5}), Revolute<double>({0, 1, 0}));
    builder.add_joint("loose", "world", "ball", at({5, 0, 0}), Free<double>());
    if (has_ground) builder.add_shape({"ground", 0, at({0, 0, -3}), HalfSpace{}}, "world");
    std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
    std::erase_if(shapes, [](const Shape<double>& shape) { return shape.body != 0; });
    return shapes;
  };
  const std::vector<Shape<double>> base = shapes_on_world(rod, false);
  REQUIRE(base.size() == 1);
  CHECK((ends(base[0]).first - V3::Zero()).norm() < 1e-12);
  CHECK((ends(base[0]).second - V3(0.3, 0, 0.5)).norm() < 1e-12);
  CHECK(std::get<Capsule<double>>(base[0].geometry).radius > 0.01);
  CHECK(shapes_on_world(Inertia<double>::zero(), false).empty());
  REQUIRE(shapes_on_world(rod, true).size() == 1);
  CHECK(std::holds_alternative<HalfSpace>(shapes_on_world(rod, true)[0].geometry));
}

TEST_CASE("drawn_shapes: a body without a limb is drawn as the box of its inertia", "[io][film]") {
  ModelBuilder<double> builder("brick");
  Inertia<double> brick = Inertia<double>::box(2, {0.1, 0.2, 0.4});
  const Matrix3<double> R = so3::exp<double>({0.3, -0.5, 0.7});
  brick.I_com = R * brick.I_com * R.transpose();
  builder.add_body("brick", brick);
  builder.add_joint("free", "world", "brick", Pose<double>::identity(), Free<double>());
  const std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
  REQUIRE(shapes.size() == 1);
  V3 size = std::get<Box<double>>(shapes[0].geometry).size;
  const Inertia<double> drawn = Inertia<double>::box(2, size);  // the drawn box has the inertia of the body
  CHECK((shapes[0].T_BS.R * drawn.I_com * shapes[0].T_BS.R.transpose() - brick.I_com).norm() < 1e-12);
  CHECK(std::abs(shapes[0].T_BS.R.determinant() - 1) < 1e-12);
  std::sort(size.begin(), size.end());
  CHECK((size - V3(0.1, 0.2, 0.4)).norm() < 1e-12);
}

TEST_CASE("drawn_shapes: points and massless bodies are allowed, and every body with mass is visible", "[io][film]") {
  ModelBuilder<double> builder("points");
  builder.add_body("point", Inertia<double>::point(1, V3::Zero())).add_body("nothing", Inertia<double>::zero());
  builder.add_joint("a", "world", "point", Pose<double>::identity(), Free<double>());
  builder.add_joint("b", "point", "nothing", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  const std::vector<Shape<double>> shapes = drawn_shapes(builder.build());
  for (const Shape<double>& shape : shapes) CHECK(detail::why_not_sound(shape.geometry).empty());
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].body == 1);

  const Model<float> humanoid = models::humanoid<float>();
  std::vector<bool> seen(static_cast<std::size_t>(humanoid.num_bodies()), false);
  for (const Shape<double>& shape : drawn_shapes(humanoid)) seen[static_cast<std::size_t>(shape.body)] = true;
  for (BodyIndex i = 1; i < humanoid.num_bodies(); ++i) CHECK((seen[static_cast<std::size_t>(i)] || !(humanoid.inertia(i).mass > 0)));
}

TEST_CASE("film_of: shapes touch the ground if contact is enforced, limbs never do", "[io][film]") {
  ModelBuilder<double> builder("leg");
  const auto rod = Inertia<double>{1, {0, 0, -0.5}, 0.1 * Matrix3<double>::Identity()};
  builder.add_body("thigh", rod).add_body("shank", rod);
  builder.add_joint("hip", "world", "thigh", at({0, 0, 2}), Revolute<double>({0, 1, 0}));
  builder.add_joint("knee", "thigh", "shank", at({0, 0, -1}), Revolute<double>({0, 1, 0}));
  builder.add_shape({"shell", 0, at({0, 0, -0.5}), MeshFile{"thigh.stl"}}, "thigh");
  builder.add_shape({"foot", 0, at({0, 0, -1}), Sphere<double>{0.1}}, "shank");
  builder.add_shape({"floor", 0, at({0, 0, 0}), HalfSpace{}}, "world");
  const Model<double> model = builder.build();
  const auto names = [](const std::vector<Shape<double>>& shapes) {
    std::vector<std::string> all;
    for (const Shape<double>& shape : shapes) all.push_back(shape.name);
    return all;
  };
  using Names = std::vector<std::string>;
  const Film touching = film_of(model.with_enforced({.contact = true}), still(3)), recorded = film_of(model, still(3));
  CHECK(names(touching.shapes) == Names{"floor", "foot"});
  CHECK(names(touching.drawn_only) == Names{"thigh"});
  CHECK(names(recorded.shapes) == Names{"floor"});
  CHECK(names(recorded.drawn_only) == Names{"foot", "thigh"});
}

TEST_CASE("film_of: the film has the name of the model, and motions of another model are refused", "[io][film]") {
  const Model<double> model = models::revolute_chain<double>(3);
  const Film film = film_of(model, still(4));
  CHECK(film.title == model.name());
  CHECK(film.body_names.size() == 4);
  CHECK(film.shapes.empty());
  CHECK(film.drawn_only.size() == 3);
  CHECK_THROWS_WITH(film_of(model, still(3)), test::contains("3 poses") && test::contains("4 body names"));
  CHECK_THROWS_WITH(film_of(model, Motion{}), test::contains("no frame"));
}

}  // namespace drawn_shapes_test
