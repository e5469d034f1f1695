// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "support/any_contacts.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/pinned_pendulum.hpp"
#include "support/refusal.hpp"

namespace compliant_test {

using namespace actio;
using Eigen::Vector3d, Eigen::VectorXd;

static_assert(Integrator<CompliantIntegrator<Model<double>>>);

const double pi = std::acos(-1.0);

template <class Shape>
Model<double> body_with(const Shape& shape, const Inertia<double>& inertia, const Vector3d& gravity = {0, 0, -9.81}) {
  ModelBuilder<double> builder("body");
  builder.gravity(gravity).add_body("body", inertia);
  builder.add_joint("free", "world", "body", Pose<double>::identity(), Free<double>());
  builder.add_shape({.name = "skin", .geometry = shape}, "body");
  return builder.build().with_enforced({.contact = true});
}
PlaneContacts<double> ground(const Model<double>& model, const Compliance<double>& spring, double friction) {
  PlaneContacts<double> plane({spring, friction});
  plane.add_shapes_of(model);
  return plane;
}
State<double> at_height(const Model<double>& model, double z) {
  State<double> state = rest_state(model);
  state.q[2] = z;
  return state;
}

TEST_CASE("compliant: the laws of an integrator hold on a tree of all joint types with limits and dry friction",
          "[integrators][compliant][fast]") {
  const Model<double> tree = models::random_tree(5, 8, {.damping = true, .springs = true, .armature = true});
  ModelProperties<double> properties = tree.properties();
  const VectorXd q = models::random_configuration(tree, 5);
  for (BodyIndex i = 1; i < tree.num_bodies(); ++i) {
    if (tree.nv(i) != 1) continue;
    properties.lower[tree.v_index(i)] = q[tree.q_index(i)] - 0.01;
    properties.upper[tree.v_index(i)] = q[tree.q_index(i)] + 0.3;
    properties.friction[tree.v_index(i)] = 0.2;
  }
  const Model<double> model = tree.with_properties(properties).with_enforced({.limits = true, .friction = true});
  test::check_integrator_laws(CompliantIntegrator(model), State<double>{q, models::random_velocity(model, 7), 0}, 1e-3);
}

TEST_CASE("compliant: the laws of an integrator hold with loops and in contact", "[integrators][compliant][fast]") {
  const Model<double> chain = models::closed_chain(4);
  test::check_integrator_laws(CompliantIntegrator(chain), rest_state(chain), 1e-3);
  const Model<double> box = body_with(Box<double>{{0.2, 0.1, 0.05}}, Inertia<double>::box(1, {0.2, 0.1, 0.05}));
  test::check_integrator_laws(CompliantIntegrator(box, {}, ground(box, {1e6, 10}, 0.5)), at_height(box, 0.0251), 1e-2);
}

/// A tree of overlapping balls: in joint coordinates with rows that tie its bodies, in blocks with one dense matrix.
TEST_CASE("compliant: a tree with many contacts between its own bodies moves the same by a dense matrix",
          "[integrators][compliant][fast]") {
  std::size_t most_rows = 0, least_rows = 1000;
  for (const auto& [bodies, radius] : {std::pair{20, 0.35}, {30, 0.25}}) {
    ModelBuilder<double> builder = models::random_tree_builder(3, bodies, {.damping = true, .springs = true, .armature = true});
    for (int k = 1; k <= bodies; ++k) builder.add_shape({.name = "ball", .geometry = Sphere<double>{radius}}, "body_" + std::to_string(k));
    const Model<double> model = builder.build();
    BodyContacts<double> contacts({Compliance<double>{1e4, 50}, 0.6, 1e3});
    contacts.add_shapes_of(model);
    const auto make = [&](Factorization formulation) {
      CompliantOptions<double> options;
      options.factorization = formulation;
      options.contact_margin = 0.01;
      options.contact_capacity = options.tie_capacity = 200;
      CompliantIntegrator integrator(model, options, contacts);
      integrator.reset({models::random_configuration(model, 3), models::random_velocity(model, 3), 0});
      return integrator;
    };
    auto tied = make(Factorization::dense), dense = make(Factorization::blocks);
    for (int k = 0; k < 20; ++k) {
      CAPTURE(bodies, k);
      const StepResult<double> one = tied.step({}, 1e-3), other = dense.step({}, 1e-3);
      REQUIRE(describe(one.status) == describe(Status::converged));
      REQUIRE(describe(other.status) == describe(Status::converged));
      most_rows = std::max(most_rows, static_cast<std::size_t>(tied.rows().size()));
      least_rows = std::min(least_rows, static_cast<std::size_t>(tied.rows().size()));
      CHECK(model.difference(tied.configuration(), dense.configuration()).norm() < 1e-8);
    }
  }
  CHECK(least_rows > 12);  // otherwise they would not be solved iteratively
  CHECK(most_rows > 30);
}

TEST_CASE("compliant: the motion is the same by dense and by block factorisation", "[integrators][compliant][fast]") {
  const auto compare = [](const Model<double>& model, const State<double>& start, const auto& contacts) {
    const auto make = [&](Factorization bodies) {
      CompliantOptions<double> options;
      options.factorization = bodies;
      options.limit = {1e5, 1e2};
      options.tie_capacity = 20;
      CompliantIntegrator integrator(model, options, contacts);
      integrator.reset(start);
      return integrator;
    };
    auto dense = make(Factorization::dense), blocks = make(Factorization::blocks);
    State<double> a = start, b = start;
    for (int k = 0; k < 100; ++k) {
      const StepResult<double> one = dense.step({}, 1e-3), other = blocks.step({}, 1e-3);
      REQUIRE(describe(one.status) == describe(other.status));
      REQUIRE(one);
      REQUIRE(dense.rows().size() == blocks.rows().size());
    }
    REQUIRE(dense.read(a) == Status::converged);
    REQUIRE(blocks.read(b) == Status::converged);
    CHECK((a.q - b.q).norm() < 1e-8 * (1 + a.q.norm()));
    CHECK((a.v - b.v).norm() < 1e-7 * (1 + a.v.norm()));
    return dense.row_forces().norm();
  };
  double forces = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {  // one tree or several, of all joint types
    const Model<double> tree = models::random_tree(seed, 8, {.damping = true, .springs = true, .armature = true});
    ModelProperties<double> properties = tree.properties();
    const VectorXd q = models::random_configuration(tree, seed);
    for (BodyIndex i = 1; i < tree.num_bodies(); ++i) {
      if (tree.nv(i) != 1) continue;
      properties.upper[tree.v_index(i)] = q[tree.q_index(i)] + 0.01;
      properties.friction[tree.v_index(i)] = 0.2;
    }
    PlaneContacts<double> ground({Compliance<double>{1e5, 1e2}, 0.5}, Vector3d::UnitZ(), -0.5);
    for (BodyIndex i = 1; i < tree.num_bodies(); ++i) ground.add(i, Pose<double>::identity(), Sphere<double>{0.3});
    CAPTURE(seed);
    const Model<double> model = tree.with_properties(properties).with_enforced({.limits = true, .friction = true, .contact = true});
    forces += compare(model, {q, models::random_velocity(model, seed), 0}, ground);
  }
  CHECK(forces > 0);
  const Model<double> loops = models::closed_chain(4);
  CHECK(compare(loops, rest_state(loops), NoContacts{}) > 0);
}

TEST_CASE("compliant: spinning free bodies conserve their momentum", "[integrators][compliant][fast]") {
  // A ball has no gyroscopic terms: it moves in a straight line.
  const Model<double> ball = body_with(Sphere<double>{0.1}, Inertia<double>::sphere(1, 0.1), Vector3d::Zero()).with_enforced({});
  CompliantIntegrator integrator(ball);
  State<double> state = rest_state(ball);
  state.v << 20, -10, 30, 1, 2, 3;
  integrator.reset(state);
  const Vector3d from = state.q.head<3>(), way(1, 2, 3);  // its axes are those of the world at the start
  for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 1e-2));
  REQUIRE(integrator.read(state) == Status::converged);
  const Matrix3<double> R = std::get<Free<double>>(ball.joint(1)).pose(state.q).R;
  CHECK((state.q.head<3>() - from - 10 * way).norm() < 1e-9);
  CHECK((R * state.v.tail<3>() - way).norm() < 1e-10);
  CHECK((R * state.v.head<3>() - Vector3d(20, -10, 30)).norm() < 1e-10);
}

TEST_CASE("compliant: a ball sinks to the depth of Hertz and is brought to rest by Hunt-Crossley damping",
          "[integrators][compliant][fast]") {
  const double m = 1, r = 0.1;
  const auto law = PowerLaw<double>::hertz(1e7, r, 1.0);
  const Model<double> ball = body_with(Sphere<double>{r}, Inertia<double>::sphere(m, r));
  PlaneContacts<double> plane({law, 0.3});
  plane.add_shapes_of(ball);
  CompliantIntegrator integrator(ball, {}, plane);
  integrator.reset(at_height(ball, r + 0.05));
  for (int k = 0; k < 6000; ++k) REQUIRE(describe(integrator.step({}, 1e-3).status) == describe(Status::converged));
  State<double> state = rest_state(ball);
  REQUIRE(integrator.read(state) == Status::converged);
  const double depth = std::pow(m * 9.81 / law.coefficient, 2. / 3);
  CHECK(state.v.norm() < 1e-8);
  CHECK(std::abs((r - state.q[2]) / depth - 1) < 1e-6);
}

TEST_CASE("compliant: contacts beyond the capacity fail the step", "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{1, 1, 1}}, Inertia<double>::box(1, {1, 1, 1}));
  CompliantOptions<double> options;
  options.contact_capacity = 3;
  test::check_failing_step(CompliantIntegrator(box, options, ground(box, {1e6, 10}, 0.5)), at_height(box, 0.5), Input<double>{}, 1e-2,
                           Status::capacity);
}

/// A source of contacts that fails.
struct Blind {
  void find(const BodyArray<Pose<double>>&, double, ContactList<double>& found) const noexcept { found.fail(); }
};

TEST_CASE("compliant: a failing source of contacts fails the step", "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{1, 1, 1}}, Inertia<double>::box(1, {1, 1, 1}));
  test::check_failing_step(CompliantIntegrator(box, {}, test::AnyContacts(Blind{})), at_height(box, 0.5), Input<double>{}, 1e-2, Status::callback_failed);
}

/// A source with contacts of bodies that may not exist.
struct Astray {
  BodyIndex a, b;
  static inline const ContactMaterial<double> soft{Compliance<double>{1e6, 10}, 0.5};
  void find(const BodyArray<Pose<double>>&, double, ContactList<double>& found) const noexcept {
    found.add({a, b, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ(), -0.01, 0, &soft});
  }
};

TEST_CASE("compliant: contacts of bodies that do not exist are refused, or fail the step", "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{1, 1, 1}}, Inertia<double>::box(1, {1, 1, 1}));
  for (const Astray source : {Astray{0, 2}, {2, 1}, {-1, 1}, {0, -1}}) {
    CAPTURE(source.a, source.b);
    test::check_failing_step(CompliantIntegrator(box, {}, test::AnyContacts(source)), at_height(box, 0.5), Input<double>{}, 1e-2, Status::callback_failed);
  }
  PlaneContacts<double> plane(Astray::soft);
  plane.add(7, Pose<double>::identity(), Sphere<double>{1});
  const std::string why = test::refusal<ModelError>([&] { return CompliantIntegrator(box, {}, plane).model().nv(); });
  CHECK(test::missing(why, {box.name(), "no body 7"}) == "");
  BodyContacts<double> pairs(Astray::soft);
  pairs.add(1, Pose<double>::identity(), Sphere<double>{1}).add(2, Pose<double>::identity(), Sphere<double>{1});
  CHECK_THROWS_AS(CompliantIntegrator(box, {}, ContactSources{pairs}), ModelError);
}

TEST_CASE("compliant: a model in contact requires a source of contacts, and options have ranges", "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{1, 1, 1}}, Inertia<double>::box(1, {1, 1, 1}));
  CHECK(test::missing(test::refusal<ModelError>([&] { return CompliantIntegrator(box).time(); }), {"compliant", "contact"}).empty());
  const auto refuses = [&](auto change, const char* name) {
    CompliantOptions<double> options;
    change(options);
    return test::missing(test::refusal<OptionsError>([&] { return CompliantIntegrator(box, options, ground(box, {}, 0)).time(); }), {name})
        .empty();
  };
  CHECK(refuses([](auto& o) { o.limit.damping = -1; }, "limit.damping is -1, expected >= 0"));
  CHECK(refuses([](auto& o) { o.closure.stiffness = std::nan(""); }, "closure.stiffness is nan, expected >= 0"));
  CHECK(refuses([](auto& o) { o.factorization = Factorization::sweeps; }, "factorization is sweeps"));
  CHECK(refuses([](auto& o) { o.recovery = 0; }, "recovery"));
  CHECK(refuses([](auto& o) { o.friction_damping = 0; }, "friction_damping"));
  CHECK(refuses([](auto& o) { o.predictor_rotation = -1; }, "predictor_rotation"));
  CHECK(refuses([](auto& o) { o.contact_margin = -1; }, "contact_margin"));
  CHECK(refuses([](auto& o) { o.tolerance = -1; }, "tolerance"));
  CHECK(refuses([](auto& o) { o.max_factorizations = 0; }, "max_factorizations"));
}

TEST_CASE("compliant: bodies rest at the depth that their weight demands", "[integrators][compliant][fast]") {
  const auto sinks = [](const Model<double>& model, double height, int points) {
    const double k = 1e5, m = model.inertia(1).mass;
    CompliantIntegrator integrator(model, {}, ground(model, {k, 100}, 0.5));
    integrator.reset(at_height(model, height + 0.05));
    for (int n = 0; n < 2000; ++n) REQUIRE(describe(integrator.step({}, 2e-3).status) == describe(Status::converged));
    State<double> state = rest_state(model);
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(state.v.norm() < 1e-9);
    CHECK(std::abs((height - state.q[2]) / (m * 9.81 / (points * k)) - 1) < 1e-6);
    double force = 0;
    for (Eigen::Index row = 0; row < integrator.row_forces().size(); row += 3) force += integrator.row_forces()[row];
    CHECK(std::abs(force - m * 9.81) < 1e-9 * force);
  };
  sinks(body_with(Sphere<double>{0.1}, Inertia<double>::sphere(2, 0.1)), 0.1, 1);
  sinks(body_with(Box<double>{{0.2, 0.1, 0.05}}, Inertia<double>::box(1, {0.2, 0.1, 0.05})), 0.025, 4);
  sinks(body_with(Cylinder<double>{0.1, 0.3}, Inertia<double>::cylinder(3, 0.1, 0.3)), 0.15, 4);
}

TEST_CASE("compliant: the published formulation and sweeps carry a box's weight as the exact solver does",
          "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{0.2, 0.1, 0.05}}, Inertia<double>::box(1, {0.2, 0.1, 0.05}));
  const auto rests = [&](auto&& integrator) {
    integrator.reset(at_height(box, 0.025));
    for (int k = 0; k < 300; ++k) REQUIRE(describe(integrator.step({}, 1e-2).status) == describe(Status::converged));
    return integrator.configuration()[2];
  };
  PlaneContacts<double> feet({Compliance<double>{1e5, 100}, 0.5, 1e3});  // the published program squares the damping of friction
  feet.add_shapes_of(box);
  const CompliantOptions<double> near{.contact_margin = 0.01};  // in the published program the upper corners push too, if they are found
  const double exact = rests(CompliantIntegrator(box, near, feet));
  CHECK(std::abs(exact - (0.025 - 9.81 / 4e5)) < 1e-10);
  CHECK(std::abs(rests(CompliantIntegrator(box, near, feet, DenseCone<InteriorPoints>())) - exact) < 1e-9);
  CHECK(std::abs(rests(CompliantIntegrator(box, near, feet, DenseCone<PublishedForms<double>>())) - exact) < 1e-9);
  CHECK(std::abs(rests(CompliantIntegrator(box, near, feet, DenseCone<AnytimeSweeps>())) - exact) < 1e-9);
}

TEST_CASE("compliant: penetration of rigid ground and limits is corrected at the requested speed", "[integrators][compliant][fast]") {
  const Model<double> ball = body_with(Sphere<double>{0.1}, Inertia<double>::sphere(1, 0.1));
  CompliantIntegrator out(ball, {.recovery = 2}, ground(ball, {}, 0.5));
  out.reset(at_height(ball, -0.3));
  for (int k = 0; k < 100; ++k) REQUIRE(out.step({}, 1e-3));
  CHECK(std::abs(out.configuration()[2] - (-0.3 + 0.2)) < 1e-9);
  for (int k = 0; k < 2000; ++k) REQUIRE(out.step({}, 1e-3));
  CHECK(std::abs(out.configuration()[2] - 0.1) < 1e-9);  // it flew a little and stays at rest

  const Model<double> arm = models::revolute_chain(1);
  ModelProperties<double> joints = arm.properties();
  joints.upper[0] = 0.5;
  const Model<double> held = arm.with_properties(joints).with_enforced({.limits = true});
  CompliantIntegrator back(held, {.recovery = 3});
  State<double> state = rest_state(held);
  state.q[0] = 1.5;
  back.reset(state);
  for (int k = 0; k < 100; ++k) REQUIRE(back.step({}, 1e-3));
  CHECK(back.configuration()[0] < 1.2 + 1e-9);  // gravity helps
  CHECK(back.configuration()[0] > 1);
}

TEST_CASE("compliant: a body that starts inside rigid ground is not accelerated by a short lever arm", "[integrators][compliant][fast]") {
  ModelBuilder<double> builder("pole");  // stands nearly upright on its foot, 1 mm in the ground: to lift it, it must rotate fast
  builder.gravity({0, 0, 0}).add_body("pole", Inertia<double>::box(1, {0.1, 0.1, 1}));
  builder.add_joint("hinge", "world", "pole", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  builder.add_shape({.name = "foot", .T_BS = Pose<double>::translation(0, 0, -1), .geometry = Sphere<double>{0.1}}, "pole");
  const Model<double> pole = builder.build().with_enforced({.contact = true});
  PlaneContacts<double> plane({Compliance<double>{}, 0}, {0, 0, 1}, -1.099);
  plane.add_shapes_of(pole);
  CompliantIntegrator integrator(pole, {}, plane);
  State<double> state = rest_state(pole);
  state.q[0] = 1e-3;
  integrator.reset(state);
  KinematicsData<double> data(pole);
  for (int k = 0; k < 50; ++k) {
    REQUIRE(integrator.step({}, 1e-3));
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(energy(pole, data, state.q, state.v).kinetic <= 10 * 0.5 * 1.001);  // at most ten times 1 kg at 1 mm a step
  }
}

TEST_CASE("compliant: a step that says that friction was relaxed has the forces of the convex law", "[integrators][compliant][fast]") {
  ModelBuilder<double> builder("rods");
  for (int k = 0; k < 4; ++k) {
    const std::string rod = "rod " + std::to_string(k), joint = "joint " + std::to_string(k);
    builder.add_body(rod, Inertia<double>::box(1, {0.3, 0.04, 0.04}));
    if (k == 0) builder.add_joint(joint, "world", rod, Pose<double>::identity(), Free<double>());
    else builder.add_joint(joint, "rod " + std::to_string(k - 1), rod, Pose<double>::translation(0.16, 0, 0), Spherical<double>());
    builder.add_shape({.name = rod, .geometry = Box<double>{{0.3, 0.04, 0.04}}}, rod);
  }
  const Model<double> rods = builder.build().with_enforced({.contact = true});
  int relaxed = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    CompliantOptions<double> few, convex{.law = ConeLaw::convex};
    few.max_factorizations = 12;  // too few for some of the steps
    CompliantIntegrator integrator(rods, few, ground(rods, {}, 0.7)), other(rods, convex, ground(rods, {}, 0.7));
    State<double> state = at_height(rods, 0.3);
    for (Eigen::Index k = 0; k < rods.nv(); ++k) state.v[k] = 2 * std::sin(double(7 * seed + 3 * k * k));
    integrator.reset(state);
    for (int k = 0; k < 400; ++k) {
      REQUIRE(integrator.read(state) == Status::converged);
      other.reset(state);
      const StepResult<double> result = integrator.step({}, 5e-3);
      if (!result) break;
      CHECK_FALSE(result.relaxed.loops);
      if (!result.relaxed) continue;
      ++relaxed;
      REQUIRE(other.step({}, 5e-3));
      CHECK((integrator.configuration() - other.configuration()).norm() < 1e-9);
    }
  }
  CHECK(relaxed > 0);
}

TEST_CASE("compliant: tolerance 0 solves to rounding", "[integrators][compliant][fast]") {
  const Model<double> box = body_with(Box<double>{{0.2, 0.1, 0.05}}, Inertia<double>::box(1, {0.2, 0.1, 0.05}));
  CompliantIntegrator integrator(box, {.tolerance = 0}, ground(box, {1e6, 100}, 0.5));
  State<double> state = at_height(box, 0.0251);
  state.v << 0, 0, 1, 0.5, 0.2, 0;
  integrator.reset(state);
  for (int k = 0; k < 500; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    REQUIRE(result);
    REQUIRE(!result.relaxed);
    REQUIRE(result.residual < 1e-12);
  }
}

TEST_CASE("compliant: slip begins at the friction angle in every direction", "[integrators][compliant][fast]") {
  const double mu = 0.6, critical = std::atan(mu), tenth = 0.1 * pi / 180;
  for (int k = 0; k < 72; ++k) {
    const double heading = k * 5 * pi / 180;
    const auto slides = [&](double slope) {
      const Vector3d along(std::cos(heading), std::sin(heading), 0);
      const Model<double> model = body_with(Box<double>{{0.2, 0.2, 0.02}}, Inertia<double>::box(1, {0.2, 0.2, 0.02}),
                                            9.81 * (std::sin(slope) * along - std::cos(slope) * Vector3d::UnitZ()));
      CompliantIntegrator integrator(model, {}, ground(model, {1e7, 1e4}, mu));
      integrator.reset(at_height(model, 0.01 - 9.81 * std::cos(slope) / 4e7));
      for (int n = 0; n < 100; ++n) REQUIRE(integrator.step({}, 1e-2));
      return integrator.configuration().head<2>().norm() > 1e-6;
    };
    CAPTURE(k);
    CHECK(slides(critical + tenth));
    CHECK_FALSE(slides(critical - tenth));
  }
}

TEST_CASE("compliant: friction is the same in all directions", "[integrators][compliant][fast]") {
  const Model<double> model = body_with(Sphere<double>{0.1}, Inertia<double>::sphere(1, 0.1));
  double least = 1e9, most = 0;
  for (int k = 0; k < 36; ++k) {
    CompliantIntegrator integrator(model, {}, ground(model, {1e6, 100}, 0.3));
    State<double> state = at_height(model, 0.1 - 9.81e-6);
    state.v.tail<3>() << std::cos(k * pi / 18), std::sin(k * pi / 18), 0;
    integrator.reset(state);
    for (int n = 0; n < 50; ++n) REQUIRE(integrator.step({}, 1e-2));
    const Vector3d moved = integrator.configuration().head<3>();
    least = std::min(least, moved.head<2>().norm());
    most = std::max(most, moved.head<2>().norm());
    CHECK(std::abs(moved[0] * std::sin(k * pi / 18) - moved[1] * std::cos(k * pi / 18)) < 1e-9);  // along a straight line
  }
  CHECK(most / least < 1.001);
}

TEST_CASE("compliant: a rigid loop drifts by h^3 with the predictor and h^2 without, and the motion has order 1",
          "[integrators][compliant][fast]") {
  const bool predictor = GENERATE(true, false);
  const Model<double> model = models::closed_chain(4);
  const double T = 0.4;
  MaximalIntegrator exact(model);
  exact.reset(rest_state(model));
  for (int k = 0; k < 4000; ++k) REQUIRE(exact.step({}, T / 4000));
  const auto run = [&](int steps, double& open) {
    CompliantOptions<double> options;
    if (!predictor) options.predictor_rotation = 0;
    CompliantIntegrator integrator(model, options);
    integrator.reset(rest_state(model));
    open = 0;
    KinematicsData<double> data(model);
    for (int k = 0; k < steps; ++k) {
      REQUIRE(describe(integrator.step({}, T / steps).status) == describe(Status::converged));
      forward_kinematics(model, data, integrator.configuration());
      const Loop<double>& loop = model.loops()[0];
      open = std::max(open, detail::closure_gap(loop, (data.T_WB[loop.body_a] * loop.T_A).inverse() * (data.T_WB[loop.body_b] * loop.T_B)));
    }
    return model.difference(exact.configuration(), integrator.configuration()).norm();
  };
  double open_coarse = 0, open_fine = 0;
  const double coarse = run(400, open_coarse), fine = run(800, open_fine);
  CAPTURE(coarse, fine, open_coarse, open_fine);
  CHECK(std::abs(std::log2(coarse / fine) - 1) < 0.1);
  CHECK(std::abs(std::log2(open_coarse / open_fine) - (predictor ? 3 : 2)) < 0.1);
}

TEST_CASE("compliant: solutions stay bounded for any stiffness, damping and step", "[integrators][compliant][fast]") {
  const Model<double> model = test::pinned_pendulum();
  const bool predictor = GENERATE(true, false);
  for (const double K : {1., 1e3, 1e6, 1e10, 1e14}) {
    for (const double C : {0., 1e2, 1e4, 1e6}) {
      for (const double h : {1e-5, 1e-3, 1e-2, 0.1}) {
        CompliantOptions<double> options;
        options.closure = {K, C};
        if (!predictor) options.predictor_rotation = 0;
        CompliantIntegrator integrator(model, options);
        State<double> state = rest_state(model);
        state.q << 1, 0, 0;
        integrator.reset(state);
        KinematicsData<double> data(model);
        double largest = 0;
        for (int n = 0; n < 300; ++n) {
          CAPTURE(predictor, K, C, h, n);
          REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
          REQUIRE(integrator.read(state) == Status::converged);
          largest = std::max(largest, energy(model, data, state.q, state.v).kinetic);
        }
        CAPTURE(predictor, K, C, h);
        // Twice the distance that the bob can fall before the spring stops it, and the rotation of the rope in a step, which implicit Euler
        // leaves undamped.
        CHECK(largest < 2 * 9.8 * (2 + 2 * 9.8 / K) + 10);
      }
    }
  }
}

}  // namespace compliant_test
