// SPDX-License-Identifier: BSD-3-Clause
// Falls of random chains on the ground, and long rests.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/bounded_models.hpp"
#include "support/contact_models.hpp"

namespace variational_contact_long_test {

using namespace actio;
using namespace actio::test;

/// Returns a free chain of rods on hinges about random axes.
Model<double> random_free_chain(models::Random& random, int n) {
  ModelBuilder<double> builder("free_chain");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    const double mass = random.uniform(0.5, 2);
    builder.add_body(name, hanging_rod(mass));
    if (k == 0) builder.add_joint("free", "world", name, Pose<double>::identity(), Free<double>());
    else {
      builder.add_joint("hinge" + std::to_string(k), "rod" + std::to_string(k - 1), name, Pose<double>::translation(0, 0, -0.3),
                        Revolute<double>(random.direction<double>()));
    }
  }
  return builder.build();
}

struct Falls {
  int steps = 0, failed = 0, halved = 0, relaxed = 0, touching = 0;
  double lowest = 0, rise = 0;
};
/// Lets chains of five rods fall from half a metre and lie, for a second each.
Falls fall(int first, int last, double h) {
  Falls falls;
  for (int seed = first; seed <= last; ++seed) {
    models::Random random(static_cast<std::uint64_t>(seed));
    const Model<double> model = random_free_chain(random, 5);
    PlaneContacts<double> ground(rigid(random.uniform(0, 1)));
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      ground.add(i, Pose<double>::identity(), Sphere<double>{0.03}).add(i, Pose<double>::translation(0, 0, -0.3), Sphere<double>{0.02});
    }
    VariationalIntegrator integrator(model, {}, ground);
    State<double> start = rest_state(model);
    start.q[2] = 1.8;
    start.q.segment(3, 4) = Eigen::Quaterniond(random.rotation<double>()).coeffs();
    start.v = models::random_velocity(model, random, 1);
    integrator.reset(start);
    KinematicsData<double> data(model);
    double before = energy(model, data, start.q, start.v).total();
    const double scale = before;
    State<double> state = start;
    for (int n = 0; n < std::lround(1 / h); ++n) {
      const StepResult<double> result = integrator.step({}, h);
      ++falls.steps;
      falls.failed += !result;
      falls.halved += result.substeps > 1;
      falls.relaxed += bool(result.relaxed);
      if (!result) break;
      falls.touching += !integrator.contacts().empty();
      for (const ContactPoint<double>& point : integrator.contacts()) falls.lowest = std::min(falls.lowest, point.gap);
      (void)integrator.read(state);
      const double now = energy(model, data, state.q, state.v).total();
      // Free steps of a chain that whips raise the energy too, by up to 3.4 % here.
      if (!integrator.contacts().empty()) falls.rise = std::max(falls.rise, (now - before) / scale);
      before = now;
    }
  }
  return falls;
}

TEST_CASE("variational contact: chains fall, land and lie without a failed step", "[integrators][variational][fast]") {
  for (const double h : {0.005, 0.01}) {
    const Falls falls = fall(1, 10, h);
    CAPTURE(h, falls.steps, falls.failed, falls.halved, falls.relaxed, falls.touching, falls.lowest, falls.rise);
    CHECK(falls.failed == 0);
    CHECK(falls.touching > falls.steps / 4);
    CHECK(falls.lowest > -1e-9);
    CHECK(falls.rise < 3e3 * h * h * h);  // where M and J turn; 8.5e-5 and 1.6e-3 at 5 and 10 ms
    CHECK(falls.halved <= 20);            // 1 and 14
    CHECK(falls.relaxed <= 3);            // 0 and 1
  }
}

TEST_CASE("variational contact: the energy of a whipping chain rises with h^3 a step", "[integrators][variational][fast]") {
  double coarse = fall(171, 171, 0.01).rise;  // 1.1e-3
  for (const double h : {0.005, 0.0025}) {
    const double fine = fall(171, 171, h).rise;
    CAPTURE(h, coarse, fine);
    CHECK(coarse / fine > 7);
    CHECK(coarse / fine < 9);
    coarse = fine;
  }
}

TEST_CASE("variational contact: no step of two hundred falls of chains fails", "[integrators][variational][long]") {
  for (const double h : {0.001, 0.005, 0.01}) {
    const Falls falls = fall(1, 200, h);
    CAPTURE(h, falls.steps, falls.failed, falls.halved, falls.relaxed, falls.touching, falls.lowest, falls.rise);
    CHECK(falls.failed == 0);
    CHECK(falls.lowest > -1e-9);
    CHECK(falls.rise < 0.02);  // 1.5e-4, 8.8e-3 and 6.2e-3, the largest where joints turn by 0.1 to 0.9 rad in a step
  }
}

TEST_CASE("variational contact: no step of sixty falls of quadrupeds onto the limits of their joints fails", "[integrators][variational][long]") {
  const Model<double> model = models::quadruped().with_enforced({.limits = true, .contact = true});
  const ModelProperties<double>& joints = model.properties();
  PlaneContacts<double> ground(rigid(0.8));
  ground.add_shapes_of(model);
  VariationalIntegrator integrator(model, {}, ground);
  KinematicsData<double> data(model);
  ContactList<double> found(ground.most_points());
  int halved = 0, relaxed = 0;
  for (std::uint64_t seed = 430; seed < 490; ++seed) {  // in 456 P converged by 0.4 % an update while its tangents stayed soft
    models::Random random(seed);
    State<double> state = rest_state(model);
    VectorX<double> x(model.nv());
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = random.uniform(std::max(joints.lower[k], -1.5), std::min(joints.upper[k], 1.5));
    x.head<3>() = random.uniform(0, std::numbers::pi) * random.direction<double>();
    state.q = model.integrate(state.q, x);
    state.v = models::random_velocity(model, random, 3);
    forward_kinematics(model, data, state.q);
    found.clear();
    ground.find(data.T_WB, 1e30, found);
    double gap = 1e30;
    for (const ContactPoint<double>& point : found.points()) gap = std::min(gap, point.gap);
    state.q[2] += random.uniform(0, 0.5) - gap;
    integrator.reset(state);
    for (int n = 0; n < 150; ++n) {
      CAPTURE(seed, n);
      const StepResult<double> result = integrator.step({}, 0.01);
      REQUIRE(describe(result.status) == describe(Status::converged));
      halved += result.substeps > 1;
      relaxed += bool(result.relaxed);
    }
  }
  CAPTURE(halved, relaxed);
  CHECK(halved < 90);   // of 9000 steps: 37
  CHECK(relaxed < 10);  // none
}

TEST_CASE("variational contact: a box on four corners rests for 1e5 steps", "[integrators][variational][long]") {
  const Model<double> model = free_box(2, {0.4, 0.3, 0.2});
  VariationalIntegrator integrator(model, {}, corners({0.4, 0.3, 0.2}, 0.5));
  State<double> start = rest_state(model);
  start.q.head(3) << 0.3, -0.2, 0.1;
  integrator.reset(start);
  for (int k = 0; k < 100000; ++k) REQUIRE(integrator.step({}, 0.01));
  CHECK((integrator.configuration() - start.q).cwiseAbs().maxCoeff() < 1e-12);
}

/// Balls of 1 kg and 0.5 m that stand on each other, in towers that touch.
struct Tower {
  /// @param balls of each tower.  @param side number of towers along x and y.
  explicit Tower(int balls, int side = 1) : model(build(balls, side)) {
    ground.add_shapes_of(model);
    between.add_shapes_of(model);
  }
  static Model<double> build(int balls, int side) {
    ModelBuilder<double> builder("tower");
    builder.gravity({0, 0, -9.81});
    for (int k = 0; k < balls * side * side; ++k) {
      const std::string name = "ball" + std::to_string(k);
      builder.add_body(name, Inertia<double>::sphere(1, 0.5)).add_shape({.name = name, .geometry = Sphere<double>{0.5}}, name);
      const int tower = k / balls;
      builder.add_joint(name, "world", name, Pose<double>::translation(tower % side, tower / side, 0.5 + k % balls), Free<double>());
    }
    return builder.build();
  }
  auto integrator(Factorization factorization = Factorization::automatic) const {
    const auto room = static_cast<std::size_t>(3 * model.num_bodies());
    VariationalOptions<double> options{.factorization = factorization};
    options.contact_capacity = options.tie_capacity = room;
    return VariationalIntegrator(model, options, ContactSources(ground, between));
  }
  Model<double> model;
  PlaneContacts<double> ground{rigid(0.5)};
  BodyContacts<double> between{rigid(0.5)};
};

TEST_CASE("variational contact: a hundred balls stand on each other, and each contact carries what is above it",
          "[integrators][variational][fast]") {
  const Tower tower(100);
  auto integrator = tower.integrator();
  integrator.reset(rest_state(tower.model));
  for (int k = 0; k < 50; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    REQUIRE(result);
    CHECK_FALSE(result.relaxed);
  }
  CHECK((integrator.configuration() - tower.model.neutral()).cwiseAbs().maxCoeff() < 1e-11);  // 9.9e-13, 100 m high
  REQUIRE(integrator.contacts().size() == 100);
  for (std::size_t k = 0; k < 100; ++k) {
    const double height = integrator.contacts()[k].p[2], above = 9.81 * (100 - std::round(height));
    CHECK(std::abs(integrator.contact_force(k)[2] - above) < 1e-12 * above);  // 6.8e-14
  }
}

TEST_CASE("variational contact: there is room for what elimination couples in a pile", "[integrators][variational][fast]") {
  const Tower tower(5, 5);  // 325 contacts; 1215 pairs of balls are coupled
  auto integrator = tower.integrator();
  integrator.reset(rest_state(tower.model));
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step({}, 1e-3));
  CHECK(integrator.contacts().size() == 325);
}

TEST_CASE("variational contact: a pile that falls moves in the same way by each factorisation", "[integrators][variational][fast]") {
  const Tower tower(3);
  auto in_blocks = tower.integrator(), dense = tower.integrator(Factorization::dense);
  State<double> start = rest_state(tower.model);
  for (int k = 0; k < 3; ++k) start.q.segment(7 * k, 3) += Vector3<double>(0.1 * k * k, 0.05 * k, 0.02 * (k + 1));
  in_blocks.reset(start);
  dense.reset(start);
  for (int k = 0; k < 150; ++k) {
    REQUIRE(in_blocks.step({}, 2e-3));
    REQUIRE(dense.step({}, 2e-3));
  }
  CHECK(!in_blocks.contacts().empty());
  CHECK((in_blocks.configuration() - start.q).norm() > 0.1);
  CHECK((in_blocks.configuration() - dense.configuration()).cwiseAbs().maxCoeff() < 1e-12);  // 9.4e-14
}

TEST_CASE("variational contact: ten boxes stand on each other for 2000 steps", "[integrators][variational][long]") {
  const Vector3<double> size(0.2, 0.2, 0.1);
  ModelBuilder<double> builder("boxes");
  builder.gravity({0, 0, -9.81});
  BodyContacts<double> between(rigid(0.5));
  for (int k = 0; k < 10; ++k) {
    const std::string name = "box" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(1, size)).add_joint(name, "world", name, Pose<double>::identity(), Free<double>());
    between.add(k + 1, Pose<double>::identity(), Box<double>{size});
  }
  const Model<double> model = builder.build();
  State<double> start = rest_state(model);
  for (int k = 0; k < 10; ++k) start.q[7 * k + 2] = 0.05 + 0.1 * k;
  VariationalIntegrator integrator(model, {.contact_capacity = 40, .tie_capacity = 36, .contact_margin = 0.01},
                                   ContactSources(corners(size, 0.5), between));
  integrator.reset(start);
  for (int k = 0; k < 2000; ++k) REQUIRE(integrator.step({}, 0.01));
  CHECK(integrator.contacts().size() == 40);
  CHECK((integrator.configuration() - start.q).cwiseAbs().maxCoeff() < 1e-12);
}

}  // namespace variational_contact_long_test
