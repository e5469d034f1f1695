// SPDX-License-Identifier: BSD-3-Clause
// Contacts, servos and springs of limits in a step in maximal coordinates: compared with joint coordinates; rest, momentum, laws.
#include <algorithm>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace maximal_contact_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

const Vector3<double> brick(0.4, 0.3, 0.2);

/// The largest differences between runs in joint and in maximal coordinates. They end where only one of them makes a step in substeps.
struct Comparison {
  double q = 0, v = 0, energy = 0, servos = 0, certificate = 0;
  int steps = 0, touching = 0, impacts = 0;
};
template <class Contacts>
Comparison compare(const Model<double>& model, const State<double>& start, const Contacts& source, double h, int steps,
                   const Compliance<double>& limit = {}, Impacts impacts = Impacts::located) {
  const VariationalOptions<double> joint_options{.tolerance = 1e-13, .impacts = impacts, .limit = limit, .tie_capacity = 40};
  const MaximalOptions<double> options{.tolerance = 1e-13, .impacts = impacts, .limit = limit, .tie_capacity = 40};
  VariationalIntegrator<Model<double>, Drnea<Quat>, Automatic, NoForce, Contacts> in_joints(model, joint_options, source);
  MaximalIntegrator<Model<double>, Newton, NoForce, Contacts> maximal(model, options, source);
  in_joints.reset(start);
  maximal.reset(start);
  Comparison found;
  for (int k = 0; k < steps; ++k) {
    CAPTURE(k, h);
    const StepResult<double> expected = in_joints.step({}, h), result = maximal.step({}, h);
    REQUIRE(expected);
    REQUIRE(describe(result.status) == describe(Status::converged));
    if (result.substeps != expected.substeps || result.impacts != expected.impacts) break;
    REQUIRE(result.relaxed == expected.relaxed);
    REQUIRE_FALSE(result.relaxed.friction);
    ++found.steps;
    found.impacts += result.impacts;
    const State<double> a = read(in_joints), b = read(maximal);
    found.q = std::max(found.q, model.difference(a.q, b.q).cwiseAbs().maxCoeff());
    found.v = std::max(found.v, (a.v - b.v).cwiseAbs().maxCoeff());
    found.energy = std::max(found.energy, std::abs(in_joints.row_energy() - maximal.row_energy()));
    if (maximal.servo_impulses().size() > 0) {
      found.servos = std::max(found.servos, (in_joints.servo_impulses() - maximal.servo_impulses()).cwiseAbs().maxCoeff());
    }
    if constexpr (requires { maximal.contacts(); }) {
      found.touching += !maximal.contacts().empty();
      found.certificate = std::max({found.certificate, in_joints.certificate().worst(), maximal.certificate().worst()});
    }
  }
  return found;
}
void check(const Comparison& found, int steps, int touching, double v = 1e-10) {
  CAPTURE(found.q, found.v, found.energy, found.servos, found.certificate, found.steps, found.touching);
  CHECK(found.q < 1e-10);
  CHECK(found.v < v);
  CHECK(found.energy < 1e-10);
  CHECK(found.servos < 1e-10);
  CHECK(found.certificate < 1e-9);
  CHECK(found.steps >= steps);
  CHECK(found.touching >= touching);
}

TEST_CASE("maximal contact: a box that lands on a corner and comes to rest moves as in joint coordinates", "[integrators][maximal][fast]") {
  const Model<double> model = free_box(1, brick);
  for (const double friction : {0., 0.8}) {
    for (const double h : {0.01, 0.002}) {
      CAPTURE(friction, h);
      const int steps = static_cast<int>(1 / h);
      check(compare(model, falling_on_a_corner(), corners(brick, friction), h, steps), steps / 2, steps / 4);
    }
  }
}

TEST_CASE("maximal contact: a box that slides and turns on redundant contacts moves as in joint coordinates", "[integrators][maximal][fast]") {
  for (const double h : {0.01, 0.002}) {
    CAPTURE(h);
    check(compare(free_box(1, brick), falling_on_a_corner(), corners(brick, 0.3), h, static_cast<int>(1 / h)), 100, 50);
  }
}

TEST_CASE("maximal contact: a box on springs moves as in joint coordinates", "[integrators][maximal][fast]") {
  ContactMaterial<double> soft = rigid(0.5);
  soft.normal = Compliance<double>{1e4, 10};
  PlaneContacts<double> ground(soft);
  ground.add(1, Pose<double>::identity(), Box<double>{brick});
  check(compare(free_box(1, brick), falling_on_a_corner(), ground, 0.005, 150), 100, 20, 1e-9);
}

TEST_CASE("maximal contact: a four-bar with friction, limit and servo lands as in joint coordinates", "[integrators][maximal][fast]") {
  const Model<double> plain = falling_parallelogram(0.4, 0.05), driven = plain.with_servos({{1, 0, 50, 1, 0.2, 5}});
  const PlaneContacts<double> ground = points({{2, {0.5, 0, 0}}, {2, {0.9, 0, 0}}}, 0.5, -0.19);
  const State<double> start = at(plain, {-1.2, 1.2, -1.2}), swinging = at(plain, {0}, {8, -8, 8});
  check(compare(plain, start, ground, 0.005, 200), 150, 100);
  check(compare(driven, start, ground, 0.005, 200, {1e3, 1}), 150, 100);
  check(compare(driven, start, NoContacts(), 0.005, 200), 150, 0);
  check(compare(plain, swinging, NoContacts(), 0.005, 200, {1e3, 1}), 150, 0);
  MaximalIntegrator integrator(plain, {}, ground);
  integrator.reset(start);
  double open = 0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(integrator.step({}, 0.005));
    open = std::max(open, loop_gap(plain, integrator.configuration()));
  }
  CHECK(open < 1e-12);
}

/// Returns four rods on hinges.
Model<double> four_rods() {
  ModelBuilder<double> builder("chain");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < 4; ++k) {
    const std::string name = "rod" + std::to_string(k), before = "rod" + std::to_string(k - 1);
    builder.add_body(name, hanging_rod(1 + 0.2 * k));
    if (k == 0) builder.add_joint("free", "world", name, Pose<double>::identity(), Free<double>());
    else builder.add_joint("hinge" + name, before, name, Pose<double>::translation(0, 0, -0.3), Revolute<double>({1, 0.3 * k, 0.2}));
  }
  return builder.build();
}
State<double> falling(const Model<double>& rods) {
  State<double> start = rest_state(rods);
  start.q[2] = 1.4;
  start.v << 0.3, 0.5, 0.1, 1, 0, -1, 0.5, -0.3, 0.2;
  return start;
}
/// Returns the ground under their ends.
PlaneContacts<double> under_rods(const ContactMaterial<double>& material) {
  PlaneContacts<double> ground(material);
  for (BodyIndex i = 1; i < 5; ++i) ground.add(i, Pose<double>::translation(0, 0, -0.3), Sphere<double>{0.02});
  return ground;
}

TEST_CASE("maximal contact: a chain that falls and slides moves as in joint coordinates", "[integrators][maximal][fast]") {
  const Model<double> model = four_rods();
  check(compare(model, falling(model), under_rods(rigid(0.3)), 0.002, 200), 80, 20, 1e-9);  // impacts let differences of rounding grow
}

TEST_CASE("maximal contact: what bounces moves as in joint coordinates", "[integrators][maximal][fast]") {
  ContactMaterial<double> bouncing = rigid(0.3);
  bouncing.restitution = 0.6;
  const Model<double> rods = four_rods();
  ContactMaterial<double> smooth = bouncing;
  smooth.friction = 0;  // sliding faces would share their friction in different ways
  PlaneContacts<double> under_box(smooth), under_rod(bouncing, Vector3<double>::UnitZ(), -0.19);
  under_box.add(1, Pose<double>::identity(), Box<double>{brick});
  for (const double x : {0.5, 0.9}) under_rod.add(2, Pose<double>::translation(x, 0, 0), Sphere<double>{0});
  const Model<double> four_bar = falling_parallelogram(0.4, 0.05);
  ModelProperties<double> properties = four_bar.properties();
  properties.restitution.setConstant(0.8);
  const Model<double> limited = four_bar.with_properties(properties);
  for (const Impacts impacts : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(impacts));
    const auto check_bounces = [&](const Model<double>& model, const State<double>& start, const auto& source, double h, int steps, int bounces) {
      const Comparison found = compare(model, start, source, h, 2 * steps, {}, impacts);
      check(found, steps, 0);
      CHECK(found.impacts >= bounces);
    };
    check_bounces(rods, falling(rods), under_rods(bouncing), 0.002, 200, 3);
    check_bounces(free_box(1, brick), falling_on_a_corner(), under_box, 0.005, 100, 5);
    check_bounces(four_bar, at(four_bar, {-1.2, 1.2, -1.2}), under_rod, 0.005, 100, 1);
    check_bounces(limited, at(four_bar, {0}, {8, -8, 8}), NoContacts(), 0.005, 100, 2);
  }
}

TEST_CASE("maximal contact: boxes on redundant contacts rest and carry the load", "[integrators][maximal][fast]") {
  const Model<double> model = free_box(2, brick);
  MaximalIntegrator integrator(model, {}, corners(brick, 0.5));
  State<double> start = rest_state(model);
  start.q[2] = 0.1;
  integrator.reset(start);
  VectorXd settled;
  int evaluations = 0;
  for (int k = 0; k < 1200; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    REQUIRE(result);
    if (k >= 1000) evaluations += result.evaluations;
    if (k == 999) settled = integrator.configuration();
  }
  CHECK((integrator.configuration() - start.q).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((integrator.configuration() - settled).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(evaluations <= 220);  // as few as one in a step
  double normal = 0;
  for (const RowGroup<double>& group : integrator.rows().groups()) normal += integrator.row_forces()[group.first];
  CHECK(integrator.contacts().size() == 4);
  CHECK(std::abs(normal - 2 * 9.81) < 1e-9);
}

TEST_CASE("maximal contact: without friction the horizontal momentum stays", "[integrators][maximal][fast]") {
  const Model<double> model = free_box(1, brick);
  MaximalIntegrator integrator(model, {}, corners(brick, 0));
  const State<double> start = falling_on_a_corner();
  integrator.reset(start);
  const Eigen::Vector2d before = free_v(start).head<2>();
  double pushed = 0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(integrator.step({}, 0.01));
    pushed = std::max(pushed, (free_v(read(integrator)).head<2>() - before).norm());
  }
  CHECK(pushed < 1e-13);
}

TEST_CASE("maximal contact: the laws of an integrator hold", "[integrators][maximal][fast]") {
  const Model<double> model = free_box(1, brick);
  check_integrator_laws(MaximalIntegrator(model, {}, corners(brick, 0.5)), falling_on_a_corner(), 0.005);
  State<double> lying = rest_state(model);
  lying.q[2] = 0.1;
  check_failing_step(MaximalIntegrator(model, {.contact_capacity = 3}, corners(brick, 0.5)), lying, {}, 0.01, Status::capacity);
}

TEST_CASE("maximal contact: a source whose contacts stay open changes nothing; what it cannot do is refused", "[integrators][maximal][fast]") {
  const Model<double> model = free_box(1, brick);
  State<double> start = falling_on_a_corner();
  start.q[2] = 1.2;
  check_open_contacts(MaximalIntegrator(model, {}, corners(brick, 0.5)), MaximalIntegrator(model), start);
  PlaneContacts<double> sticky(ContactMaterial<double>{Compliance<double>{}, 0.5, 10, 10});
  const ContactSources source(sticky.add(1, Pose<double>::identity(), Box<double>{brick}));
  CHECK(refusal<OptionsError>([&] { return MaximalIntegrator(model, {}, source); }).find("maximal does not support") != std::string::npos);
  CHECK_THROWS_AS((MaximalIntegrator(model, {}, corners(brick, 0.5, 7))), ModelError);
  MaximalIntegrator integrator(model, {}, corners(brick, 0.5));
  CHECK(describe(integrator.step({}, -0.01).status) == describe(Status::invalid_step));
}

}  // namespace maximal_contact_test
