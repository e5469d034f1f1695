// SPDX-License-Identifier: BSD-3-Clause
// Compliant steps whose loops and couplings are factored in maximal coordinates, or solved iteratively, against those that eliminate them
// densely.
#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"
#include "support/tangled_tree.hpp"

namespace compliant_closures_test {

using namespace actio;
using Eigen::Vector3d, Eigen::VectorXd;

constexpr Factorization ways[] = {Factorization::sparse, Factorization::iterated};

/// Runs both and compares: states to 1e-8, and row forces by their effect on the joints.
template <class Contacts>
void check_is_dense(Factorization way, const Model<double>& model, const State<double>& start, CompliantOptions<double> options, int steps,
                          const Contacts& contacts) {
  const auto make = [&](Factorization bodies) {
    options.factorization = bodies;
    CompliantIntegrator integrator(model, options, contacts);
    integrator.reset(start);
    return integrator;
  };
  auto dense = make(Factorization::dense), other_way = make(way);
  State<double> a = start, b = start;
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> one = dense.step({}, 1e-3);
    const test::AllocationCounter allocations;
    const StepResult<double> other = other_way.step({}, 1e-3);
    REQUIRE(allocations.count() == 0);
    CAPTURE(static_cast<int>(way), k);
    REQUIRE(describe(one.status) == describe(Status::converged));
    REQUIRE(describe(other.status) == describe(Status::converged));
    REQUIRE_FALSE(one.relaxed);
    REQUIRE_FALSE(other.relaxed);
    REQUIRE(dense.rows().size() == other_way.rows().size());
  }
  REQUIRE(dense.read(a) == Status::converged);
  REQUIRE(other_way.read(b) == Status::converged);
  CHECK((a.q - b.q).norm() < 1e-8 * (1 + a.q.norm()));
  CHECK((a.v - b.v).norm() < 1e-7 * (1 + a.v.norm()));
  const VectorXd forces = dense.forces().joint_forces();
  CHECK((forces - other_way.forces().joint_forces()).norm() < 1e-6 * (1 + forces.norm()));
}

TEST_CASE("compliant: a ladder of 64 loops moves the same by sparse, iterated and dense factorisation", "[integrators][compliant][long]") {
  const Model<double> ladder = models::ladder(64);
  State<double> start = rest_state(ladder);
  start.q = models::sheared(ladder, VectorXd::LinSpaced(64, -0.05, 0.06));
  for (const Factorization way : ways) check_is_dense(way, ladder, start, {}, 200, NoContacts{});
}

TEST_CASE("compliant: tangled trees with limits, friction and contacts move the same by every factorisation",
          "[integrators][compliant][long]") {
  for (std::uint64_t seed = 1; seed <= 18; ++seed) {
    if (seed == 12 || seed == 17) continue;  // these bodies spin until the steps are too long for them
    const int copies = seed % 2 == 0 ? 2 : 1;
    const test::Tangled tangled = test::tangled_tree(seed, 10, 2, copies, {.damping = true, .springs = true, .armature = true});
    ModelProperties<double> properties = tangled.model.properties();
    for (BodyIndex i = 1; i < tangled.model.num_bodies(); ++i) {
      if (tangled.model.nv(i) != 1) continue;
      properties.upper[tangled.model.v_index(i)] = tangled.q[tangled.model.q_index(i)] + 0.01;
      properties.friction[tangled.model.v_index(i)] = 0.2;
    }
    PlaneContacts<double> ground({Compliance<double>{1e5, 1e2}, 0.5}, Vector3d::UnitZ(), -0.5);
    BodyContacts<double> others({Compliance<double>{1e4, 1e2}, 0.3});
    for (BodyIndex i = 1; i < tangled.model.num_bodies(); ++i) {
      ground.add(i, Pose<double>::identity(), Sphere<double>{0.3});
      if (i % 3 == 0) others.add(i, Pose<double>::identity(), Sphere<double>{0.2});
    }
    CompliantOptions<double> options;
    options.limit = {1e5, 1e2};
    options.closure = {1e8, 1e4};  // rigid redundant rows in contact are not always solved by either
    CAPTURE(seed);
    // velocities that the loops do not allow would be an impact
    const State<double> start{tangled.q, VectorXd::Zero(tangled.model.nv()), 0};
    const Model<double> model = tangled.model.with_properties(properties).with_enforced({.limits = true, .friction = true});
    for (const Factorization way : ways) check_is_dense(way, model, start, options, 60, ContactSources(ground, others));
  }
}

TEST_CASE("compliant: rigid loops that are given twice act as one, by every factorisation", "[integrators][compliant][long]") {
  for (const Factorization way : {Factorization::dense, Factorization::sparse, Factorization::iterated}) {
    CompliantOptions<double> options;
    options.factorization = way;
    for (std::uint64_t seed = 1; seed <= 18; ++seed) {
      VectorXd ends[2];
      for (const int copies : {1, 2}) {
        const test::Tangled tangled = test::tangled_tree(seed, 10, 2, copies);
        CompliantIntegrator integrator(tangled.model, options);
        integrator.reset({tangled.q, VectorXd::Zero(tangled.model.nv()), 0});
        for (int k = 0; k < 100; ++k) {
          const StepResult<double> result = integrator.step({}, 1e-3);
          CAPTURE(static_cast<int>(way), seed, copies, k);
          REQUIRE(describe(result.status) == describe(Status::converged));
          REQUIRE_FALSE(result.relaxed);
        }
        ends[copies - 1] = integrator.configuration();
      }
      CHECK((ends[0] - ends[1]).norm() < 1e-7 * (1 + ends[0].norm()));
    }
  }
}

TEST_CASE("compliant: the laws of an integrator hold for sparse and iterated factorisation", "[integrators][compliant][fast]") {
  for (const Factorization way : ways) {
    CompliantOptions<double> options;
    options.factorization = way;
    const Model<double> ladder = models::ladder(6);
    test::check_integrator_laws(CompliantIntegrator(ladder, options), rest_state(ladder), 1e-3);
  }
}

/// n pendula in a row whose joints are coupled in sequence; the last bob has no inertia of its own, or has one.
Model<double> geared(int n, bool is_point) {
  ModelBuilder<double> builder("geared");
  for (int k = 0; k <= n; ++k) {
    const std::string name = std::to_string(k);
    const Inertia<double> bob = is_point && k == n ? Inertia<double>::point(1, {0, 0, -1}) : Inertia<double>::sphere(1, 0.2);
    builder.add_body("link" + name, bob);
    builder.add_joint("joint" + name, k == 0 ? "world" : "link" + std::to_string(k - 1), "link" + name,
                      Pose<double>::translation(0.1, 0, -1), Revolute<double>(Vector3d::UnitX()));
    if (k > 0) builder.add_coupling("joint" + name, "joint" + std::to_string(k - 1), k % 2 == 0 ? 0.9 : -1.1, 0);
  }
  return builder.build();
}

/// n arms of 11 links with a four-bar at the end of each: mechanisms that are not connected.
Model<double> arms(int n) {
  ModelBuilder<double> builder("arms");
  const Revolute<double> about_x(Vector3d::UnitX()), about_y(Vector3d::UnitY());
  const auto add = [&](const std::string& parent, const std::string& name, const Vector3d& at, const Revolute<double>& joint) {
    builder.add_body(name, Inertia<double>::box(1, {0.05, 0.05, 1}));
    builder.add_joint("joint_" + name, parent, name, Pose<double>::translation(at), joint);
  };
  for (int k = 0; k < n; ++k) {
    const std::string arm = std::to_string(k);
    std::string last = "world";
    for (int j = 0; j < 11; ++j) {
      const std::string link = arm + "_" + std::to_string(j);
      add(last, link, j == 0 ? Vector3d(0.3 * k, 0, 0) : Vector3d(0, 0, -1), j % 2 == 0 ? about_y : about_x);
      last = link;
    }
    add(last, "crank" + arm, {0, 0, -1}, about_x);
    add("crank" + arm, "coupler" + arm, {0, 0, -1}, about_x);
    add(last, "rocker" + arm, {0, 1, -1}, about_x);
    Loop<double> loop;
    loop.name = "loop" + arm;
    loop.type = LoopType::revolute;
    loop.axis = Vector3d::UnitX();
    loop.T_A.p = {0, 1, 0};
    loop.T_B.p = {0, 0, -1};
    builder.add_loop(loop, "coupler" + arm, "rocker" + arm);
  }
  return builder.build();
}

TEST_CASE("compliant: many closures are factored in maximal coordinates unless a body has no inertia", "[integrators][compliant][fast]") {
  const auto end_with = [](const Model<double>& model, Factorization bodies) {
    CompliantOptions<double> options;
    options.factorization = bodies;
    CompliantIntegrator integrator(model, options);
    State<double> x = rest_state(model);
    x.v = models::random_velocity(model, 3);
    integrator.reset(x);
    for (int k = 0; k < 5; ++k) REQUIRE(integrator.step({}, 1e-3));
    return VectorXd(integrator.configuration());
  };
  for (const bool is_point : {false, true}) {
    const Model<double> model = geared(12, is_point);
    const VectorXd chosen = end_with(model, Factorization::automatic), dense = end_with(model, Factorization::dense);
    CHECK((chosen == dense) == is_point);
    CHECK((chosen - dense).norm() < 1e-10);
    CompliantOptions<double> options;
    options.factorization = Factorization::sparse;
    if (is_point) CHECK(test::missing(test::refusal<ModelError>([&] { return CompliantIntegrator(model, options); }), {"link12"}).empty());
    else CHECK(chosen == end_with(model, Factorization::sparse));
  }
  const Model<double> apart = arms(3);
  CHECK(end_with(apart, Factorization::automatic) == end_with(apart, Factorization::iterated));
  CHECK((end_with(apart, Factorization::iterated) - end_with(apart, Factorization::sparse)).norm() < 1e-10);
  const Model<double> few = geared(11, false);
  CHECK(end_with(few, Factorization::automatic) == end_with(few, Factorization::dense));
}

}  // namespace compliant_closures_test
