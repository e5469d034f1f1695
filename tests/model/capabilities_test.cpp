// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/capabilities.hpp"

#include "actio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace capabilities_test {

using namespace actio;

/// Two hinges with a loop, a coupling, a knife edge, limits, friction and a shape.
Model<double> everything() {
  const Inertia<double> ball = Inertia<double>::sphere(1, 0.1);
  const Pose<double> here = Pose<double>::identity();
  const Revolute<double> hinge(Vector3<double>::UnitX());
  ModelBuilder<double> builder("everything");
  builder.add_body("a", ball).add_body("b", ball);
  builder.add_joint("ja", "world", "a", here, hinge, {.friction = 0.1, .lower = -1.0}).add_joint("jb", "a", "b", here, hinge);
  builder.add_loop({.name = "ring"}, "b", "world").add_coupling("jb", "ja", 1, 0).add_shape({.geometry = Sphere<double>{0.1}}, "a");
  builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{}}, "b");
  return builder.build();
}

std::string refusal(const Model<double>& model, const Capabilities& can) {
  return test::refusal<ModelError>([&] {
    require_support(model, can, "some_scheme");
    return 0;
  });
}

TEST_CASE("capabilities: active elements that a scheme does not support are refused by name, with a remedy", "[model][fast]") {
  using test::missing;
  const Model<double> model = everything();
  CHECK(missing(refusal(model, {}), {"some_scheme", "loop 'ring'", "release the loops"}) == "");
  CHECK(missing(refusal(model, {.loops = true}), {"some_scheme", "joint 'jb'", "release the couplings"}) == "");
  CHECK(missing(refusal(model, {.loops = true, .couplings = true}),
                {"some_scheme", "knife edge 'blade'", "MaximalIntegrator", "release"}) == "");
  const Model<double> released = model.with_loops(false).with_couplings(false).with_nonholonomic(false);
  CHECK(missing(refusal(released.with_enforced({.limits = true}), {}), {"limits"}) == "");
  CHECK(missing(refusal(released.with_enforced({.friction = true}), {}), {"friction"}) == "");
  CHECK(missing(refusal(released.with_enforced({.contact = true}), {}), {"contact"}) == "");
  CHECK(missing(refusal(released.with_servos({{1, 0, 1, 1, 0, 1}}), {}), {"servos", "with_servos({})"}) == "");
  CHECK_NOTHROW(require_support(released.with_servos({{1, 0, 1, 1, 0, 1}}), {.servos = true}, "some_scheme"));
}

TEST_CASE("capabilities: elements that are only recorded, or supported, are not refused", "[model][fast]") {
  const Model<double> model = everything();
  CHECK_NOTHROW(require_support(model.with_loops(false).with_couplings(false).with_nonholonomic(false), {}, "some_scheme"));
  CHECK_NOTHROW(require_support(model, {.loops = true, .couplings = true, .nonholonomic = true}, "some_scheme"));
  CHECK_NOTHROW(require_support(model.with_enforced({true, true, true}), {true, true, true, true, true, true}, "some_scheme"));
}

}  // namespace capabilities_test
