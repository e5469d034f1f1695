// SPDX-License-Identifier: BSD-3-Clause
// What ModelBuilder builds: numbering, merged links, and what is attached to them.
#include "actio/model/builder.hpp"

#include <chrono>
#include <numbers>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace builder_growth_test {

using namespace actio;
using test::missing;
using Builder = ModelBuilder<double>;

const Inertia<double> ball = Inertia<double>::sphere(1, 0.1);
const Revolute<double> hinge(Vector3<double>::UnitX());

Pose<double> at(double x, double y, double z) { return Pose<double>::translation(x, y, z); }
const Pose<double> here = at(0, 0, 0);
/// A rotation by 90 degrees about z, and a translation.
const Pose<double> turned{so3::rotation<double>(Vector3<double>::UnitZ(), std::numbers::pi / 2), Vector3<double>(1, 0, 0)};

/// World - a - b - c, and d on a; declared in a different order.
Builder small_tree() {
  Builder builder("tree");
  for (const char* link : {"c", "d", "a", "b"}) builder.add_body(link, ball);
  builder.add_joint("jc", "b", "c", here, hinge).add_joint("ja", "world", "a", here, Spherical<double>());
  builder.add_joint("jb", "a", "b", turned, hinge).add_joint("jd", "a", "d", here, Planar<double>());
  return builder;
}

std::string refusal(Builder builder) {
  return test::refusal<ModelError>([&] { return builder.build(); });
}

TEST_CASE("builder: bodies are numbered depth first, children in the order they were added", "[model][builder][fast]") {
  const Model<double> model = small_tree().build();
  REQUIRE(model.num_bodies() == 5);
  const std::vector<std::string> names{"world", "a", "b", "c", "d"};
  const std::vector<BodyIndex> parents{0, 0, 1, 2, 1}, ends{5, 5, 4, 4, 5}, q{0, 0, 4, 5, 6}, v{0, 0, 3, 4, 5};
  for (BodyIndex i = 0; i < 5; ++i) {
    const auto k = static_cast<std::size_t>(i);
    CHECK(model.body_name(i) == names[k]);
    CHECK(model.parent(i) == parents[k]);
    CHECK(model.subtree_end(i) == ends[k]);
    if (i == 0) continue;
    CHECK(model.q_index(i) == q[k]);
    CHECK(model.v_index(i) == v[k]);
  }
  CHECK(model.nq() == 9);
  CHECK(model.nv() == 8);
  CHECK(model.depth() == 3);
  CHECK(model.joint_name(2) == "jb");
  CHECK(distance(model.placement(2), turned) == 0);
  CHECK(model.neutral() == (VectorX<double>(9) << 0, 0, 0, 1, 0, 0, 0, 0, 0).finished());
}

TEST_CASE("builder: a fixed joint merges its child, which stays a frame", "[model][builder][fast]") {
  // base =(rotated)= plate =(up 0.5)= tip on a moving base; an arm on the tip; a bracket fixed to the world.
  Builder builder("merged");
  const Inertia<double> rod = Inertia<double>::rod(2, 1, Vector3<double>::UnitX());
  builder.add_body("base", ball).add_body("plate", rod).add_body("tip", Inertia<double>::point(3, {0, 0, 0.25})).add_body("arm", ball);
  builder.add_body("bracket", ball);
  builder.add_joint("slide", "bracket", "base", here, Prismatic<double>(Vector3<double>::UnitX()));
  builder.add_joint("mount", "world", "bracket", at(0, 0, 5), Fixed{});
  builder.add_joint("weld", "base", "plate", turned, Fixed{}).add_joint("glue", "plate", "tip", at(0, 0, 0.5), Fixed{});
  builder.add_joint("elbow", "tip", "arm", at(0, 2, 0), hinge);
  builder.add_frame("camera", "tip", at(0, 0, 1));
  const Model<double> model = builder.build();

  REQUIRE(model.num_bodies() == 3);
  CHECK(model.mass() == 8);
  CHECK(model.inertia(0).mass == 1);
  CHECK(distance(model.placement(1), at(0, 0, 5)) == 0);

  // By hand: the plate's rod lies along y of the base at x = 1, the tip's point mass at (1, 0, 0.75).
  const Inertia<double>& G = model.inertia(1);
  CHECK(G.mass == 6);
  CHECK((G.com - Vector3<double>(5.0 / 6, 0, 3 * 0.75 / 6)).norm() < 1e-15);
  Matrix3<double> about_origin = ball.I_com;
  about_origin.diagonal() += Vector3<double>(2.0 / 12, 2, 2.0 / 12 + 2);                   // rod along y, translated along x
  about_origin.diagonal() += 3 * Vector3<double>(0.5625, 1 + 0.5625, 1);                   // point: y^2 + z^2, x^2 + z^2, x^2 + y^2
  about_origin(0, 2) = about_origin(2, 0) = -3 * 0.75;                                     // -m x z
  CHECK((G.matrix().topLeftCorner<3, 3>() - about_origin).norm() < 1e-14);

  // The arm is on the merged body: rotated, then up by 0.5, then 2 along the rotated y, which is -x.
  CHECK(model.parent(2) == 1);
  CHECK(distance(model.placement(2), Pose<double>{turned.R, Vector3<double>(-1, 0, 0.5)}) < 1e-15);
  CHECK(model.find_frame("tip").body == 1);
  CHECK(distance(model.find_frame("tip").T_BF, Pose<double>{turned.R, Vector3<double>(1, 0, 0.5)}) < 1e-15);
  CHECK(distance(model.find_frame("camera").T_BF, Pose<double>{turned.R, Vector3<double>(1, 0, 1.5)}) < 1e-15);
  CHECK(model.find_frame("bracket").body == 0);
  CHECK(model.find_frame("arm").body == 2);
}

TEST_CASE("builder: a joint may have an offset to its link, and what is attached to the link moves with it", "[model][builder][fast]") {
  const Pose<double> T_MC{so3::rotation<double>(Vector3<double>::UnitY(), 0.3), Vector3<double>(0.1, 0.2, 0.3)};
  Builder builder("off");
  builder.add_body("a", ball).add_body("b", ball).add_body("c", Inertia<double>::point(1, {0, 0, 1}));
  builder.add_joint("ja", "world", "a", turned, hinge, {}, {}, T_MC)
      .add_joint("jb", "a", "b", at(0, 1, 0), hinge)
      .add_joint("jc", "a", "c", at(0, 0, 1), Fixed{});
  builder.add_frame("f", "a", at(0, 0, 2)).add_shape({.name = "s", .T_BS = at(3, 0, 0), .geometry = Sphere<double>{1}}, "a");
  builder.add_loop({.name = "l", .T_A = at(4, 0, 0)}, "a", "b");
  const Model<double> model = builder.build();
  CHECK(distance(model.placement(1), turned) == 0);
  CHECK(model.body_name(1) == "a");
  CHECK(distance(model.find_frame("a").T_BF, T_MC) == 0);
  CHECK(distance(model.find_frame("f").T_BF, T_MC * at(0, 0, 2)) < 1e-15);
  CHECK(distance(model.shapes()[0].T_BS, T_MC * at(3, 0, 0)) < 1e-15);
  CHECK(distance(model.loops()[0].T_A, T_MC * at(4, 0, 0)) < 1e-15);
  CHECK(distance(model.placement(2), T_MC * at(0, 1, 0)) < 1e-15);
  CHECK((model.inertia(1).com - T_MC * Vector3<double>(0, 0, 1)).norm() < 1e-15);  // between the ball and the point above it
  Builder bent("bent");
  bent.add_body("a", ball).add_joint("ja", "world", "a", here, hinge, {}, "file:7", {1.001 * Matrix3<double>::Identity(), {0, 0, 0}});
  CHECK(missing(refusal(bent), {"file:7", "joint 'ja'", "child link", "not a rigid motion"}) == "");
}

TEST_CASE("builder: the one root is fixed to the world or floats", "[model][builder][fast]") {
  Builder builder("arm");
  builder.add_body("base", ball).add_body("arm", ball).add_joint("elbow", "base", "arm", at(0, 0, 1), hinge);
  const Model<double> fixed = builder.build();
  CHECK(fixed.num_bodies() == 2);
  CHECK(fixed.find_frame("base").body == 0);
  const Model<double> floating = builder.base(Base::floating, "root").build();  // the same builder is used again
  CHECK(floating.num_bodies() == 3);
  CHECK(floating.joint_name(1) == "root");
  CHECK(floating.nv() == 7);
  CHECK(floating.q_name(6) == "root.w");
}

TEST_CASE("builder: properties are stored at the entries of their joint", "[model][builder][fast]") {
  Builder builder("springs");
  builder.add_body("a", ball).add_body("b", ball).add_body("c", ball);
  builder.add_joint("ja", "world", "a", here, Spherical<double>(), {.damping = 0.5, .rest = {1.0, 0.0, 0.0, 0.0}});
  builder.add_joint("jb", "a", "b", here, Universal<double>(Vector3<double>::UnitX(), Vector3<double>::UnitY()),
                    {.damping = {1.0, 2.0}, .armature = 0.1, .stiffness = {3.0, 4.0}, .friction = 0.2,  //
                     .lower = {-1.0, -2.0}, .upper = 1.5});
  builder.add_joint("jc", "b", "c", here, hinge, {.rest = 0.3, .velocity_limit = 4.0, .effort_limit = 5.0});
  const Model<double> model = builder.build();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto is = [](const VectorX<double>& found, std::initializer_list<double> expected) {
    return std::equal(found.begin(), found.end(), expected.begin(), expected.end());
  };
  const ModelProperties<double>& p = model.properties();
  CHECK(is(p.damping, {0.5, 0.5, 0.5, 1, 2, 0}));
  CHECK(is(p.armature, {0, 0, 0, 0.1, 0.1, 0}));
  CHECK(is(p.stiffness, {0, 0, 0, 3, 4, 0}));
  CHECK(is(p.friction, {0, 0, 0, 0.2, 0.2, 0}));
  CHECK(is(p.lower, {-infinity, -infinity, -infinity, -1, -2, -infinity}));
  CHECK(is(p.upper, {infinity, infinity, infinity, 1.5, 1.5, infinity}));
  CHECK(is(p.velocity_limit, {infinity, infinity, infinity, infinity, infinity, 4}));
  CHECK(is(p.effort_limit, {infinity, infinity, infinity, infinity, infinity, 5}));
  CHECK(is(p.rest, {1, 0, 0, 0, 0, 0, 0.3}));
}

TEST_CASE("builder: loops and shapes move with the link that they are attached to", "[model][builder][fast]") {
  Builder builder = small_tree();
  builder.add_body("welded", ball).add_joint("weld", "c", "welded", turned, Fixed{});
  builder.add_loop({.name = "ring", .type = LoopType::revolute, .T_A = at(0, 2, 0), .axis = {0, 0, 3}}, "welded", "world");
  builder.add_shape({.name = "skin", .T_BS = at(0, 0, 1), .geometry = Sphere<double>{0.1}}, "welded");
  const Model<double> model = builder.build();
  REQUIRE(model.loops().size() == 1);
  const Loop<double>& loop = model.loops()[0];
  CHECK(loop.body_a == model.find_body("c"));
  CHECK(loop.body_b == 0);
  CHECK(distance(loop.T_A, Pose<double>{turned.R, Vector3<double>(-1, 0, 0)}) < 1e-15);
  CHECK(loop.axis == Vector3<double>::UnitZ());
  CHECK(loop.active);
  REQUIRE(model.shapes().size() == 1);
  CHECK(model.shapes()[0].body == loop.body_a);
  CHECK((model.shapes()[0].T_BS.p - Vector3<double>(1, 0, 1)).norm() < 1e-15);
}

TEST_CASE("builder: invalid frames, loops and shapes are refused by name", "[model][builder][fast]") {
  const Pose<double> skew{2 * Matrix3<double>::Identity(), Vector3<double>::Zero()};
  CHECK(missing(refusal(small_tree().add_frame("eye", "ghost", here)), {"frame 'eye'", "'ghost'"}) == "");
  CHECK(missing(refusal(small_tree().add_frame("a", "b", here)), {"frame 'a'", "link"}) == "");
  CHECK(missing(refusal(small_tree().add_frame("eye", "a", here).add_frame("eye", "b", here)), {"two frames named 'eye'"}) == "");
  CHECK(missing(refusal(small_tree().add_frame("eye", "a", skew)), {"frame 'eye'", "not a rigid motion"}) == "");
  CHECK(missing(refusal(small_tree().add_loop({.name = "ring"}, "a", "ghost")), {"loop 'ring'", "'ghost'"}) == "");
  CHECK(missing(refusal(small_tree().add_loop({.name = "ring"}, "a", "a")), {"loop 'ring'", "one rigid body"}) == "");
  CHECK(missing(refusal(small_tree().add_loop({.name = "ring", .T_B = skew}, "a", "b")), {"loop 'ring'", "frame B"}) == "");
  CHECK(missing(refusal(small_tree().add_loop({.name = "ring", .axis = {0, 0, 0}}, "a", "b")), {"loop 'ring'", "axis"}) == "");
  CHECK(missing(refusal(small_tree().add_loop({.name = "rope", .type = LoopType::distance}, "a", "b")), {"loop 'rope'", "length 0"}) == "");
  CHECK(missing(refusal(small_tree().add_shape({.name = "skin"}, "ghost")), {"shape 'skin'", "'ghost'"}) == "");
  CHECK(missing(refusal(small_tree().add_shape({.name = "skin", .T_BS = skew}, "a")), {"shape 'skin'", "'a'", "not a rigid motion"}) == "");
  CHECK(missing(refusal(small_tree().add_shape({.name = "s", .geometry = Capsule<double>{0.1, -1}}, "a")),
                {"shape 's'", "the length is -1, expected a finite number >= 0"}) == "");
}

TEST_CASE("builder: couplings connect two joints with one degree of freedom each, without cycles", "[model][builder][fast]") {
  const Model<double> model = small_tree().add_coupling("jc", "jb", -2, 0.5).build();
  REQUIRE(model.couplings().size() == 1);
  const Coupling<double>& coupling = model.couplings()[0];
  CHECK(coupling.name == "jc");
  CHECK(coupling.follower_body == 3);
  CHECK(coupling.leader_body == 2);
  CHECK(coupling.follower_q == 5);
  CHECK(coupling.leader_q == 4);
  CHECK(coupling.follower_v == 4);
  CHECK(coupling.leader_v == 3);
  CHECK(coupling.ratio == -2);
  CHECK(coupling.offset == 0.5);
  CHECK(model.dof() == model.nv() - 1);

  CHECK(missing(refusal(small_tree().add_coupling("jc", "nope", 1, 0)), {"joint 'jc' mimics 'nope', which is not a moving joint"}) == "");
  CHECK(missing(refusal(small_tree().add_coupling("nope", "jc", 1, 0)), {"joint 'nope'", "not a moving joint"}) == "");
  CHECK(missing(refusal(small_tree().add_coupling("jc", "jc", 1, 0)), {"joint 'jc' mimics itself"}) == "");
  Builder one = small_tree().add_coupling("jc", "jb", 1, 0), other = one;
  CHECK(missing(refusal(one.add_coupling("jc", "jb", 2, 0)), {"joint 'jc' mimics two joints"}) == "");
  CHECK(missing(refusal(other.add_coupling("jb", "jc", 1, 0)), {"joint 'jb'", "in turn"}) == "");
  CHECK(missing(refusal(small_tree().add_coupling("jc", "ja", 1, 0)), {"joint 'jc' mimics 'ja'", "one degree of freedom"}) == "");
  CHECK(missing(refusal(small_tree().add_coupling("jc", "jb", std::nan(""), 0)), {"joint 'jc'", "not finite"}) == "");
}

TEST_CASE("builder: the time to build a chain of a hundred thousand links is bounded, in any order of declaration",
          "[model][builder][fast]") {
  const int links = 100000;
  const bool leaf_first = GENERATE(false, true);
  Builder builder("long");
  for (int k = 0; k < links; ++k) {
    const int link = leaf_first ? links - k : k + 1;
    const std::string name = std::to_string(link), parent = link == 1 ? "world" : std::to_string(link - 1);
    builder.add_body(name, ball).add_joint(name, parent, name, at(0, 0, -1), hinge);
  }
  const auto start = std::chrono::steady_clock::now();
  const Model<double> model = builder.build();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CAPTURE(leaf_first, seconds);
  CHECK(model.depth() == links);
  CHECK(model.subtree_end(1) == links + 1);
  CHECK(seconds < 20);  // about a third of a second; far more under sanitizers, and hours if it were quadratic
}

}  // namespace builder_growth_test
