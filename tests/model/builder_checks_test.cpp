// SPDX-License-Identifier: BSD-3-Clause
// What ModelBuilder refuses, and whether the message names the element.
#include "actio/model/builder.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/refusal.hpp"

namespace builder_checks_test {

using namespace actio;
using test::missing;
using Builder = ModelBuilder<double>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
const Inertia<double> ball = Inertia<double>::sphere(1, 0.1);
const Pose<double> here = Pose<double>::identity();
const Revolute<double> hinge(Vector3<double>::UnitX());

/// Two links: the root "base" and the link "arm" on the joint "elbow".
Builder two_links() {
  Builder builder("robot");
  builder.add_body("base", ball).add_body("arm", ball, "robot.urdf:7");
  builder.add_joint("elbow", "base", "arm", here, hinge, {}, "robot.urdf:9");
  return builder;
}

template <class S, class Joints>
std::string refusal(ModelBuilder<S, Joints> builder) {
  return test::refusal<ModelError>([&] { return builder.build(); });
}

/// The two links, with other properties of the joint.
template <class J>
std::string refusal_of(const J& joint, const JointProperties<double>& properties) {
  Builder builder("robot");
  builder.add_body("base", ball).add_body("arm", ball).add_joint("elbow", "base", "arm", here, joint, properties);
  return refusal(builder);
}

std::string refusal_of(const Inertia<double>& inertia, InertiaCheck check = InertiaCheck::refuse) {
  Builder builder = two_links().inertia_check(check);
  return refusal(builder.add_body("hand", inertia, "robot.urdf:12").add_joint("wrist", "arm", "hand", here, hinge));
}

struct Liar : Planar<double> {
  static constexpr bool flat = true;
};

TEST_CASE("builder: missing and repeated names are refused, and both places are reported", "[model][builder][fast]") {
  CHECK(refusal(two_links().add_body("arm", ball, "robot.urdf:20")) ==
        "robot.urdf:20: two links named 'arm', the other at robot.urdf:7; rename one");
  CHECK(missing(refusal(two_links().add_joint("elbow", "arm", "base", here, hinge, {}, "robot.urdf:21")),
                {"robot.urdf:21: two joints named 'elbow', the other at robot.urdf:9"}) == "");
  CHECK(missing(refusal(two_links().add_body("", ball)), {"a link has no name"}) == "");
  CHECK(missing(refusal(two_links().add_joint("", "arm", "base", here, hinge)), {"a joint has no name"}) == "");
  CHECK(missing(refusal(two_links().add_body("world", ball)), {"link 'world'", "reserved"}) == "");
  CHECK(missing(refusal(two_links().add_loop({.name = "ring"}, "arm", "world").add_loop({.name = "ring"}, "base", "world")),
                {"two loops named 'ring'"}) == "");
  CHECK(missing(refusal(two_links().base(Base::floating, "elbow")), {"joint 'elbow'", "floating base"}) == "");
  CHECK(missing(refusal(Builder("empty")), {"model 'empty' has no links"}) == "");
  // a joint and a link may have the same name
  CHECK_NOTHROW(two_links().add_joint("arm", "arm", "hand", here, hinge).add_body("hand", ball).build());
}

TEST_CASE("builder: all errors are reported at once", "[model][builder][fast]") {
  const std::string text = refusal(two_links()
                                       .add_body("heavy", Inertia<double>::point(-1, Vector3<double>::Zero()))
                                       .add_body("arm", ball)
                                       .add_joint("lost", "nowhere", "heavy", here, hinge)
                                       .gravity(Vector3<double>(0, 0, not_a_number)));
  CHECK(missing(text, {"link 'heavy'", "two links named 'arm'", "'nowhere' is not declared", "gravity"}) == "");
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
}

TEST_CASE("builder: joints must connect declared links at rigid placements", "[model][builder][fast]") {
  const auto joined = [](const char* parent, const char* child) { return refusal(two_links().add_joint("j", parent, child, here, hinge)); };
  CHECK(missing(joined("ghost", "arm"), {"joint 'j'", "parent link 'ghost' is not declared"}) == "");
  CHECK(missing(joined("arm", "ghost"), {"joint 'j'", "child link 'ghost' is not declared"}) == "");
  CHECK(missing(joined("arm", "world"), {"joint 'j'", "'world'", "parent"}) == "");

  const auto placed = [](const Matrix3<double>& R, const Vector3<double>& p) {
    return refusal(two_links().add_body("hand", ball).add_joint("wrist", "arm", "hand", Pose<double>{R, p}, hinge));
  };
  const Matrix3<double> I = Matrix3<double>::Identity();
  CHECK(missing(placed(I, {0, not_a_number, 0}), {"joint 'wrist'", "placement is not finite"}) == "");
  CHECK(missing(placed(I * infinity, {0, 0, 0}), {"placement is not finite"}) == "");
  CHECK(missing(placed(1.001 * I, {0, 0, 0}), {"placement is not a rigid motion", "0.002"}) == "");
  CHECK(missing(placed(-I, {0, 0, 0}), {"placement", "determinant"}) == "");
}

TEST_CASE("builder: unphysical inertias are refused, or only warned of on request", "[model][builder][fast]") {
  const Vector3<double> zero = Vector3<double>::Zero();
  const auto with_moments = [&](double a, double b, double c) {
    return Inertia<double>{1, zero, Vector3<double>(a, b, c).asDiagonal()};
  };
  CHECK(refusal_of(Inertia<double>::point(-1, zero)) == "robot.urdf:12: link 'hand': mass -1 kg, expected >= 0");
  CHECK(missing(refusal_of(Inertia<double>::point(not_a_number, zero)), {"link 'hand'", "mass nan"}) == "");
  CHECK(missing(refusal_of(Inertia<double>::point(infinity, zero)), {"link 'hand'", "mass inf"}) == "");
  CHECK(missing(refusal_of(Inertia<double>::point(1, {0, not_a_number, 0})), {"link 'hand'", "centre of mass", "not finite"}) == "");
  CHECK(missing(refusal_of(with_moments(1, infinity, 1)), {"link 'hand'", "moments", "not finite"}) == "");
  CHECK(missing(refusal_of(with_moments(0.5, 0.09, 0.09)),
                {"link 'hand'", "principal moments 0.09, 0.09, 0.5", "triangle inequality"}) == "");
  CHECK(missing(refusal_of(with_moments(1, 1, -0.5)), {"link 'hand'", "principal moments -0.5, 1, 1", ">= 0"}) == "");
  Inertia<double> skew = with_moments(1, 1, 1);
  skew.I_com(0, 1) = 0.1;
  CHECK(missing(refusal_of(skew, InertiaCheck::warn), {"link 'hand'", "not symmetric"}) == "");
  CHECK(missing(refusal_of(Inertia<double>::point(-1, zero), InertiaCheck::warn), {"mass -1"}) == "");

  Builder lenient = two_links().inertia_check(InertiaCheck::warn);
  lenient.add_body("hand", with_moments(0.5, 0.09, 0.09), "robot.urdf:12").add_joint("wrist", "arm", "hand", here, hinge);
  CHECK_NOTHROW(lenient.build());
  REQUIRE(lenient.warnings().size() == 1);
  CHECK(missing(lenient.warnings()[0], {"robot.urdf:12: link 'hand'", "triangle inequality"}) == "");

  Builder massless = two_links();  // a leaf without mass is allowed here; algorithms that need its inverse refuse it
  massless.add_body("tip", Inertia<double>::zero()).add_joint("last", "arm", "tip", here, hinge);
  CHECK_NOTHROW(massless.build());
  CHECK(massless.warnings().empty());
}

TEST_CASE("builder: joint properties have the right size, sign and order", "[model][builder][fast]") {
  CHECK(refusal_of(hinge, {.damping = -1.0}) == "joint 'elbow': damping -1, expected a finite number >= 0");
  CHECK(missing(refusal_of(hinge, {.armature = not_a_number}), {"joint 'elbow'", "armature nan"}) == "");
  CHECK(missing(refusal_of(hinge, {.stiffness = infinity}), {"stiffness inf", "finite"}) == "");
  CHECK(missing(refusal_of(hinge, {.rest = not_a_number}), {"rest position nan"}) == "");
  CHECK(missing(refusal_of(hinge, {.friction = -0.1}), {"friction -0.1"}) == "");
  CHECK(missing(refusal_of(hinge, {.lower = not_a_number}), {"lower limit nan"}) == "");
  CHECK(missing(refusal_of(hinge, {.velocity_limit = -1.0}), {"velocity limit -1"}) == "");
  CHECK(missing(refusal_of(hinge, {.effort_limit = -1.0}), {"effort limit -1"}) == "");
  CHECK(refusal_of(hinge, {.lower = 1.0, .upper = -1.0}) == "joint 'elbow': lower limit 1 is above upper limit -1: swap them");
  CHECK(missing(refusal_of(hinge, {.damping = {1.0, 2.0}}), {"damping has 2 entries, expected 1"}) == "");
  CHECK(missing(refusal_of(Free<double>(), {.damping = {1.0, 2.0}}), {"damping has 2 entries, expected 1 or 6"}) == "");
  CHECK(missing(refusal_of(Spherical<double>(), {.lower = -1.0}), {"joint 'elbow'", "limits", "spherical"}) == "");
  CHECK(missing(refusal_of(Spherical<double>(), {.rest = {0.0, 0.0, 0.0, 2.0}}), {"joint 'elbow'", "rest position"}) == "");
  Builder builder("robot");
  builder.add_body("base", ball).add_body("arm", ball);
  builder.add_joint("elbow", "base", "arm", here, hinge, {.lower = -infinity, .upper = infinity, .effort_limit = infinity});
  CHECK_NOTHROW(builder.build());
}

TEST_CASE("builder: a joint type that wrongly claims to be flat is detected", "[model][builder][fast]") {
  ModelBuilder<double, std::variant<Liar>> builder("robot");
  builder.add_body("base", ball).add_body("arm", ball).add_joint("elbow", "base", "arm", here, Liar{});
  CHECK(missing(refusal(builder), {"joint 'elbow'", "flat"}) == "");
}

TEST_CASE("builder: a tree has one root link, or several children of the world", "[model][builder][fast]") {
  CHECK(missing(refusal(two_links().add_body("other", ball)), {"2 root links, expected one: 'base', 'other'"}) == "");
  CHECK(missing(refusal(two_links().add_body("other", ball).add_joint("j", "world", "other", here, hinge)),
                {"no joint connects 'base'", "world"}) == "");
  CHECK(missing(refusal(two_links().add_joint("j", "world", "base", here, hinge).base(Base::floating)), {"floating", "'world'"}) == "");
  CHECK(two_links().add_body("other", ball).add_joint("a", "world", "base", here, hinge).add_joint("b", "world", "other", here, hinge)
            .build().num_bodies() == 4);  // several roots may be children of the world
  ModelBuilder<double, std::variant<test::Cam<double>>> no_free("robot");
  no_free.add_body("base", ball).base(Base::floating);
  CHECK(missing(refusal(no_free), {"floating", "no Free joint"}) == "");
}

TEST_CASE("builder: two parents and cycles are refused, with a hint to loop constraints", "[model][builder][fast]") {
  Builder closed = two_links().add_body("rod", ball);
  closed.add_joint("a", "base", "rod", here, hinge).add_joint("b", "arm", "rod", here, hinge);
  CHECK(missing(refusal(closed), {"link 'rod' is the child of two joints, 'a' and 'b'", "loop constraint"}) == "");

  Builder ring = two_links();
  for (const char* link : {"a", "b", "c", "tail"}) ring.add_body(link, ball);
  ring.add_joint("jb", "a", "b", here, hinge, {}, "ring:1").add_joint("jc", "b", "c", here, hinge, {}, "ring:2");
  ring.add_joint("ja", "c", "a", here, hinge, {}, "ring:3").add_joint("jt", "b", "tail", here, hinge);
  const std::string text = refusal(ring);
  CHECK(missing(text, {"ring:3: links a -> b -> c -> a form a cycle through joints 'jb', 'jc', 'ja'", "loop constraint"}) == "");
  CHECK(text.find('\n') == std::string::npos);  // reported once, and not for the link that follows

  CHECK(missing(refusal(two_links().add_body("self", ball).add_joint("j", "self", "self", here, hinge)),
                {"links self -> self form a cycle", "'j'"}) == "");
}

}  // namespace builder_checks_test
