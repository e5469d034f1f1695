// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/rate_meter.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"

namespace meters_test {

using namespace actio;
using V3 = Vector3<double>;
using Kind = ConservedMomentum<double>::Kind;

/// A box on one joint, with its centre of mass away from the joint's axes.
template <class J>
Model<double> box_on(const J& joint, const V3& gravity, const JointProperties<double>& properties = {}) {
  ModelBuilder<double> builder("box");
  const Pose<double> off = Pose<double>::translation(0.3, 0.1, -0.4);
  builder.gravity(gravity).add_body("box", Inertia<double>::box(2, V3(0.1, 0.2, 0.3)).seen_from_parent(off));
  builder.add_joint("joint", "world", "box", Pose<double>::translation(1, 2, 3), joint, properties);
  return builder.build();
}

const V3 down(0, 0, -9.81), nowhere = V3::Zero();

TEST_CASE("energy meter: the largest error is relative to the largest kinetic energy", "[simulation][fast]") {
  EnergyMeter<double> meter;
  CHECK(meter.relative_error() == 0);
  meter.add({.kinetic = 1, .potential = 2, .elastic = 3});
  meter.add({.kinetic = 4, .potential = -1, .elastic = 3.5});
  meter.add({.kinetic = 2, .potential = 1, .elastic = 2.9});
  CHECK(meter.initial().total() == 6);
  CHECK(meter.error() == Approx(-0.1));
  CHECK(meter.largest_error() == 0.5);
  CHECK(meter.largest_kinetic() == 4);
  CHECK(meter.relative_error() == 0.125);
}

TEST_CASE("energy meter: a model at rest has no error, or one of rounding", "[simulation][fast]") {
  EnergyMeter<double> meter;
  meter.add({.kinetic = 0, .potential = 100, .elastic = 0});
  meter.add({.kinetic = 1e-30, .potential = 100 * (1 + epsilon<double>), .elastic = 0});
  CHECK(meter.relative_error() == 0);
  meter.add({.kinetic = std::numeric_limits<double>::infinity(), .potential = 0, .elastic = 0});
  CHECK(std::isinf(meter.relative_error()));
}

TEST_CASE("momentum meter: momenta are conserved where a symmetry exists", "[simulation][fast]") {
  const auto count = [](const Model<double>& model) { return conserved_momenta(model).size(); };
  CHECK(count(box_on(Free<double>(), down)) == 5);
  CHECK(count(box_on(Free<double>(), nowhere)) == 6);
  CHECK(count(box_on(Revolute<double>(V3::UnitZ()), down)) == 1);
  CHECK(count(box_on(Revolute<double>(V3::UnitX()), down)) == 0);
  CHECK(count(box_on(Revolute<double>(V3::UnitX()), nowhere)) == 1);
  CHECK(count(box_on(Prismatic<double>(V3(1, 1, 0)), down)) == 1);
  CHECK(count(box_on(Prismatic<double>(V3(1, 1, 1)), down)) == 0);
  CHECK(count(box_on(Spherical<double>(), down)) == 1);
  CHECK(count(box_on(Spherical<double>(), nowhere)) == 3);
  CHECK(count(box_on(Revolute<double>(V3::UnitZ()), down, {.damping = 0.1})) == 0);
  CHECK(count(box_on(Free<double>(), down, {.damping = 0.1})) == 0);

  const auto enforced = [&](const JointProperties<double>& properties, const Enforcement& on) {
    return count(box_on(Revolute<double>(V3::UnitZ()), down, properties).with_enforced(on));
  };
  CHECK(enforced({.lower = -1}, {}) == 1);  // a recorded limit alone has no effect
  CHECK(enforced({.lower = -1}, {.limits = true}) == 0);
  CHECK(enforced({.upper = 1}, {.limits = true}) == 0);
  CHECK(enforced({.upper = 1}, {.friction = true}) == 1);
  CHECK(enforced({.friction = 1}, {.limits = true}) == 1);
  CHECK(enforced({.friction = 1}, {.friction = true}) == 0);
  CHECK(enforced({}, {.limits = true, .friction = true}) == 1);
  CHECK(count(box_on(Free<double>(), down).with_enforced({.contact = true})) == 0);

  const Model<double> turntable = box_on(Revolute<double>(V3::UnitZ()), down);
  CHECK(MomentumMeter(turntable).what() == "angular about joint 'joint'");
  CHECK_FALSE(MomentumMeter(turntable).protects_linear());
  const Model<double> thrown = box_on(Free<double>(), down);
  CHECK(MomentumMeter(thrown).what() == "linear perpendicular to gravity; angular about the centre of mass");
  CHECK(MomentumMeter(thrown).protects_linear());
  CHECK(MomentumMeter(models::planar_chain(3)).what().empty());
}

TEST_CASE("momentum meter: loops and couplings to other bodies break conservation", "[simulation][fast]") {
  const auto two = [](const auto& first, bool on_world, const std::string& a, const std::string& b, bool mimic) {
    ModelBuilder<double> builder("two");
    for (const char* name : {"one", "two"}) builder.add_body(name, Inertia<double>::box(1, V3::Ones()));
    builder.add_joint("first", "world", "one", Pose<double>::identity(), first);
    if (on_world) builder.add_joint("second", "world", "two", Pose<double>::identity(), first);
    else builder.add_joint("second", "one", "two", Pose<double>::identity(), Revolute<double>(V3::UnitZ()));
    Loop<double> loop;
    loop.name = "loop";
    if (!a.empty()) builder.add_loop(loop, a, b);
    if (mimic) builder.add_coupling("second", "first", 2, 0);
    return builder.build();
  };
  const auto count = [](const Model<double>& model) { return conserved_momenta(model).size(); };
  const Revolute<double> turntable(V3::UnitZ());
  CHECK(count(two(turntable, true, "", "", false)) == 2);
  CHECK(count(two(turntable, true, "one", "two", false)) == 0);
  CHECK(count(two(turntable, true, "world", "two", false)) == 1);
  CHECK(count(two(turntable, true, "world", "two", false).with_loops(false)) == 2);
  CHECK(count(two(turntable, true, "", "", true)) == 0);
  CHECK(count(two(turntable, false, "one", "two", false)) == 1);  // the loop is within the rotating bodies
  CHECK(count(two(turntable, false, "", "", true)) == 0);
  CHECK(count(two(Free<double>(), true, "one", "two", false)) == 5);  // all together still fly
  CHECK(count(two(Free<double>(), true, "one", "world", false)) == 0);
  CHECK(count(two(Free<double>(), false, "one", "two", false)) == 5);
}

TEST_CASE("momentum meter: rolling bodies and knife edges break conservation", "[simulation][fast]") {
  const auto count = [](const auto& joint, const std::string& cuts) {
    ModelBuilder<double> builder("two");
    for (const char* name : {"one", "two"}) builder.add_body(name, Inertia<double>::box(1, V3::Ones()));
    for (const char* name : {"one", "two"}) builder.add_joint(name, "world", name, Pose<double>::identity(), joint);
    builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{}}, cuts);
    const Model<double> model = builder.build();
    return std::pair(conserved_momenta(model).size(), conserved_momenta(model.with_nonholonomic(false)).size());
  };
  CHECK(count(Free<double>(), "two") == std::pair<std::size_t, std::size_t>(0, 5));
  CHECK(count(Revolute<double>(V3::UnitZ()), "one") == std::pair<std::size_t, std::size_t>(1, 2));
}

TEST_CASE("momentum meter: a variational step conserves the momenta that the meter lists", "[simulation][fast]") {
  const V3 gravity = GENERATE(V3(0, 0, -9.81), V3(3, -2, 7), V3(0, 0, 0));
  const auto check = [&](const Model<double>& model) {
    CAPTURE(model.name(), gravity.transpose());
    VariationalIntegrator integrator(model, {.tolerance = 0});
    integrator.reset({models::random_configuration(model, 1), models::random_velocity(model, 2), 0.0});
    MomentumMeter momentum(model);
    EnergyMeter<double> energy;
    const auto run = simulate(integrator, 2e-3, Steps{300}, momentum, energy);
    REQUIRE(run);
    CHECK(energy.largest_kinetic() > 1);  // it moves
    CHECK(momentum.linear_error() < 1e-12);
    CHECK(momentum.angular_error() < 1e-12);
  };
  check(models::humanoid().with_gravity(gravity));
  check(models::spherical_chain(4).with_gravity(gravity));
  check(models::revolute_chain(4).with_gravity(V3(gravity.norm(), 0, 0)));  // its first axis is x
}

TEST_CASE("momentum meter: momenta that change are detected", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>(), nowhere);
  MomentumMeter momentum(model);
  VariationalIntegrator integrator(model);
  integrator.reset({model.neutral(), VectorX<double>::Ones(6), 0.0});
  Input<double> push(VectorX<double>::Unit(6, 0));
  (void)simulate(integrator, push, 1e-2, Steps{100}, momentum);
  CHECK(momentum.angular_error() > 1e-2);
}

TEST_CASE("rate meter: it finds the fastest body and the fastest spring", "[simulation][fast]") {
  const Model<double> model = models::planar_chain(3);
  VariationalIntegrator integrator(model);
  integrator.reset({model.neutral(), Eigen::Vector3d(2, 1, -0.5), 0.0});  // bodies rotate at 2, 3 and 2.5 rad/s
  RateMeter<double> rate;
  (void)simulate(integrator, 1e-6, Steps{1}, rate);
  CHECK(rate.largest() == Approx(3).epsilon(1e-4));
  CHECK(rate.largest_rotation() == Approx(3e-6).epsilon(1e-4));

  const Model<double> spring = box_on(Prismatic<double>(V3::UnitX()), nowhere, {.stiffness = 800});
  CHECK(largest_spring_frequency(spring, spring.neutral()) == Approx(20));  // sqrt(800 N/m / 2 kg)
  VariationalIntegrator sliding(spring);
  RateMeter<double> stiff;
  (void)simulate(sliding, 0.1, Steps{2}, stiff);
  CHECK(stiff.spring_frequency() == Approx(20));
  CHECK(stiff.largest_rotation() == Approx(2));
  CHECK(stiff.largest_body_rotation() == 0);  // no body turns
  CHECK(largest_spring_frequency(model, model.neutral()) == 0);

  ModelBuilder<double> builder("two masses");  // between springs of k: sqrt(k/m) and sqrt(3 k/m)
  for (const char* name : {"one", "two"}) builder.add_body(name, Inertia<double>::box(1, V3::Ones()));
  const Pose<double> here = Pose<double>::identity();
  builder.add_joint("first", "world", "one", here, Prismatic<double>(V3::UnitX()), {.stiffness = 100.0});
  builder.add_joint("second", "one", "two", here, Prismatic<double>(V3::UnitX()), {.stiffness = 100.0});
  const Model<double> two = builder.build();  // k = 100 to the world and between: omega^2 = k (3 + sqrt 5) / 2
  CHECK(largest_spring_frequency(two, two.neutral()) == Approx(std::sqrt(50 * (3 + std::sqrt(5.0)))).epsilon(1e-6));

  ModelProperties<double> free = two.properties();
  free.stiffness.setZero();
  const auto between = [&](const PointSpring<double>& last) {  // the same springs between points
    const PointSpring<double> first{.name = "a", .body_b = 1, .point_b = {3, 0, 0}, .stiffness = 100, .length = 3};
    return largest_spring_frequency(two.with_properties(free).with_springs({first, last}), two.neutral());
  };
  PointSpring<double> last{.name = "b", .body_a = 1, .body_b = 2, .point_b = {2, 0, 0}, .stiffness = 100, .length = 2};
  CHECK(between(last) == Approx(std::sqrt(50 * (3 + std::sqrt(5.0)))).epsilon(1e-6));
  last.damping = 15;  // damped enough on two masses of 1 kg
  CHECK(between(last) == Approx(10));
  last.damping = 0;
  last.tension_only = true;
  last.length = 2.1;  // slack
  CHECK(between(last) == Approx(10));
}

}  // namespace meters_test
