// SPDX-License-Identifier: BSD-3-Clause
// The ready-made models match their comments. One file for the folder, since each model needs few lines.
#include <numbers>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"

namespace ready_models_test {

using namespace actio;

/// Position in the world of a point of a body.
Vector3<double> in_world(const Model<double>& model, const VectorX<double>& q, BodyIndex body, Vector3<double> point) {
  for (BodyIndex i = body; i > 0; i = model.parent(i)) {
    point = visit_joint(model, i, [&]<JointType J>(const J& joint) { return Vector3<double>(joint.pose(model.q_of<J>(i, q)) * point); });
    point = model.placement(i) * point;
  }
  return point;
}

const Vector3<double> tip(0, 0, -1);

TEST_CASE("ready-made: chains hang along -z and lie along +y when horizontal", "[model][ready][fast]") {
  for (const Model<double>& chain : {models::revolute_chain(5), models::planar_chain(5), models::spherical_chain(5)}) {
    CAPTURE(chain.name());
    CHECK(chain.num_bodies() == 6);
    CHECK(chain.depth() == 5);
    CHECK(chain.mass() == 5);
    CHECK((in_world(chain, chain.neutral(), 5, tip) - Vector3<double>(0, 0, -5)).norm() < 1e-15);
    CHECK((in_world(chain, models::horizontal(chain), 5, tip) - Vector3<double>(0, 5, 0)).norm() < 1e-14);
    CHECK(chain.inertia(3).com == Vector3<double>(0, 0, -0.5));
    CHECK(chain.inertia(3).I_com.diagonal().isApprox(Vector3<double>(1.01 / 12, 1.01 / 12, 0.02 / 12), 1e-14));
    CHECK(chain.gravity() == Vector3<double>(0, 0, -9.81));
    CHECK_FALSE(chain.is_dissipative());
  }
  const Model<double> chain = models::revolute_chain(4);
  for (BodyIndex i = 1; i <= 4; ++i) CHECK(std::get<Revolute<double>>(chain.joint(i)).axis() == Vector3<double>::Unit((i - 1) % 2));
  CHECK(models::spherical_chain(4).nq() == 16);
}

TEST_CASE("ready-made: a binary tree of n rods has the least possible depth", "[model][ready][fast]") {
  const Model<double> tree = models::binary_tree(31);
  CHECK(tree.num_bodies() == 32);
  CHECK(tree.depth() == 5);
  CHECK(models::binary_tree(32).depth() == 6);
  CHECK(tree.parent(tree.find_body("link_13")) == tree.find_body("link_6"));
  CHECK(tree.parent(tree.find_body("link_12")) == tree.find_body("link_6"));
  CHECK(tree.subtree_end(tree.find_body("link_2")) == tree.find_body("link_3"));
}

TEST_CASE("ready-made: a humanoid of 75 kg stands upright, fixed or floating", "[model][ready][fast]") {
  const Model<double> floating = models::humanoid(), fixed = models::humanoid(Base::fixed);
  CHECK(std::abs(floating.mass() - 75) < 1e-12);
  CHECK(std::abs(fixed.mass() - 75) < 1e-12);
  CHECK(floating.num_bodies() == 17);
  CHECK(floating.nq() == 40);
  CHECK(floating.nv() == 35);
  CHECK(fixed.nv() == 29);
  CHECK(floating.shapes().size() == 16);
  CHECK((floating.properties().armature.array() > 0).count() == 17);  // all except the base and four ball joints
  CHECK_FALSE(floating.is_dissipative());
  const Vector3<double> sole(0, 0, -0.08);
  const VectorX<double> q = floating.neutral();
  CHECK((in_world(floating, q, floating.find_body("left_foot"), sole) - Vector3<double>(0, 0.09, -0.96)).norm() < 1e-14);
  CHECK((in_world(floating, q, floating.find_body("right_foot"), sole) - Vector3<double>(0, -0.09, -0.96)).norm() < 1e-14);
  CHECK(in_world(floating, q, floating.find_body("head"), {0, 0, 0.2})[2] > 0.75);
}

TEST_CASE("ready-made: many humanoids are connected only through the world", "[model][ready][fast]") {
  const int n = GENERATE(1, 16, 17, 64);
  const Model<double> model = models::humanoids(n);
  const BodyIndex bodies = model.num_bodies() - 1;
  CHECK(bodies >= n);
  CHECK(bodies < n + 16);
  CHECK(model.depth() == models::humanoid().depth());
  CHECK(std::abs(model.mass() - 75 * static_cast<double>(bodies) / 16) < 1e-10);
  CHECK(model.find_body("1/pelvis") == 1);
}

TEST_CASE("ready-made: a quadruped of 20 kg has 12 joints and four feet", "[model][ready][fast]") {
  const Model<double> model = models::quadruped();
  CHECK(std::abs(model.mass() - 20) < 1e-12);
  CHECK(model.nv() == 18);
  CHECK(models::quadruped(Base::fixed).nv() == 12);
  for (const char* foot : {"front_left_foot", "front_right_foot", "hind_left_foot", "hind_right_foot"}) {
    const Frame<double>& frame = model.find_frame(foot);
    CHECK(std::abs(in_world(model, model.neutral(), frame.body, frame.T_BF.p)[2] + 0.47) < 1e-14);
  }
}

TEST_CASE("ready-made: random trees contain every joint type and are the same for the same seed", "[model][ready][fast]") {
  std::vector<int> seen(std::variant_size_v<DefaultJoints<double>>, 0);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const models::RandomTreeOptions options{.straightness = 0.3, .damping = true, .springs = true, .armature = true};
    const Model<double> model = models::random_tree(seed, 12, options), again = models::random_tree(seed, 12, options);
    CHECK(model.num_bodies() == 13);
    CHECK(model.is_dissipative());
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      ++seen[model.joint(i).index()];
      CHECK(model.inertia(i).is_positive_semidefinite());
      CHECK(distance(again.placement(i), model.placement(i)) == 0);
      CHECK(again.inertia(i).matrix() == model.inertia(i).matrix());
    }
    CHECK(again.properties().damping == model.properties().damping);
    const VectorX<double> q = models::random_configuration(model, seed);
    CHECK(model.why_not_configuration(q).empty());
    CHECK(q == models::random_configuration(again, seed));
    CHECK(models::random_velocity(model, seed, 3).cwiseAbs().maxCoeff() < 3);
  }
  for (const int count : seen) CHECK(count > 30);  // of 600 bodies
  CHECK(models::random_tree(1, 20).depth() != models::random_tree(2, 20).depth());
  CHECK(models::random_tree(1, 20, {.straightness = 1}).depth() == 20);
}

TEST_CASE("ready-made: a floating random tree has one free joint at its root", "[model][ready][fast]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model<double> model = models::random_tree(seed, 10, {.straightness = 0, .floating = true});
    CHECK(std::holds_alternative<Free<double>>(model.joint(1)));
    CHECK(model.subtree_end(1) == 11);
  }
}

TEST_CASE("ready-made: random models are the same with every compiler", "[model][ready][fast]") {
  CHECK(models::Random(1).unit() == static_cast<double>(2469588189546311528u >> 11) * 0x1p-53);  // first word of mt19937_64(1)
  CHECK(std::abs(models::Random(1).direction<double>().norm() - 1) < 1e-15);
  const Model<double> model = models::random_tree(7, 25);
  CHECK(std::abs(model.mass() - 40.387079583228562) < 1e-12);  // recorded, the same with g++ 12 and clang 16
  CHECK(model.nv() == 64);
}

TEST_CASE("ready-made: chains of squares, nets and four-bars start closed and can move", "[model][ready][fast]") {
  const auto check_closed = [](const Model<double>& model, const VectorX<double>& q, BodyIndex bodies, std::size_t loops) {
    CAPTURE(model.name(), bodies);
    CHECK(model.num_bodies() == bodies + 1);
    REQUIRE(model.loops().size() == loops);
    for (const Loop<double>& loop : model.loops()) {
      const auto end = [&](BodyIndex body, const Pose<double>& T) { return in_world(model, q, body, T.p); };
      CHECK((end(loop.body_a, loop.T_A) - end(loop.body_b, loop.T_B)).norm() < 1e-14);
    }
  };
  for (const int n : {1, 3}) {
    const Model<double> chain = models::square_chain(n), net = models::square_net(n), bars = models::four_bars(n);
    const auto loops = static_cast<std::size_t>(n);
    check_closed(chain, chain.neutral(), 4 * n, loops);
    check_closed(net, net.neutral(), (2 * n + 1) * n, loops * loops);
    check_closed(net, models::leaning(net, 0.7), (2 * n + 1) * n, loops * loops);
    check_closed(bars, bars.neutral(), 3 * n, loops);
  }
  const Model<double> chain = models::square_chain(2);  // each square is at a corner of the one before, to the side and below
  CHECK((in_world(chain, chain.neutral(), chain.find_body("b2"), tip) - Vector3<double>(0, 2, -2)).norm() < 1e-15);
  const Model<double> bars = models::four_bars(2);
  CHECK(std::abs(bars.mass() - 4.6) < 1e-14);
  CHECK((in_world(bars, bars.neutral(), bars.find_body("crank_2"), {0, 0.4, 0}) - Vector3<double>(0, 2, 0.4)).norm() < 1e-15);
}

}  // namespace ready_models_test
