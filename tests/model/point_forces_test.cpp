// SPDX-License-Identifier: BSD-3-Clause
// Springs between points and constant forces as part of a model: where links that are merged carry them, copies, texts and refusals.
#include "actio/model/point_forces.hpp"

#include <limits>

#include "actio/model/builder.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/describe.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace model_point_forces_test {

using namespace actio;
using test::missing;

/// A ball joint, a link that is fixed on it, and a base that is fixed to the world.
ModelBuilder<double> two_links() {
  ModelBuilder<double> builder("m");
  const auto inertia = Inertia<double>::box(1, {0.1, 0.1, 0.1});
  builder.add_body("base", inertia).add_body("arm", inertia).add_body("tool", inertia);
  builder.add_joint("fix", "world", "base", Pose<double>::translation(0, 0, 2), Fixed{});
  builder.add_joint("turn", "base", "arm", Pose<double>::identity(), Spherical<double>());
  builder.add_joint("hold", "arm", "tool", Pose<double>::translation(0, 3, 0), Fixed{});
  return builder;
}
const PointSpring<double> spring{.name = "s", .point_a = {1, 0, 0}, .point_b = {0, 0, 4}, .stiffness = 5, .damping = 2, .length = 0.5};

std::string refusal(ModelBuilder<double> builder) {
  return test::refusal<ModelError>([&] { return builder.build(); });
}

TEST_CASE("point forces: links that are merged pass them to their bodies", "[model][point_forces][fast]") {
  ModelBuilder<double> builder = two_links();
  builder.add_spring(spring, "base", "tool").add_force({"f", 0, {0, 0, 1}, {7, 8, 9}}, "tool");
  const Model<double> model = builder.build();
  REQUIRE(model.springs().size() == 1);
  const PointSpring<double>& found = model.springs()[0];
  CHECK(found.body_a == 0);
  CHECK(found.body_b == 1);
  CHECK(found.point_a == Vector3<double>(1, 0, 2));
  CHECK(found.point_b == Vector3<double>(0, 3, 4));
  CHECK(model.forces().at(0) == PointForce<double>{"f", 1, {0, 3, 1}, {7, 8, 9}});
  CHECK(model.is_dissipative());
  CHECK(missing(describe(model), {"spring s: 5 N/m, 2 N s/m, world to arm", "force f: (7 8 9) N, arm"}) == "");
  const Model<float> copy = cast<float>(model);
  CHECK(copy.springs()[0].point_b == Vector3<float>(0, 3, 4));
  CHECK(copy.springs()[0].stiffness == 5.0F);
  CHECK(copy.forces()[0].force == Vector3<float>(7, 8, 9));
  CHECK(model.with_springs({}).with_forces({}).is_dissipative() == false);
}

TEST_CASE("point forces: the builder names what is wrong", "[model][point_forces][fast]") {
  const auto with = [&](auto change) {
    PointSpring<double> changed = spring;
    change(changed);
    return refusal(two_links().add_spring(changed, "base", "arm", "file:3"));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(missing(with([](auto& s) { s.stiffness = -1; }), {"file:3", "spring 's'", "stiffness -1 N/m, expected a finite number >= 0"}) == "");
  CHECK(missing(with([&](auto& s) { s.damping = nan; }), {"damping nan N s/m"}) == "");
  CHECK(missing(with([](auto& s) { s.length = -2; }), {"length -2 m"}) == "");
  CHECK(missing(with([&](auto& s) { s.point_b[1] = nan; }), {"a point is not finite"}) == "");
  CHECK(missing(with([](auto& s) { s.stiffness = s.damping = 0; }), {"stiffness and damping are zero"}) == "");
  CHECK(missing(with([](auto& s) { s.name = ""; }), {"a spring has no name"}) == "");
  CHECK(missing(refusal(two_links().add_spring(spring, "base", "arm").add_spring(spring, "base", "arm")), {"two springs named 's'"}) == "");
  CHECK(missing(refusal(two_links().add_spring(spring, "arm", "tool")), {"links 'arm' and 'tool' are one rigid body"}) == "");
  CHECK(missing(refusal(two_links().add_spring(spring, "arm", "hand")), {"link 'hand' is not declared"}) == "");
  CHECK(missing(refusal(two_links().add_force({"f", 0, {}, {1, nan, 0}}, "arm")), {"force 'f'", "the force is not finite"}) == "");
  CHECK(missing(refusal(two_links().add_force({"f", 0, Vector3<double>::Zero(), {1, 0, 0}}, "base")), {"link 'base' is fixed to the world"}) == "");
  ModelBuilder<double> turns("m");
  turns.add_body("a", Inertia<double>::box(1, {0.1, 0.1, 0.1}));
  turns.add_joint("j", "world", "a", Pose<double>::identity(), Spherical<double>(), {.force = 1.0});
  CHECK(missing(refusal(turns), {"a constant force is supported only for joints whose q is a vector"}) == "");
}

TEST_CASE("point forces: copies with others name what is wrong", "[model][point_forces][fast]") {
  const Model<double> model = two_links().build();
  const auto refused = [&](std::vector<PointSpring<double>> springs) {
    return test::refusal<ModelError>([&] { return model.with_springs(springs); });
  };
  PointSpring<double> good = spring;
  good.body_b = 1;
  CHECK(model.with_springs({good}).springs()[0] == good);
  CHECK(missing(refused({spring}), {"model 'm'", "spring 's': both ends are on body 0"}) == "");
  CHECK(missing(refused({good, good}), {"expected a name that no other one has"}) == "");
  PointSpring<double> bad = good;
  bad.body_a = 9;
  CHECK(missing(refused({bad}), {"is on body 9, expected 0 ... 1"}) == "");
  bad = good;
  bad.stiffness = -1;
  CHECK(missing(refused({bad}), {"stiffness -1"}) == "");
  const PointForce<double> on_world{"f", 0, Vector3<double>::Zero(), {1, 0, 0}};
  CHECK(missing(test::refusal<ModelError>([&] { return model.with_forces({on_world}); }), {"force 'f' is on body 0, expected 1 ... 1"}) == "");
}

}  // namespace model_point_forces_test
