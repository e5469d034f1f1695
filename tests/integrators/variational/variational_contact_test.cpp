// SPDX-License-Identifier: BSD-3-Clause
// Rigid contact in a variational step: rest, friction, impacts, order, energy and momentum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/any_contacts.hpp"
#include "support/bounded_models.hpp"
#include "support/bounded_runs.hpp"
#include "support/contact_models.hpp"

namespace variational_contact_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

template <class I>
void step(I& integrator, double h, int steps = 1) {
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> result = integrator.step({}, h);
    CAPTURE(k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE_FALSE(result.relaxed);
  }
}
/// A state of a free body.  @param p its place.  @param v, w velocities in the world and in the body.
State<double> free_at(const Vector3<double>& p, const Vector3<double>& v = Vector3<double>::Zero(),
                      const Vector3<double>& w = Vector3<double>::Zero(), const Eigen::Quaterniond& Q = Eigen::Quaterniond::Identity()) {
  VectorXd q(7), u(6);
  q << p, Q.w(), Q.x(), Q.y(), Q.z();
  u << v, w;
  return free_state(q, u);
}
const Vector3<double> brick(0.4, 0.3, 0.2);

TEST_CASE("variational contact: a box on an incline sticks and slides at the angle of friction", "[integrators][variational][fast]") {
  const double a = 0.3, g = 9.81;
  const Model<double> model = free_box(2, brick, g * Vector3<double>(std::sin(a), 0, -std::cos(a)));
  for (const double share : {1.0001, 0.9999}) {
    VariationalIntegrator integrator(model, {}, corners(brick, share * std::tan(a)));
    integrator.reset(free_at({0, 0, 0.1}));
    step(integrator, 0.01, 100);
    const double slid = share > 1 ? 0 : g * (std::sin(a) - share * std::tan(a) * std::cos(a)) / 2;
    CAPTURE(share);
    CHECK(std::abs(integrator.configuration()[0] - slid) < 1e-12);
    CHECK(std::abs(read(integrator).v[3] - 2 * slid) < 1e-12);
  }
}

TEST_CASE("variational contact: a box on four corners rests and its contacts carry it", "[integrators][variational][fast]") {
  const Model<double> model = free_box(2, brick);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.5));
  integrator.reset(free_at({0.3, -0.2, 0.1}));
  const VectorXd there = integrator.configuration();
  int iterations = 0;
  for (int k = 0; k < 10000; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    REQUIRE(result);
    if (k > 10) iterations = std::max(iterations, result.iterations);
  }
  CAPTURE(iterations);
  CHECK((integrator.configuration() - there).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(integrator.contacts().size() == 4);
  double normal = 0;
  for (const RowGroup<double>& group : integrator.rows().groups()) normal += integrator.row_forces()[group.first];
  CHECK(std::abs(normal - 2 * 9.81) < 1e-9);
  const VectorXd before = integrator.configuration();
  step(integrator, 0.01, 200);
  CHECK((integrator.configuration() - before).cwiseAbs().maxCoeff() < 1e-14);
}

Model<double> stack(int n, double gap = 0) {
  ModelBuilder<double> builder("stack");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < n; ++k) {
    const std::string name = "box" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(1, brick));
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(0, 0, 0.1 + (0.2 + gap) * k), Free<double>());
  }
  return builder.build();
}
ContactSources<PlaneContacts<double>, BodyContacts<double>> piled(int n, double friction) {
  PlaneContacts<double> ground = corners(brick, friction, 1);
  BodyContacts<double> pairs(rigid(friction));
  for (int k = 0; k < n; ++k) pairs.add(k + 1, Pose<double>::identity(), Box<double>{brick});
  return ContactSources(ground, pairs);
}

TEST_CASE("variational contact: a stack of boxes does not move", "[integrators][variational][fast]") {
  const Model<double> model = stack(4);
  VariationalIntegrator integrator(model, {.tie_capacity = 40}, piled(4, 0.6));
  const VectorXd there = integrator.configuration();
  step(integrator, 0.01, 50);
  const VectorXd settled = integrator.configuration();
  CHECK((settled - there).cwiseAbs().maxCoeff() < 1e-12);
  step(integrator, 0.01, 200);
  CHECK((integrator.configuration() - settled).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("variational contact: at rest a step takes over the forces and the matrix of the last one", "[integrators][variational][fast]") {
  const Model<double> model = stack(4);
  for (const double h : {0.001, 0.01}) {
    VariationalIntegrator integrator(model, {.tie_capacity = 40}, piled(4, 0.6));
    step(integrator, h, 20);
    constexpr int steps = 500;
    int factorizations = 0, evaluations = 0;
    for (int k = 0; k < steps; ++k) {
      const StepResult<double> result = integrator.step({}, h);
      REQUIRE(result);
      factorizations += result.factorizations;
      evaluations += result.evaluations;
    }
    CAPTURE(h, factorizations, evaluations);
    CHECK(factorizations <= steps / 10);  // else several in each step
    CHECK(evaluations <= steps + steps / 10);
  }
}

TEST_CASE("variational contact: after a reset steps are those of a new integrator", "[integrators][variational][fast]") {
  const Model<double> model = stack(4);
  const State<double> start = rest_state(model);
  VariationalIntegrator integrator(model, {.tie_capacity = 40}, piled(4, 0.6)), fresh = integrator;
  step(integrator, 0.01, 30);
  integrator.reset(start);
  fresh.reset(start);
  for (int k = 0; k < 30; ++k) {
    const StepResult<double> one = integrator.step({}, 0.01), other = fresh.step({}, 0.01);
    CAPTURE(k);
    REQUIRE(one.factorizations == other.factorizations);
    REQUIRE(integrator.configuration() == fresh.configuration());
  }
}

TEST_CASE("variational contact: a sphere that rolls loses nothing", "[integrators][variational][fast]") {
  const double r = 0.1, v = 1;
  const Model<double> model = free_body(1, Vector3<double>::Constant(0.4 * r * r));
  VariationalIntegrator integrator(model, {.tolerance = 0},  // what a step leaves unsolved adds up: 2e-10 of the energy at the default
                                   PlaneContacts<double>(rigid(0.3)).add(1, Pose<double>::identity(), Sphere<double>{r}));
  const State<double> start = free_at({0, 0, r}, {v, 0, 0}, {0, v / r, 0});
  integrator.reset(start);
  const double energy = energy_at(model, start);
  step(integrator, 0.01, 2000);
  const State<double> end = read(integrator);
  CHECK(std::abs(energy_at(model, end) / energy - 1) < 1e-12);
  CHECK(std::abs(end.q[0] - 20 * v) < 1e-11);
}

/// Returns the least order of the differences of q and v between steps h and h/2.
template <class MakeEnd>
double least_order(MakeEnd&& end_at, double h, int halvings) {
  std::vector<State<double>> ends;
  for (int k = 0; k <= halvings; ++k, h /= 2) ends.push_back(end_at(h));
  std::vector<double> q, v;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    q.push_back(std::log2((ends[k].q - ends[k + 1].q).norm()));
    v.push_back(std::log2((ends[k].v - ends[k + 1].v).norm()));
  }
  const auto slope = [](const std::vector<double>& y) {
    const auto n = static_cast<double>(y.size());
    double sum = 0;
    for (std::size_t k = 0; k < y.size(); ++k) sum += (static_cast<double>(k) - (n - 1) / 2) * y[k];
    return -12 * sum / (n * (n * n - 1));
  };
  CAPTURE(q, v);
  return std::min(slope(q), slope(v));
}

TEST_CASE("variational contact: turning slip, a bowl with friction and a coin are of order 2", "[integrators][variational][fast]") {
  const auto run = [](auto integrator, const State<double>& start, double h, double time) {
    integrator.reset(start);
    step(integrator, h, static_cast<int>(std::lround(time / h)));
    return read(integrator);
  };
  const Model<double> particle = point_mass(1, 4, 9), heavy = point_mass(1);
  const State<double> on_plane{VectorXd{{1, 0, 0}}, VectorXd{{0, 3, 0}}, 0}, in_bowl{VectorXd{{-1, 0, 0.5}}, VectorXd{{1.5, 0, -1.5}}, 0};
  CHECK(least_order([&](double h) {
    return run(VariationalIntegrator(particle, {.tolerance = 0}, points({{3, {0, 0, 0}}}, 0.15)), on_plane, h, 0.8);
  }, 0.02, 4) > 1.9);
  CHECK(least_order([&](double h) {
    return run(VariationalIntegrator(heavy, {.tolerance = 0}, AnyContacts(BowlContacts{3, rigid(0.3)})), in_bowl, h, 0.7);
  }, 0.02, 4) > 1.9);
  const Model<double> coin = free_body(0.5, 0.5 * 0.01 * Vector3<double>(0.25, 0.25, 0.5));
  const Eigen::Quaterniond Q(0.8334921542248165, 0.552531292186854, 0, 0);
  const double height = 0.1 * (Q * Vector3<double>::UnitZ()).head<2>().norm();
  for (const double friction : {5., 0., 0.1}) {  // it rolls, slips without friction, and slides
    CAPTURE(friction);
    CHECK(least_order([&](double h) {
      return run(VariationalIntegrator(coin, {.tolerance = 0}, AnyContacts(RimContacts{1, 0.1, rigid(friction)})),
                 free_at({0, 0, height}, {-0.8, 0, 0}, {0, 1, 8}, Q), h, 0.2);
    }, 0.005, 4) > 1.9);
  }
}

TEST_CASE("variational contact: a box that tumbles never gains energy, and stays above the ground", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  for (const double friction : {0., 0.3, 0.8}) {
    VariationalIntegrator integrator(model, {}, corners(brick, friction));
    const Eigen::Quaterniond Q = Eigen::Quaterniond(0.8, 0.4, 0.3, 0.2).normalized();
    State<double> state = free_at({0, 0, 0.45}, {0.4, -0.2, 0}, {1, 2, 0.5}, Q);
    integrator.reset(state);
    double energy = energy_at(model, state), lowest = 1, rise = -1;
    double pushed = 0, spun = 0, spin = 0;
    PlaneContacts<double> ground = corners(brick, 0);
    ContactList<double> found(8);
    for (int k = 0; k < 200; ++k) {
      step(integrator, 0.01);
      state = read(integrator);
      const double now = energy_at(model, state);
      rise = std::max(rise, now - std::exchange(energy, now));
      const Vector3<double> v = free_v(state).head(3);
      pushed = std::max(pushed, (v.head<2>() - Vector2<double>(0.4, -0.2)).norm());
      found.clear();
      BodyArray<Pose<double>> T_WB(2, Pose<double>::identity());
      T_WB[1] = {Eigen::Quaterniond(state.q[6], state.q[3], state.q[4], state.q[5]).toRotationMatrix(), state.q.head(3)};
      ground.find(T_WB, 10, found);
      for (const ContactPoint<double>& point : found.points()) lowest = std::min(lowest, point.gap);
      const auto spin_of = [&] { return T_WB[1].R.row(2).dot(model.inertia(1).I_com * state.v.head(3)); };
      if (k == 0) spin = spin_of();
      spun = std::max(spun, std::abs(spin_of() - spin));
    }
    CAPTURE(friction, rise, lowest, pushed, spun);
    CHECK(lowest > -1e-12);
    CHECK(rise < 1e-4);  // of the free motion: h^3
    if (friction == 0) CHECK(std::max(pushed, spun) < 1e-13);
    if (friction > 0) CHECK(read(integrator).v.norm() < 1e-9);
  }
}

TEST_CASE("variational contact: a ball lands plastically and stays", "[integrators][variational][fast]") {
  const double r = 0.1;
  const Model<double> model = free_body(2, Vector3<double>::Constant(0.4 * 2 * r * r));
  VariationalIntegrator integrator(model, {.tolerance = 0},  // at the default the free flight is exact to 6e-12
                                   PlaneContacts<double>(rigid(0)).add(1, Pose<double>::identity(), Sphere<double>{r}));
  integrator.reset(free_at({0, 0, 1 + r}, {0.5, 0, 0}));
  step(integrator, 0.01, 45);
  CHECK(std::abs(integrator.configuration()[2] - (1 + r - 9.81 / 2 * 0.45 * 0.45)) < 1e-13);
  step(integrator, 0.01, 2);  // it meets the ground at 0.4515 s
  CHECK(std::abs(integrator.configuration()[2] - r) < 1e-13);
  step(integrator, 0.01, 53);
  const State<double> end = read(integrator);
  CHECK(std::abs(end.q[2] - r) < 1e-13);
  CHECK(std::abs(end.q[0] - 0.5) < 1e-12);
  CHECK(std::abs(end.v[5]) < 1e-13);
}

TEST_CASE("variational contact: a box that begins in the ground returns slowly and is not thrown", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.5));
  integrator.reset(free_at({0, 0, 0.08}));
  double highest = 0, before = 0.08;
  for (int k = 0; k < 100; ++k) {
    step(integrator, 0.01);
    const double z = integrator.configuration()[2];
    highest = std::max(highest, z);
    CHECK(z - before < integrator.options().recovery * 0.01 + 1e-12);
    before = z;
  }
  CHECK(highest < 0.1001);
  CHECK(std::abs(integrator.configuration()[2] - 0.1) < 1e-12);
}

TEST_CASE("variational contact: two bodies that meet keep momentum and angular momentum", "[integrators][variational][fast]") {
  ModelBuilder<double> builder("pair");
  builder.gravity({0, 0, 0});
  for (const char* name : {"one", "other"}) {
    builder.add_body(name, Inertia<double>::box(name[1] == 'n' ? 1 : 2, {0.2, 0.2, 0.2}));
    builder.add_joint(std::string("free ") + name, "world", name, Pose<double>::identity(), Free<double>());
  }
  const Model<double> model = builder.build();
  BodyContacts<double> pair(rigid(0.4));
  pair.add(1, Pose<double>::identity(), Sphere<double>{0.1}).add(2, Pose<double>::identity(), Sphere<double>{0.15});
  VariationalIntegrator integrator(model, {.tolerance = 0}, pair);  // at the default angular momentum is kept to 9e-12
  State<double> state = rest_state(model);
  state.q.segment(7, 3) << 0.4, 0.05, 0.02;
  state.v.segment(6, 6) << 0.3, 0.5, -1, -1.5, 0, 0.1;
  state.v.head(3) << 2, 1, 0;
  integrator.reset(state);
  const auto momenta = [&](const State<double>& at) {
    Vector6<double> sum = Vector6<double>::Zero();
    for (BodyIndex i = 1; i < 3; ++i) {
      const Eigen::Index q = model.q_index(i), v = model.v_index(i);
      const Eigen::Quaterniond Q(at.q[q + 6], at.q[q + 3], at.q[q + 4], at.q[q + 5]);
      const Vector3<double> p = model.inertia(i).mass * (Q * Vector3<double>(at.v.segment(v + 3, 3)));
      sum.tail<3>() += p;
      sum.head<3>() += Q * Vector3<double>(model.inertia(i).I_com * at.v.segment(v, 3)) + Vector3<double>(at.q.segment(q, 3)).cross(p);
    }
    return sum;
  };
  const Vector6<double> before = momenta(state);
  const double energy = energy_at(model, state);
  step(integrator, 0.01, 60);
  state = read(integrator);
  CHECK(energy_at(model, state) < 0.9 * energy);
  CHECK((momenta(state) - before).tail<3>().norm() < 1e-13);
  CHECK((momenta(state) - before).head<3>().norm() < 1e-13);
}

TEST_CASE("variational contact: a linkage with a limit and friction falls on the ground", "[integrators][variational][fast]") {
  const Model<double> model = falling_parallelogram(0.4, 0.05);
  VariationalIntegrator integrator(model, {}, points({{2, {0.5, 0, 0}}, {2, {0.9, 0, 0}}}, 0.5, -0.19));
  State<double> start = rest_state(model);
  start.q << -1.2, 1.2, -1.2;
  integrator.reset(start);
  double open = 0;
  for (int k = 0; k < 200; ++k) {
    step(integrator, 0.005);
    open = std::max(open, loop_gap(model, integrator.configuration()));
  }
  CHECK(open < 1e-12);
  CHECK(read(integrator).v.norm() < 1e-9);
  CHECK(integrator.contacts().size() > 0);
}

TEST_CASE("variational contact: what friction takes is dissipated", "[integrators][variational][fast]") {
  const Model<double> model = free_box(2, brick);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.3));
  integrator.reset(free_at({0, 0, 0.1}, {1, 0, 0}));
  Diagnostics diagnostics(model);
  REQUIRE(simulate(integrator, 0.01, Seconds{1}, diagnostics));
  CHECK(std::abs(diagnostics.now().dissipated - 1) < 1e-12);  // m v0^2 / 2
}

}  // namespace variational_contact_test
