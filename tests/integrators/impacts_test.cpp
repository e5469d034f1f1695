// SPDX-License-Identifier: BSD-3-Clause
// Impacts with restitution in variational steps, in joint and in maximal coordinates: reference runs, energy, momentum, the law, order,
// what is refused.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/io/urdf.hpp"
#include "support/any_contacts.hpp"
#include "support/allocation_guard.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/oracle.hpp"
#include "support/refusal.hpp"
#include "support/shared_file.hpp"

namespace impacts_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

/// How impacts are made, and the tolerance of steps.
struct How {
  Impacts impacts = Impacts::located;
  double tolerance = 0;
};
struct InJoints {
  template <class... Source>
  static auto make(const Model<double>& model, const How& how, const Source&... source) {
    return VariationalIntegrator(model, VariationalOptions<double>{.tolerance = how.tolerance, .impacts = how.impacts}, source...);
  }
};
struct InBodies {
  template <class... Source>
  static auto make(const Model<double>& model, const How& how, const Source&... source) {
    return MaximalIntegrator(model, MaximalOptions<double>{.tolerance = how.tolerance, .impacts = how.impacts}, source...);
  }
};

ContactMaterial<double> bouncing(double restitution, double friction = 0) {
  ContactMaterial<double> material = rigid(friction);
  material.restitution = restitution;
  return material;
}
/// Returns a ground under points of bodies.
PlaneContacts<double> ground(double restitution, const std::vector<std::pair<BodyIndex, Vector3<double>>>& where, double friction = 0,
                             double height = 0) {
  PlaneContacts<double> plane(bouncing(restitution, friction), Vector3<double>::UnitZ(), height);
  for (const auto& [body, p] : where) plane.add(body, {Matrix3<double>::Identity(), p}, Sphere<double>{0});
  return plane;
}
Json reference(const std::string& name) { return read_json(ACTIO_TEST_DATA "/reference/variational_" + name + ".json"); }

/// Runs from the first sample of a reference run.  @returns the number of impacts.
template <class I>
int check_run(I integrator, const Json& run, double tolerance) {
  const Json& first = run["samples"][0];
  integrator.reset({to_vector(first["q"]), to_vector(first["v"]), 0});
  State<double> state = rest_state(integrator.model());
  int done = first["step"].get<int>(), impacts = 0;
  for (const Json& sample : run["samples"]) {
    for (; done < sample["step"].get<int>(); ++done) {
      const StepResult<double> result = integrator.step({}, run["h"].get<double>());
      REQUIRE(describe(result.status) == describe(Status::converged));
      CHECK_FALSE(result.relaxed);
      impacts += result.impacts;
    }
    REQUIRE(integrator.read(state) == Status::converged);
    CAPTURE(done, state.q.transpose(), state.v.transpose());
    CHECK((state.q - to_vector(sample["q"])).cwiseAbs().maxCoeff() < tolerance);
    CHECK((state.v - to_vector(sample["v"])).cwiseAbs().maxCoeff() < tolerance);
  }
  return impacts;
}

TEMPLATE_TEST_CASE("impacts: reference runs of a ball", "[integrators][fast]", InJoints, InBodies) {
  const Json ball = reference("ball");
  const double e = ball["model"]["restitution"].get<double>();
  for (const Json& run : ball["discrete"]) {
    const bool located = run["options"]["impacts"] == "located";
    CAPTURE(located);
    const Model<double> model = ball_on_slide();
    const auto integrator = TestType::make(model, {located ? Impacts::located : Impacts::in_place}, ground(e, {{1, {0, 0, 0}}}));
    // The times of located impacts were found to 5e-12 m in the run, and to 5e-11 m here.
    const int impacts = check_run(integrator, run, located ? 1e-8 : 1e-9);
    if (located) CHECK(impacts == run["events"].get<int>());
  }
}
TEST_CASE("impacts: a reference run of an elbow in joint coordinates", "[integrators][fast]") {
  const Json elbow = reference("elbow_limits");
  const Json& limits = elbow["model"];
  const Model<double> model = rods(2, {}, {.lower = limits["limits"][0].get<double>(), .upper = limits["limits"][1].get<double>(),
                                           .restitution = limits["restitution"].get<double>()});
  const Json& run = elbow["discrete"][0];
  CHECK(check_run(InJoints::make(model, {}), run, 1e-8) == run["events"].get<int>());
}

/// Lets a ball with restitution 1 bounce.
template <class Coordinates>
void check_energy_of_ball(int bounces) {
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    const Model<double> model = ball_on_slide();
    auto integrator = Coordinates::make(model, {mode}, ground(1, {{1, {0, 0, 0}}}));
    integrator.reset({VectorXd{{1.}}, VectorXd{{0.}}, 0});
    State<double> state = rest_state(model);
    double worst = 0, lowest = 0;
    for (int impacts = 0; impacts < bounces;) {
      const StepResult<double> result = integrator.step({}, 0.01);
      REQUIRE(result);
      REQUIRE_FALSE(result.relaxed);
      impacts += result.impacts;
      REQUIRE(integrator.read(state) == Status::converged);
      worst = std::max(worst, std::abs(energy_at(model, state) / 9.81 - 1));
      lowest = std::min(lowest, state.q[0]);
    }
    CHECK(worst < 1e-15 * bounces);  // 9.4e-12 after 1e4 bounces: four rounding errors each, which a periodic motion repeats
    CHECK(lowest >= -1e-10);
  }
}
TEMPLATE_TEST_CASE("impacts: a ball with restitution 1 keeps its energy", "[integrators][fast]", InJoints, InBodies) {
  check_energy_of_ball<TestType>(300);
}
TEMPLATE_TEST_CASE("impacts: a ball keeps its energy in ten thousand bounces", "[integrators][long]", InJoints, InBodies) {
  check_energy_of_ball<TestType>(10000);
}

TEMPLATE_TEST_CASE("impacts: a bouncing ball comes to rest, and the impacts of a step have a bound", "[integrators][fast]", InJoints, InBodies) {
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    const Model<double> model = ball_on_slide();
    auto integrator = TestType::make(model, {mode}, ground(0.6, {{1, {0, 0, 0}}}));
    integrator.reset({VectorXd{{1.}}, VectorXd{{0.}}, 0});
    int impacts = 0;
    for (int k = 0; k < 250; ++k) {
      const StepResult<double> result = integrator.step({}, 0.01);
      REQUIRE(result);
      CHECK(result.impacts <= 4);
      impacts += result.impacts;
    }
    CHECK(impacts > 6);
    CHECK(impacts < 30);
    CHECK(std::abs(integrator.configuration()[0]) < 1e-10);
    CHECK(std::abs(read(integrator).v[0]) < 1e-12);
  }
}

TEMPLATE_TEST_CASE("impacts: no step adds energy where the mass matrix is constant", "[integrators][fast]", InJoints, InBodies) {
  // At the default tolerance free steps keep the energy to 1e-10 only.
  for (const auto& [mode, tolerance] : {std::pair(Impacts::located, 0.), {Impacts::in_place, 0.},
                                        {Impacts::located, default_tolerance<double>}, {Impacts::in_place, default_tolerance<double>}}) {
    models::Random random(5);
    int impacts = 0, guarded = 0, relaxed = 0;
    for (int run = 0; run < 40; ++run) {
      const std::size_t n = 3 + static_cast<std::size_t>(run) % 4;
      Model<double> model = random_gantry(random, n);
      ModelProperties<double> properties = model.properties();
      for (double& e : properties.restitution) e = std::min(1., random.uniform(0, 1.5));
      if (run % 2 == 0) properties.friction.setZero();
      model = model.with_properties(properties);
      std::vector<std::pair<BodyIndex, Vector3<double>>> feet;
      for (BodyIndex i = 2; i < model.num_bodies(); ++i) feet.push_back({i, 0.1 * random.direction<double>()});
      auto integrator = TestType::make(model, {mode, tolerance}, ground(random.uniform(0, 1), feet, random.uniform(0, 1), -0.4));
      State<double> state = rest_state(model);
      for (double& v : state.v) v = random.uniform(-3, 3);
      integrator.reset(state);
      double before = energy_at(model, state);
      for (int k = 0; k < 80; ++k) {
        CAPTURE(run, k);
        const StepResult<double> result = integrator.step({}, 0.005);
        REQUIRE(result);
        REQUIRE(integrator.read(state) == Status::converged);
        const double after = energy_at(model, state);
        impacts += result.impacts;
        guarded += result.relaxed.restitution;
        relaxed += result.relaxed.friction;
        REQUIRE(result.substeps == 1);
        REQUIRE(after - before < (tolerance > 0 ? 1e-9 : 1e-12) * std::max(1., std::abs(before)));
        before = after;
      }
    }
    CAPTURE(static_cast<int>(mode), tolerance, impacts, guarded);
    CHECK(impacts > 100);
    CHECK(relaxed == 0);
  }
}

/// Contacts of points of bodies with planes, a small distance away.
struct Planes {
  struct One {
    BodyIndex body;
    Vector3<double> on_body, normal, on_plane;
    double gap;
    ContactMaterial<double> material;
  };
  std::vector<One> all;
  int* calls = nullptr;  // counted, if any
  int fails_at = -1;     // the call that fails
  std::size_t most_points() const noexcept { return all.size(); }
  void find(const BodyArray<Pose<double>>& T_WB, const double&, ContactList<double>& found) const noexcept {
    if (calls != nullptr && (*calls)++ == fails_at) found.fail();
    std::uint64_t id = 0;
    for (const One& one : all) {
      const Vector3<double> p = T_WB[one.body] * one.on_body;
      found.add({0, one.body, p, one.normal, one.gap + one.normal.dot(p - one.on_plane), id++, &one.material});
    }
  }
};

TEMPLATE_TEST_CASE("impacts: several at a time add no energy", "[integrators][long]", InJoints, InBodies) {
  models::Random random(11);
  int struck = 0, guarded = 0, relaxed = 0;
  double largest = 0;
  const int problems = 10000;
  for (int problem = 0; problem < problems; ++problem) {
    ModelBuilder<double> builder("chain");
    builder.gravity({0, 0, 0});
    const int n = 1 + problem % 3;
    for (int k = 0; k < n; ++k) {
      const std::string name = "rod" + std::to_string(k);
      builder.add_body(name, {random.uniform(0.5, 2), {0, 0, -0.15}, Vector3<double>(0.01, 0.012, 0.008).asDiagonal()});
      if (k == 0) {
        builder.add_joint("free", "world", name, Pose<double>::identity(), Free<double>());
      } else {
        builder.add_joint(name, "rod" + std::to_string(k - 1), name, Pose<double>::translation(0, 0, -0.3),
                          Revolute<double>(random.direction<double>()));
      }
    }
    const Model<double> model = builder.build();
    State<double> state = rest_state(model);
    for (Eigen::Index k = 7; k < model.nq(); ++k) state.q[k] = random.uniform(-2, 2);
    for (double& v : state.v) v = random.uniform(-2, 2);
    KinematicsData<double> data(model);
    forward_kinematics(model, data, state.q);
    Planes planes;
    for (int k = 0; k < 2 + problem % 4; ++k) {
      const BodyIndex body = 1 + k % n;
      const Vector3<double> p = 0.3 * random.direction<double>();
      const double gap = k % 3 == 2 ? 0 : 5e-10;
      const ContactMaterial<double> material = bouncing(std::min(1., random.uniform(0, 1.3)), random.uniform(0, 1));
      planes.all.push_back({body, p, random.direction<double>(), data.T_WB[body] * p, gap, material});
    }
    auto integrator = TestType::make(model, {Impacts::in_place}, test::AnyContacts(planes));
    integrator.reset(state);
    const double before = energy_at(model, state);
    const StepResult<double> result = integrator.step({}, 1e-7);
    REQUIRE(result);
    REQUIRE(integrator.read(state) == Status::converged);
    struck += result.impacts;
    guarded += result.relaxed.restitution;
    relaxed += result.relaxed.friction;
    largest = std::max(largest, energy_at(model, state) / before);
  }
  CAPTURE(struck, guarded, relaxed);
  CHECK(largest <= 1 + 1e-12);  // no gravity, and free motion in a step of 1e-7 s changes the energy far less
  CHECK(struck > problems / 2);
  CHECK(guarded > 0);
  CHECK(relaxed < problems / 100);
}

TEST_CASE("impacts: two bodies keep their momentum and separate at e times the rate of approach", "[integrators][fast]") {
  ModelBuilder<double> builder("balls");
  builder.gravity({0, 0, 0});
  const double mass[] = {1, 2.5};
  for (int k = 0; k < 2; ++k) {
    const std::string name = "ball" + std::to_string(k);
    builder.add_body(name, {mass[k], Vector3<double>::Zero(), 0.004 * mass[k] * Matrix3<double>::Identity()});
    builder.add_joint(name, "world", name, Pose<double>::identity(), Free<double>());
  }
  const Model<double> model = builder.build();
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    BodyContacts<double> contacts(bouncing(0.7));
    for (BodyIndex i = 1; i < 3; ++i) contacts.add(i, Pose<double>::identity(), Sphere<double>{0.1});
    VariationalIntegrator integrator(model, {.tolerance = 0, .impacts = mode}, contacts);
    State<double> state = rest_state(model);
    state.q.segment(0, 3) << -0.3, 0.05, 0;
    state.v.segment(3, 3) << 2, 0, 0.1;
    state.v.segment(9, 3) << -1, 0, 0.1;
    const auto momentum = [&] { return Vector3<double>(mass[0] * state.v.segment(3, 3) + mass[1] * state.v.segment(9, 3)); };
    const Vector3<double> before = momentum(), approach = state.v.segment(9, 3) - state.v.segment(3, 3);
    integrator.reset(state);
    Vector3<double> normal = Vector3<double>::Zero();
    int impacts = 0;
    for (int k = 0; k < 60; ++k) {
      const Vector3<double> apart = state.q.segment(7, 3) - state.q.segment(0, 3);
      const StepResult<double> result = integrator.step({}, 0.002);
      REQUIRE(result);
      if (result.impacts > 0 && mode == Impacts::in_place) normal = apart.normalized();
      impacts += result.impacts;
      REQUIRE(integrator.read(state) == Status::converged);
    }
    CHECK(impacts == 1);
    CHECK((momentum() - before).cwiseAbs().maxCoeff() < 1e-13);
    if (mode == Impacts::in_place) {
      CHECK(std::abs((state.v.segment(9, 3) - state.v.segment(3, 3)).dot(normal) + 0.7 * approach.dot(normal)) < 1e-11);
    }
  }
}

/// Returns q and v of the elbow at a time after its first impact.
template <class Coordinates>
VectorXd elbow_at(double h, double e) {
  const Model<double> model = rods(2, {}, {.lower = -0.4, .upper = 0.6, .restitution = e});
  auto integrator = Coordinates::make(model, {});
  integrator.reset({VectorXd{{1.2, 0.1}}, VectorXd{{0., 2.}}, 0});
  for (int k = 0, n = static_cast<int>(std::lround(0.48 / h)); k < n; ++k) REQUIRE(integrator.step({}, h));
  State<double> state = rest_state(model);
  REQUIRE(integrator.read(state) == Status::converged);
  VectorXd all(4);
  all << state.q, state.v;
  return all;
}

TEMPLATE_TEST_CASE("impacts: located ones are of second order", "[integrators][fast]", InJoints, InBodies) {
  for (const double e : {0.5, 1.}) {
    const VectorXd exact = elbow_at<TestType>(0.48 / 19200, e);
    double sums[4] = {};  // of a line through log(error) against log(h)
    const std::vector<int> counts{60, 85, 120, 170, 240, 340, 480};
    for (const int n : counts) {
      const double x = std::log(1. / n), y = std::log((elbow_at<TestType>(0.48 / n, e) - exact).norm());
      sums[0] += x, sums[1] += y, sums[2] += x * x, sums[3] += x * y;
    }
    const double m = static_cast<double>(counts.size());
    CAPTURE(e);
    CHECK((m * sums[3] - sums[0] * sums[1]) / (m * sums[2] - sums[0] * sums[0]) > 1.9);
  }
}

TEMPLATE_TEST_CASE("impacts: the same limit is struck twice in a step", "[integrators][fast]", InJoints, InBodies) {
  // A body hits one that rests before a wall, which goes to the wall and back, and pushes it away.
  const JointProperties<double> elastic{.lower = 0, .restitution = 1};
  const Model<double> model = sliders({1, 1}, elastic, elastic);
  auto integrator = TestType::make(model, {Impacts::in_place});
  integrator.reset(at(model, {1e-3, 1e-3}, {0, -1}));
  const StepResult<double> result = integrator.step({}, 0.01);
  REQUIRE(result);
  CHECK(result.impacts == 3);
  const State<double> after = read(integrator);
  CHECK(std::abs(after.v[0]) < 1e-14);
  CHECK(std::abs(after.v[1] - 1) < 1e-14);
}

TEMPLATE_TEST_CASE("impacts: a step that fails on the way changes nothing", "[integrators][fast]", InJoints, InBodies) {
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    const Model<double> model = ball_on_slide();
    int failures = 0;
    for (int at = 0;; ++at) {
      int calls = 1000;
      auto integrator = TestType::make(model, {mode}, test::AnyContacts(Planes{{{1, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, 0, bouncing(0.5)}}, &calls, at}));
      integrator.reset({VectorXd{{0.01}}, VectorXd{{-2.}}, 0});
      calls = 0;
      const StepResult<double> result = integrator.step({}, 0.01);
      if (result) {
        CHECK(result.impacts == 1);
        break;
      }
      ++failures;
      CHECK(result.status == Status::callback_failed);
      CHECK(integrator.configuration()[0] == 0.01);
      CHECK(read(integrator).v[0] == -2);
      CHECK(integrator.time() == 0);
    }
    CHECK(failures >= 4);
  }
}

TEMPLATE_TEST_CASE("impacts: a four-bar that bounces keeps its loop closed", "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = falling_parallelogram(0.4, 0);
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    auto integrator = TestType::make(model, {mode}, ground(0.7, {{2, {0.5, 0, 0}}, {2, {0.9, 0, 0}}}, 0, -0.19));
    State<double> state = at(model, {-1.2, 1.2, -1.2});
    integrator.reset(state);
    const double before = energy_at(model, state);
    int impacts = 0;
    for (int k = 0; k < 400; ++k) {
      const AllocationCounter allocations;
      const StepResult<double> result = integrator.step({}, 0.0025);
      REQUIRE(allocations.count() == 0);
      REQUIRE(result);
      CHECK_FALSE(result.relaxed);
      impacts += result.impacts;
      CHECK(loop_gap(model, integrator.configuration()) < 1e-12);
      REQUIRE(integrator.read(state) == Status::converged);
      CHECK(energy_at(model, state) < before + 1e-4);  // the error of the free motion
    }
    CHECK(impacts > 0);
  }
}

TEMPLATE_TEST_CASE("impacts: on a limit in a closed loop, free steps before it have no part in its energy", "[integrators][fast]", InJoints,
                   InBodies) {
  const Model<double> model =
      parallelogram(0.5, 1, {0, -1, 0}, {.upper = 0.3, .restitution = 1}, {}).with_gravity({0, 0, -9.81}).with_enforced({.limits = true});
  const Model<double> free = model.with_enforced({});
  const State<double> start = at(model, {0}, {4, -4, 4});
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    for (const double h : {0.004, 0.001}) {
      CAPTURE(static_cast<int>(mode), h);
      double worst[2] = {};
      int impacts = 0;
      for (const bool limited : {false, true}) {
        const Model<double>& used = limited ? model : free;
        auto integrator = TestType::make(used, {mode});
        integrator.reset(start);
        const double before = energy_at(used, start);
        for (int k = 0; k < std::lround(1 / h); ++k) {
          const StepResult<double> result = integrator.step({}, h);
          REQUIRE(result);
          CHECK_FALSE(result.relaxed);  // nothing for the guard to do
          impacts += result.impacts;
          worst[limited] = std::max(worst[limited], std::abs(energy_at(used, read(integrator)) - before));
        }
      }
      CHECK(impacts > 1);
      CHECK(worst[true] < 1.2 * worst[false]);  // of the free motion; the impacts change nothing
    }
  }
}

TEMPLATE_TEST_CASE("impacts: soon after the beginning of a step", "[integrators][fast]", InJoints, InBodies) {
  for (const double gap : {1.1e-10, 1e-9, 1e-8, 1e-6, 1e-4}) {
    CAPTURE(gap);
    // Friction acts on both joints, and the first one begins on its limit.
    const Model<double> model = rods(2, {.friction = 0.1, .upper = 0.5}, {.friction = 0.1, .upper = 0.6, .restitution = 0.5});
    auto integrator = TestType::make(model, {.tolerance = default_tolerance<double>});
    integrator.reset({VectorXd{{0.5, 0.6 - 1.6 * gap}}, VectorXd{{0., 2.}}, 0});
    const StepResult<double> result = integrator.step({}, 0.01);
    CHECK(describe(result.status) == describe(Status::converged));
    CHECK(result.substeps == 1);
    CHECK(result.impacts == 1);
    State<double> state = rest_state(model);
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(state.v[1] < 0);
  }
}

TEST_CASE("impacts: no step of a quadruped that falls fails", "[integrators][long]") {
  const auto file = shared_file("robots/a1.urdf");
  if (!file) ACTIO_SKIP("no collection of robots");
  const Model<double> model = read_urdf(*file, {.base = Base::floating}).model.with_enforced({.contact = true});
  PlaneContacts<double> ground(bouncing(0.6, 0.8));
  ground.add_shapes_of(model, Meshes::leave_out);
  State<double> start = rest_state(model);
  KinematicsData<double> data(model);
  forward_kinematics(model, data, start.q);
  ContactList<double> below(ground.most_points());
  ground.find(data.T_WB, 10, below);
  double gap = 10;
  for (const ContactPoint<double>& point : below.points()) gap = std::min(gap, point.gap);
  VariationalIntegrator integrator(model, {}, ground);
  int impacts = 0, relaxed = 0;
  for (const double height : {0.1, 0.15, 0.2, 0.25, 0.3, 0.35}) {
    State<double> above = start;
    above.q[2] += height - gap;
    integrator.reset(above);
    for (int k = 0; k < 400; ++k) {
      const StepResult<double> result = integrator.step({}, 5e-3);
      CAPTURE(height, k, describe(model, result));
      REQUIRE(result);  // some steps are not solved with impacts
      impacts += result.impacts;
      relaxed += result.relaxed.restitution;
    }
  }
  CAPTURE(impacts, relaxed);
  CHECK(impacts > 500);
  CHECK(relaxed > 0);
  CHECK(relaxed <= 30);  // 9 of 2400
}

TEMPLATE_TEST_CASE("impacts: restitution of 0 and plastic impacts are the same", "[integrators][fast]", InJoints, InBodies) {
  const Model<double> model = rods(2, {}, {.lower = -0.4, .upper = 0.6, .restitution = 0.5});
  ModelProperties<double> properties = model.properties();
  properties.restitution.setZero();
  const Model<double> without = model.with_properties(properties);
  auto plastic = TestType::make(model, {Impacts::plastic}), none = TestType::make(without, {});
  const State<double> start{VectorXd{{1.2, 0.1}}, VectorXd{{0., 2.}}, 0};
  plastic.reset(start);
  none.reset(start);
  for (int k = 0; k < 200; ++k) {
    const StepResult<double> result = plastic.step({}, 0.005);
    REQUIRE(result);
    CHECK(result.impacts == 0);
    REQUIRE(none.step({}, 0.005));
    REQUIRE(plastic.configuration() == none.configuration());
    REQUIRE(read(plastic).v == read(none).v);
  }
}

TEST_CASE("impacts: restitution is refused where it is out of range or not supported", "[integrators][fast]") {
  CHECK(missing(refusal<OptionsError>([] { PlaneContacts<double>{bouncing(1.5)}; }), {"restitution", "1.5", "0 ... 1"}).empty());
  ContactMaterial<double> soft = bouncing(0.5);
  soft.normal = Compliance<double>{1e4, 10};
  CHECK(missing(refusal<OptionsError>([&] { PlaneContacts<double>{soft}; }), {"restitution", "spring"}).empty());
  CHECK(missing(refusal<ModelError>([] { rods(1, {.upper = 1, .restitution = 2}); }), {"restitution", "0 ... 1"}).empty());
  const Model<double> limited = rods(1, {.upper = 1, .restitution = 0.5}), ball = ball_on_slide(), box = free_box(1, {0.2, 0.2, 0.2});
  CHECK(missing(refusal<Unsupported>([&] { CompliantIntegrator{limited}; }), {"compliant", "restitution"}).empty());
  CHECK(missing(refusal<Unsupported>([&] { CompliantIntegrator(ball, {}, ground(0.5, {{1, {0, 0, 0}}})); }), {"compliant", "restitution"})
            .empty());
  // A source that does not tell, in a step.
  const Planes untold{{{1, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, 0, bouncing(0.5)}}};
  CHECK(describe(CompliantIntegrator(box, {}, test::AnyContacts(untold)).step({}, 0.01).status) == describe(Status::callback_failed));
}

}  // namespace impacts_test
