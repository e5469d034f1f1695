// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant_derivatives.hpp"

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace compliant_derivatives_test {

using namespace actio;
using Eigen::VectorXd;
using D = Dual<double>;

enum class Touch { nothing, ground, each_other };

/// All parameters of a scene as functions of one number t.
struct Scene {
  Model<double> model;
  State<double> start;
  VectorXd dq, dv, tau, dtau;
  Factorization bodies = Factorization::automatic;
  Touch touch = Touch::nothing;
  bool power_law = false, tangential_spring = false;

  Scene(const Model<double>& tree, const VectorXd& q, std::uint64_t seed)
      : model(tree),
        start{q, models::random_velocity(tree, seed + 1), 0},
        dq(models::random_velocity(tree, seed + 2)),
        dv(models::random_velocity(tree, seed + 3)),
        tau(models::random_velocity(tree, seed + 4)),
        dtau(models::random_velocity(tree, seed + 5)) {}

  template <class S>
  Model<S> model_at(const S& t) const {
    const Model<S> constant = cast<S>(model);
    ModelProperties<S> joints = constant.properties();
    joints.upper.array() += t * S(0.01);
    joints.friction *= S(1) + t;
    joints.damping *= S(1) - t;
    joints.stiffness *= S(1) + S(0.5) * t;
    joints.armature *= S(1) + t;
    Inertia<S> inertia = constant.inertia(1);
    inertia.mass *= S(1) + t;
    inertia.com[0] += S(0.01) * t;
    inertia.I_com *= S(1) + S(0.5) * t;
    return constant.with_properties(joints).with_inertia(1, inertia);
  }
  template <class S>
  CompliantOptions<S> options_at(const S& t) const {
    CompliantOptions<S> options;
    options.limit = {S(1e5) * (S(1) + t), S(1e2) * (S(1) - t)};
    options.factorization = bodies;
    options.tie_capacity = 20;
    options.tolerance = S(0);
    return options;
  }
  /// Balls above the ground; or boxes, capsules and spheres in turn.
  template <class S>
  auto contacts_at(const S& t) const {
    ContactMaterial<S> material{Compliance<S>{S(1e5) * (S(1) - t), S(1e2)}, S(0.4) * (S(1) + t), S(1e4)};
    if (tangential_spring) material.tangential_stiffness = S(1e4);
    if (power_law) material.normal = PowerLaw<S>{S(1e6) * (S(1) + t), S(1.5), S(0.3)};
    PlaneContacts<S> ground(material, Vector3<S>(t, S(0), S(1)), S(-0.5) + S(0.01) * t);
    BodyContacts<S> shapes(material);
    const S size = S(0.2) + S(0.01) * t;
    const Pose<S> center = Pose<S>::identity();
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (touch == Touch::ground) ground.add(i, center, Sphere<S>{S(0.3) + S(0.01) * t});
      if (touch == Touch::each_other && i % 3 == 0) shapes.add(i, center, Sphere<S>{size});
      if (touch == Touch::each_other && i % 3 == 1) shapes.add(i, center, Box<S>{Vector3<S>(size, S(2) * size, S(1.5) * size)});
      if (touch == Touch::each_other && i % 3 == 2) shapes.add(i, center, Capsule<S>{size / S(2), size});
    }
    return ContactSources(ground, shapes);
  }
};

/// Takes a step, and compares its derivative with a difference of four steps.  @returns the number of rows; 0 if contacts change their
/// state nearby.
Eigen::Index check(const Scene& scene, double h) {
  const auto run = [&](double t, const auto& look) {
    const Model<double> model = scene.model_at(t);
    CompliantIntegrator integrator(model, scene.options_at(t), scene.contacts_at(t));
    integrator.reset({model.integrate(scene.start.q, t * scene.dq), scene.start.v + t * scene.dv, 0});
    const VectorXd tau = scene.tau + t * scene.dtau;
    REQUIRE(integrator.step(Input<double>(tau), h));
    return look(integrator);
  };
  std::vector<VectorXd> q1, v1;
  const double e = 1e-4;
  for (const double t : {-2 * e, -e, e, 2 * e}) {
    run(t, [&](auto& integrator) {
      State<double> end = rest_state(integrator.model());
      REQUIRE(integrator.read(end) == Status::converged);
      q1.push_back(end.q);
      v1.push_back(end.v);
      return 0;
    });
  }
  return run(0, [&](auto& integrator) -> Eigen::Index {
    const D t(0, 1);
    const Model<D> varied = scene.model_at(t);
    CompliantDerivatives follower(varied, scene.options_at(t), scene.contacts_at(t));
    State<D> x = dual_state(varied, integrator.step_begin(), scene.dq, scene.dv);
    const VectorX<D> tau = dual_vector(scene.tau, scene.dtau);
    const Input<D> input(tau);
    Status linear{}, status{};
    const test::AllocationCounter allocations;
    linear = follower.linearize(integrator);
    status = follower.follow(integrator, x, input);
    CHECK(allocations.count() == 0);
    REQUIRE(describe(linear) == describe(Status::converged));
    REQUIRE(describe(status) == describe(Status::converged));
    const auto differenced = [&](const std::vector<VectorXd>& at) { return VectorXd((8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * e)); };
    const VectorXd by_q = differenced(q1), by_v = differenced(v1), dq1 = derivatives(x.q), dv1 = derivatives(x.v);
    // If contacts change their state between the five steps, differences over half the range disagree.
    if (((v1[2] - v1[1]) / (2 * e) - (v1[3] - v1[0]) / (4 * e)).norm() > 1e-4 * (1 + by_v.norm())) return 0;
    State<double> end = rest_state(integrator.model());
    REQUIRE(integrator.read(end) == Status::converged);
    CHECK((values(x.q) == end.q && values(x.v) == end.v));  // so that the next step can be followed
    CHECK((dv1 - by_v).norm() < 1e-7 * (1 + by_v.norm()));
    CHECK((dq1 - by_q).norm() < 1e-7 * (1 + by_q.norm()));
    return integrator.rows().size();
  });
}

TEST_CASE("compliant derivatives: they match differences by state, input and parameters, for random trees in contact",
          "[integrators][compliant][fast]") {
  int compared = 0, loaded = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> tree =
        models::random_tree(seed, 7, {.floating = seed % 3 == 0, .damping = true, .springs = true, .armature = true});
    ModelProperties<double> joints = tree.properties();
    const VectorXd q = models::random_configuration(tree, seed);
    for (BodyIndex i = 1; i < tree.num_bodies(); ++i) {
      if (tree.nv(i) != 1) continue;
      joints.upper[tree.v_index(i)] = q[tree.q_index(i)] + 0.001;
      joints.friction[tree.v_index(i)] = 0.2;
    }
    Scene scene(tree.with_properties(joints).with_enforced({.limits = true, .friction = true, .contact = true}), q, seed);
    scene.bodies = seed % 4 < 2 ? Factorization::dense : Factorization::blocks;
    scene.touch = Touch::ground;
    scene.power_law = seed % 5 == 0;
    CAPTURE(seed);
    const Eigen::Index rows = check(scene, 1e-3);
    compared += rows > 0;
    loaded += rows > 3;
  }
  CHECK(compared > 25);
  CHECK(loaded > 20);
}

TEST_CASE("compliant derivatives: they match differences for bodies that touch each other and for rigid loops",
          "[integrators][compliant][fast]") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ModelBuilder<double> builder("heap");
    for (int k = 0; k < 6; ++k) {
      const std::string name = "body" + std::to_string(k);
      builder.add_body(name, Inertia<double>::box(1, {0.2, 0.3, 0.1}));
      builder.add_joint("joint" + std::to_string(k), "world", name, Pose<double>::identity(), Free<double>());
    }
    const Model<double> heap = builder.build().with_enforced({.contact = true});
    VectorXd q = models::random_configuration(heap, seed);
    for (Eigen::Index k = 0; k < q.size(); k += 7) q.segment<3>(k) *= 0.2 / (1 + q.segment<3>(k).norm());
    Scene scene(heap, q, seed);
    scene.touch = Touch::each_other;
    CAPTURE(seed);
    compared += check(scene, 1e-3) > 3;
  }
  CHECK(compared > 8);
  const Model<double> loops = models::closed_chain(4);
  CHECK(check(Scene(loops, rest_state(loops).q, 1), 1e-3) > 0);
}

TEST_CASE("compliant derivatives: steps are followed one by one, and only from the state at their start",
          "[integrators][compliant][fast]") {
  const Model<double> model = models::closed_chain(3);
  const Model<D> varied = cast<D>(model);
  const VectorXd dv = models::random_velocity(model, 3), zero = VectorXd::Zero(model.nv());
  const auto run = [&](double t) {
    CompliantIntegrator integrator(model, {.tolerance = 0});
    State<double> x = rest_state(model);
    x.v += t * dv;
    integrator.reset(x);
    for (int k = 0; k < 50; ++k) REQUIRE(integrator.step({}, 1e-2));
    REQUIRE(integrator.read(x) == Status::converged);
    return x;
  };
  CompliantIntegrator integrator(model, {.tolerance = 0});
  CompliantDerivatives follower(varied);
  CHECK(follower.linearize(integrator) == Status::invalid_step);
  State<D> x = dual_state(varied, rest_state(model), zero, dv);
  CHECK(follower.follow(integrator, x) == Status::invalid_step);
  integrator.reset(rest_state(model));
  for (int k = 0; k < 50; ++k) {
    REQUIRE(integrator.step({}, 1e-2));
    REQUIRE(follower.linearize(integrator) == Status::converged);
    REQUIRE(follower.follow(integrator, x) == Status::converged);
  }
  const double e = 1e-5;
  const VectorXd expected = (run(e).v - run(-e).v) / (2 * e), dq = model.difference(run(-e).q, run(e).q) / (2 * e);
  CHECK(x.time.value == integrator.time());
  CHECK((derivatives(x.v) - expected).norm() < 1e-6 * expected.norm());
  CHECK((direction(varied, x.q) - dq).norm() < 1e-6 * dq.norm());

  CHECK(follower.follow(integrator, x) == Status::invalid_input);  // x is the state at the end
  x = dual_state(varied, integrator.step_begin(), zero, dv);
  CHECK(follower.follow(integrator, x, Input<D>(VectorX<D>(VectorX<D>::Zero(1)))) == Status::invalid_input);
  CHECK(follower.follow(integrator, x) == Status::converged);
  const Model<D> open = varied.with_loops(false);
  CompliantDerivatives other(open);
  x = dual_state(varied, integrator.step_begin(), zero, dv);
  REQUIRE(other.linearize(integrator) == Status::converged);
  CHECK(other.follow(integrator, x) == Status::invalid_input);
}

TEST_CASE("compliant derivatives: contacts with memory are refused", "[integrators][compliant][fast]") {
  const Model<double> tree = models::random_tree(3, 6, {.floating = true, .damping = true, .springs = true});
  Scene scene(tree.with_enforced({.contact = true}), models::random_configuration(tree, 3), 3);
  scene.touch = Touch::ground;
  scene.tangential_spring = true;
  CompliantIntegrator integrator(scene.model, scene.options_at(0.), scene.contacts_at(0.));
  integrator.reset(scene.start);
  REQUIRE(integrator.step({}, 1e-3));
  REQUIRE(!integrator.forces().stretches().empty());
  const Model<D> constant = cast<D>(scene.model);
  CompliantDerivatives follower(constant, scene.options_at(D(0)), scene.contacts_at(D(0)));
  REQUIRE(follower.linearize(integrator) == Status::converged);
  State<D> x = dual_state(constant, integrator.step_begin(), scene.dq, scene.dv);
  CHECK(follower.follow(integrator, x) == Status::invalid_input);
}

TEST_CASE("compliant derivatives: matrices match directional derivatives, column by column", "[integrators][compliant][fast]") {
  const Model<double> tree = models::random_tree(3, 6, {.floating = true, .damping = true, .springs = true});
  Scene scene(tree.with_enforced({.contact = true}), models::random_configuration(tree, 3), 3);
  scene.touch = Touch::ground;
  CompliantIntegrator integrator(scene.model, scene.options_at(0.), scene.contacts_at(0.));
  integrator.reset(scene.start);
  Input<double> input(scene.tau);
  input.wrench_begin = BodyArray<Vector6<double>>(tree.num_bodies(), Vector6<double>::Constant(0.3));
  REQUIRE(integrator.step(input, 1e-3));
  REQUIRE(integrator.rows().size() > 0);
  const Model<D> constant = cast<D>(scene.model);
  CompliantDerivatives follower(constant, scene.options_at(D(0)), scene.contacts_at(D(0)));
  REQUIRE(follower.linearize(integrator) == Status::converged);
  Eigen::MatrixXd A, B;
  REQUIRE(follower.matrices(integrator, input, A, B) == Status::converged);
  State<D> x = dual_state(constant, integrator.step_begin(), scene.dq, scene.dv);
  Input<D> varied(VectorX<D>(dual_vector(scene.tau, scene.dtau)));
  for (const Vector6<double>& wrench : input.wrench_begin) varied.wrench_begin.push_back(wrench.cast<D>());
  REQUIRE(follower.follow(integrator, x, varied) == Status::converged);
  const VectorXd expected = A * (VectorXd(2 * tree.nv()) << scene.dq, scene.dv).finished() + B * scene.dtau;
  CHECK((expected.head(tree.nv()) - direction(constant, x.q)).norm() < 1e-10 * (1 + expected.norm()));
  CHECK((expected.tail(tree.nv()) - derivatives(x.v)).norm() < 1e-10 * (1 + expected.norm()));
}

}  // namespace compliant_derivatives_test
