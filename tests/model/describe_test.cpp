// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/describe.hpp"

#include <sstream>

#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"

namespace describe_test {

using namespace actio;

const Pose<double> here = Pose<double>::identity();
const Vector3<double> x = Vector3<double>::UnitX(), z = Vector3<double>::UnitZ();

Model<double> crane() {
  const Inertia<double> ball = Inertia<double>::sphere(1.5, 0.1);
  ModelBuilder<double> builder("crane");
  builder.add_body("tower", ball).add_body("boom", ball).add_body("hook", ball);
  builder.add_joint("slew", "world", "tower", here, Revolute<double>(z), {.damping = 0.1, .armature = 0.2});
  builder.add_joint("luff", "tower", "boom", here, Helical<double>(-x, 0.25),
                    {.stiffness = 3.0, .friction = 0.1, .lower = 0.0, .upper = 1.0});
  builder.add_joint("hoist", "tower", "hook", here, Universal<double>(x, z));
  builder.add_loop({.name = "rope", .type = LoopType::distance, .length = 2}, "hook", "boom").add_coupling("luff", "slew", -2, 0.5);
  builder.add_shape({.geometry = Sphere<double>{0.1}}, "hook");
  builder.add_nonholonomic({.name = "tyre", .type = Rolling<double>{.radius = 0.4, .axle = x}}, "tower");
  builder.add_nonholonomic({.name = "ball", .type = Rolling<double>{.radius = 0.5}}, "hook");
  builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{}}, "boom");
  return builder.build();
}

TEST_CASE("describe: a model prints its tree, its closures and what is only recorded", "[model][fast]") {
  const std::string head =
      "model 'crane': 3 bodies, nq 4, nv 4, 4.5 kg, gravity (0 0 -9.81) m/s^2\n"
      "  slew: revolute (0 0 1), 1 degree of freedom -> tower, 1.5 kg, damped, with armature\n"
      "    luff: helical (-1 0 0) pitch 0.25 m/rad, 1 degree of freedom -> boom, 1.5 kg, with spring, range 0 to 1\n"
      "    hoist: universal (1 0 0) (0 0 1), 2 degrees of freedom -> hook, 1.5 kg\n";
  CHECK(describe(crane()) ==
        head +
            "loop rope: distance, hook to boom\n"
            "coupling: luff = -2 slew + 0.5\n"
            "rolling wheel tyre: radius 0.4 m, tower\n"
            "rolling ball ball: radius 0.5 m, hook\n"
            "knife edge blade: boom\n"
            "recorded, not enforced: lower limits of 1 joint, upper limits of 1 joint, dry friction of 1 joint, 1 collision shape\n");
  std::ostringstream text;
  text << crane().with_loops(false).with_couplings(false).with_nonholonomic(false).with_enforced({true, true, true});
  CHECK(text.str() == head +
                          "loop rope: distance, hook to boom, released\n"
                          "coupling: luff = -2 slew + 0.5, released\n"
                          "rolling wheel tyre: radius 0.4 m, tower, released\n"
                          "rolling ball ball: radius 0.5 m, hook, released\n"
                          "knife edge blade: boom, released\n"
                          "enforced: limits, friction, contact\n"
                          "recorded, not enforced: loop 'rope', coupling of joint 'luff', rolling constraint 'tyre', rolling constraint "
                          "'ball', knife edge 'blade'\n");
  CHECK(describe(crane(), Culprit::nonholonomic(1)) == "rolling constraint 'ball'");
  CHECK(describe(crane(), Culprit::nonholonomic(2)) == "knife edge 'blade'");
}

TEST_CASE("describe: nothing is reported where nothing was recorded", "[model][fast]") {
  const Model<double> chain = models::revolute_chain(2);
  CHECK(not_enforced(chain) == std::vector<std::string>{"2 collision shapes"});
  CHECK(not_enforced(chain.with_enforced({.contact = true})).empty());
  CHECK(not_enforced(models::humanoid()) ==
        std::vector<std::string>{"lower limits of 11 joints", "upper limits of 11 joints", "velocity limits of 15 joints",
                                 "effort limits of 15 joints", "16 collision shapes"});
}

TEST_CASE("describe: custom joints are printed too, and the text of long chains grows linearly", "[model][fast]") {
  ModelBuilder<double, std::variant<test::Cam<double>, test::CompleteCam<double>>> builder("cams");
  builder.add_body("a", Inertia<double>::zero()).add_body("b", Inertia<double>::zero());
  builder.add_joint("ja", "world", "a", here, test::Cam<double>(0.1)).add_joint("jb", "a", "b", here, test::CompleteCam<double>(0.1));
  const std::string text = describe(builder.build());
  CHECK(text.find("  ja: custom, 1 degree of freedom -> a, 0 kg\n    jb: cam, 1 degree of freedom -> b, 0 kg\n") != std::string::npos);
  CHECK(describe(models::revolute_chain(2000)).size() < 2000 * 120);
}

}  // namespace describe_test
