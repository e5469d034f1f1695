// SPDX-License-Identifier: BSD-3-Clause
// The compliant step on piles of free bodies in contact, and on chains whose joints are stiff constraints.
#include <cmath>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace compliant_pile_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d, Eigen::VectorXd;

const double g = 9.8;

/// n free bodies with one shape each, stacked.  @param height of the shape [m].
template <class Shape>
Model<double> stack(int n, const Shape& shape, double height, const Inertia<double>& inertia, double apart) {
  ModelBuilder<double> builder("stack");
  builder.gravity({0, 0, -g});
  for (int k = 0; k < n; ++k) {
    const std::string name = "body" + std::to_string(k);
    builder.add_body(name, inertia).add_shape({.name = name, .geometry = shape}, name);
    const Vector3d center(0, 0, height / 2 + apart + k * (height + apart));
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(center), Free<double>());
  }
  return builder.build();
}
/// Inertia of 1 kg and 0.5 m.
Model<double> sphere_stack(int n, double apart) { return stack(n, Sphere<double>{0.5}, 1, Inertia<double>::sphere(1, 0.5), apart); }
auto ground_and_each_other(const Model<double>& model, const ContactMaterial<double>& material) {
  PlaneContacts<double> ground(material);
  ground.add_shapes_of(model);
  BodyContacts<double> others(material);
  others.add_shapes_of(model);
  return ContactSources(ground, others);
}
CompliantOptions<double> room_for(std::size_t contacts) {
  CompliantOptions<double> options;
  options.contact_capacity = options.tie_capacity = options.fill_capacity = contacts;
  return options;
}

TEST_CASE("compliant pile: in a stack of a hundred free spheres each contact carries the weight above it",
          "[integrators][compliant][fast]") {
  const int n = 100;
  const Model<double> model = sphere_stack(n, 0.05);
  CompliantIntegrator integrator(model, room_for(2 * n), ground_and_each_other(model, {Compliance<double>{1e9, 1e3}, 0.5, 1e5}));
  for (int k = 0; k < 500; ++k) REQUIRE(describe(integrator.step({}, 0.01).status) == describe(Status::converged));
  State<double> state = rest_state(model);
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(state.v.cwiseAbs().maxCoeff() < 1e-9);
  REQUIRE(integrator.contacts().size() == n);
  double worst = 0;
  for (std::size_t c = 0; c < integrator.contacts().size(); ++c) {
    const double above = static_cast<double>(n + 1 - integrator.contacts()[c].b) * g;  // weight of this body and those above it
    worst = std::max(worst, std::abs(integrator.row_forces()[3 * static_cast<Eigen::Index>(c)] / above - 1));
  }
  CHECK(worst < 1e-8);
}

TEST_CASE("compliant pile: stacked spheres and boxes penetrate as deep as the weight above demands", "[integrators][compliant][fast]") {
  const double m = 2, k = 1e5, apart = 0.01;
  const auto check = [&](const Model<double>& model, double springs, Factorization bodies) {
    CompliantOptions<double> options = room_for(16);
    options.factorization = bodies;
    CompliantIntegrator integrator(model, options, ground_and_each_other(model, {Compliance<double>{k, 100}, 0.5}));
    for (int n = 0; n < 400; ++n) REQUIRE(describe(integrator.step({}, 5e-3).status) == describe(Status::converged));
    State<double> state = rest_state(model);
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(state.v.norm() < 1e-6);
    // relative to the positions at first touch, and apart
    const double lower = state.q[model.q_index(1) + 2], upper = state.q[model.q_index(2) + 2];
    CHECK(std::abs(lower + apart + 2 * m * g / (springs * k)) < 1e-9);
    CHECK(std::abs(upper - lower + apart + m * g / (springs * k)) < 1e-9);
  };
  for (const Factorization bodies : {Factorization::blocks, Factorization::dense}) {
    check(stack(2, Sphere<double>{0.5}, 1, Inertia<double>::sphere(m, 0.5), apart), 1, bodies);
    check(stack(2, Box<double>{{1, 1, 1}}, 1, Inertia<double>::box(m, {1, 1, 1}), apart), 4, bodies);
  }
}

TEST_CASE("compliant pile: boxes thrown on a heap come to rest", "[integrators][compliant][fast]") {
  const int n = 20;
  ModelBuilder<double> builder("heap");
  builder.gravity({0, 0, -g});
  models::Random random(3);
  for (int k = 0; k < n; ++k) {
    const std::string name = "box" + std::to_string(k);
    const Vector3d size(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), random.uniform(0.1, 0.3));
    builder.add_body(name, Inertia<double>::box(1, size)).add_shape({.name = name, .geometry = Box<double>{size}}, name);
    const Vector3d at(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0.4 * (k + 1));
    const Pose<double> start{quaternion::rotation_matrix<double>(random.rotation<double>()), at};
    builder.add_joint("free" + std::to_string(k), "world", name, start, Free<double>());
  }
  const Model<double> model = builder.build();
  CompliantIntegrator integrator(model, room_for(1000), ground_and_each_other(model, {Compliance<double>{1e5, 1e3}, 0.8, 1e4}));
  // The time depends on rounding: with one compiler a box slips for 12 s, since friction is viscous below its limit, and then tips over.
  State<double> state = rest_state(model);
  double factorizations = 0;
  int steps = 0;
  for (int at_rest = 0; at_rest < 200 && steps < 6000; ++steps) {
    const StepResult<double> result = integrator.step({}, 5e-3);
    CAPTURE(steps, describe(result.status));
    REQUIRE(result);
    REQUIRE(integrator.read(state) == Status::converged);
    at_rest = state.v.cwiseAbs().maxCoeff() < 1e-2 ? at_rest + 1 : 0;
    factorizations += result.factorizations;
  }
  CHECK(steps < 6000);
  CHECK(factorizations / steps < 10);
}

/// Boxes of 0.3 m that fall on each other, rotated at random, and on request as many others in a separate heap.
Model<double> heaps(int n, bool with_others) {
  ModelBuilder<double> builder("heaps");
  builder.gravity({0, 0, -g});
  const Vector3d size(0.3, 0.3, 0.3);
  models::Random random(5);
  for (int k = 0; k < (with_others ? 2 * n : n); ++k) {
    const std::string name = "box" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(1, size)).add_shape({.name = name, .geometry = Box<double>{size}}, name);
    const Vector3d at(random.uniform(-0.1, 0.1) + (k < n ? 0 : 10), random.uniform(-0.1, 0.1), 0.3 + 0.45 * (k % n));
    const Pose<double> start{quaternion::rotation_matrix<double>(random.rotation<double>()), at};
    builder.add_joint("free" + std::to_string(k), "world", name, start, Free<double>());
  }
  return builder.build();
}

TEST_CASE("compliant pile: connected bodies move bitwise the same whether or not others are present", "[integrators][compliant][fast]") {
  const int n = 6;
  const Model<double> alone = heaps(n, false), both = heaps(n, true);
  const ContactMaterial<double> material{Compliance<double>{1e5, 1e3}, 0.8, 1e4};
  CompliantIntegrator one(alone, room_for(400), ground_and_each_other(alone, material));
  CompliantIntegrator two(both, room_for(400), ground_and_each_other(both, material));
  int most = 0;
  for (int k = 0; k < 400; ++k) {
    CAPTURE(k);
    const StepResult<double> first = one.step({}, 5e-3), second = two.step({}, 5e-3);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(second.factorizations >= first.factorizations);
    most = std::max(most, first.factorizations);
    REQUIRE(two.configuration().head(alone.nq()) == one.configuration());
  }
  CHECK(most > 3);
}

TEST_CASE("compliant pile: a restored step continues bitwise the same, whatever contacts existed since", "[integrators][compliant][fast]") {
  const Model<double> model = heaps(8, false);
  CompliantIntegrator integrator(model, room_for(400), ground_and_each_other(model, {Compliance<double>{1e5, 1e3}, 0.8, 1e4}));
  auto memory = integrator.make_memory();
  for (int round = 0; round < 10; ++round) {
    integrator.save(memory);
    for (int k = 0; k < 40; ++k) REQUIRE(integrator.step({}, 5e-3));
    const VectorXd q = integrator.configuration();
    integrator.restore(memory);
    for (int k = 0; k < 40; ++k) REQUIRE(integrator.step({}, 5e-3));
    CHECK(integrator.configuration() == q);
  }
}

TEST_CASE("compliant pile: the stretch of tangential springs rotates with the body that carries them", "[integrators][compliant][fast]") {
  const double omega = 1, r = 0.5, K_t = 1e3;
  ModelBuilder<double> builder("turntable");
  builder.gravity({0, 0, -g})
      .add_body("table", Inertia<double>::box(1000, {2, 2, 0.2}))
      .add_body("block", Inertia<double>::box(1, {0.2, 0.2, 0.02}));
  builder.add_joint("axis", "world", "table", Pose<double>::translation(0, 0, 5), Revolute<double>(Vector3d::UnitZ()));
  builder.add_joint("free", "world", "block", Pose<double>::translation(r, 0, 5.11), Free<double>());
  builder.add_shape({.name = "table", .geometry = Box<double>{{2, 2, 0.2}}}, "table");
  builder.add_shape({.name = "block", .geometry = Box<double>{{0.2, 0.2, 0.02}}}, "block");
  const Model<double> model = builder.build();
  const ContactMaterial<double> material{
      .normal = Compliance<double>{1e7, 1e3}, .friction = 0.6, .tangential_damping = 20, .tangential_stiffness = K_t};
  CompliantIntegrator integrator(model, room_for(40), ground_and_each_other(model, material));
  State<double> state = rest_state(model);
  state.v << omega, 0, 0, omega, 0, omega * r, 0;
  integrator.reset(state);
  for (int k = 0; k < 1500; ++k) REQUIRE(describe(integrator.step({}, 1e-3).status) == describe(Status::converged));
  const Vector3d out(1, 0, 0);  // in the axes of the table, in which the block is at rest
  Vector3d sum = Vector3d::Zero();
  for (const TangentialStretch<double>& spring : integrator.forces().stretches()) sum += spring.s_A;
  CAPTURE(sum.transpose());
  CHECK(std::abs(K_t * sum.dot(out) / (omega * omega * r) - 1) < 0.02);  // the springs carry m omega^2 r
  CHECK((sum - out * sum.dot(out)).norm() < 0.02 * sum.norm());
}

TEST_CASE("compliant pile: results are bitwise reproducible, and insufficient capacity for pairs is reported",
          "[integrators][compliant][fast]") {
  const Model<double> model = sphere_stack(12, 0.01);
  const ContactMaterial<double> material{Compliance<double>{1e6, 1e2}, 0.5};
  State<double> first = rest_state(model), second = first;
  for (State<double>* end : {&first, &second}) {
    CompliantIntegrator integrator(model, room_for(40), ground_and_each_other(model, material));
    for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, 0.01));
    REQUIRE(integrator.read(*end) == Status::converged);
  }
  CHECK(first.q == second.q);
  CHECK(first.v == second.v);
  CompliantOptions<double> small = room_for(40);
  small.tie_capacity = small.fill_capacity = 2;  // 3 x 2 + 2 pairs
  CompliantIntegrator integrator(model, small, ground_and_each_other(model, material));
  State<double> touching = rest_state(model);
  for (int k = 0; k < 12; ++k) touching.q[model.q_index(k + 1) + 2] -= 0.01 * (k + 1) + 1e-4 * k;
  integrator.reset(touching);
  CHECK(describe(integrator.step({}, 0.01).status) == describe(Status::capacity));
}

}  // namespace compliant_pile_test
