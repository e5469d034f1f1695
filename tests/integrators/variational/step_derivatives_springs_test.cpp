// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step with springs of limits, loops, couplings and between points, and with servos: against differences, and its transpose.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "support/bounded_point.hpp"
#include "support/closed_step_point.hpp"
#include "support/point_forces.hpp"
#include "support/step_products.hpp"

namespace step_derivatives_springs_test {

using namespace actio;
using Eigen::VectorXd;
using test::StepPoint;

/// How often each piece was compared.
struct Counts {
  int steps = 0, sharp = 0;  // sharp: where the transpose was compared to 1e-11
  int closed = 0, open = 0, within = 0, at_limit = 0;  // limits, servos
  double worst = 0;
  void add(std::span<const HeldPiece> pieces, double error) {
    ++steps;
    worst = std::max(worst, error);
    for (const HeldPiece& piece : pieces) {
      if (piece.side != 0) ++(piece.in_position ? closed : open);
      if (piece.servo >= 0) ++(piece.in_position ? within : at_limit);
    }
  }
};

/// Returns the smallest (1 - g)/g of the springs that act.
template <class Problem>
double least_rho(const Problem& problem, const VectorXd& q, const VectorXd& q1, double h) {
  double least = std::numeric_limits<double>::infinity();
  const auto see = [&](const auto& spring) { least = std::min(least, spring.of_momentum(1, h) / h); };
  for (Eigen::Index k = 0; k < problem.num_closures(); ++k) {
    if (const auto* spring = problem.closure_spring(k); spring && spring->acts) see(*spring);
  }
  for (std::size_t k = 0; problem.point_springs().any() && k < problem.point_springs().size(); ++k) {
    const auto& one = problem.point_springs()[k];
    if (one.is_row && one.law.acts) see(one.law);
  }
  for (const auto& bound : problem.bounds()) {
    if (bound.spring.is_soft() && bound.spring.acts && std::min(bound.gap(q), bound.gap(q1)) < 0) see(bound.spring);
  }
  return least;
}

/// Returns which springs between points have a force at the beginning of the last step, and at its end.
template <class Integrator>
std::vector<char> taut_ends(const Integrator& integrator) {
  const auto& cones = integrator.last_bounds().cones();
  std::vector<char> taut;
  for (std::size_t k = 0; integrator.last_bounds().act() && k < cones.problem().point_springs().size(); ++k) {
    const Eigen::Index slot = cones.problem().first_spring() + static_cast<Eigen::Index>(k);
    const double at_end = integrator.last_step().h * cones.problem().forces[slot];
    taut.push_back(at_end != 0);
    taut.push_back(cones.impulses()[slot] != at_end);
  }
  return taut;
}

/// Compares the derivative at a point, if all steps that the difference takes have the same pieces.
template <class Kind>
void compare(const Model<double>& model, const StepPoint& at, const Compliance<double>& limit, const Compliance<double>& closure,
             Counts& counts) {
  constexpr double e = 5e-6;  // interval of the differences
  test::StepMap<double, Kind, Model<double>, Automatic> step(model, at.springs, {}, limit, closure);
  StepDerivatives derivatives(step.integrator()), around(step.integrator());
  step(at, 0);
  const VectorXd q1 = step.q();
  test::StepProducts products(model);
  REQUIRE(describe(products.linearize(derivatives, step.integrator(), step.input, at)) == describe(Status::converged));
  // Where a joint or a loop is held twice and one of the rows has a stiff spring, they differ by rho only. The errors of their impulses are
  // rounding over rho, or over the share from which on one of them is dropped.
  const auto& problem = step.integrator().last_bounds().cones().problem();
  const std::vector<char> taut = taut_ends(step.integrator());
  const double of_rows = std::min(epsilon<double> / least_rho(problem, at.q, q1, at.h), std::sqrt(epsilon<double>));
  const double allowed = (1e-12 + 4 * of_rows) * (1 + std::hypot(at.dq.norm(), at.dp.norm()) / products.out.norm());
  CHECK(products.adjoint_error(at) < allowed);
  CHECK(products.matrix_error(at) < 10 * allowed);
  counts.sharp += allowed < 1e-11;
  if (test::is_at_edge(problem, at.q, q1, e)) return;
  const auto expected = test::difference(model, step, q1, e, [&](double t) {
    step(at, t);
    REQUIRE(around.linearize(step.integrator(), step.input) == Status::converged);
    return std::ranges::equal(around.pieces(), derivatives.pieces()) && taut_ends(step.integrator()) == taut;
  });
  if (!expected) return;
  const double error = (products.out - *expected).norm() / expected->norm();
  counts.add(derivatives.pieces(), error);
  CHECK(error < 1e-7);
}

/// Returns a spring that a step resolves or does not, with a damper or without.
Compliance<double> random_spring(models::Random& random) {
  return {std::pow(10, random.uniform(1, 7)), random.happens(0.5) ? std::pow(10, random.uniform(-1, 2)) : 0};
}

TEMPLATE_TEST_CASE("step derivatives: springs of limits on joints of all types", "[integrators][variational][step_derivatives][long]", Split,
                   Quat) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    models::Random random(seed);
    const Model<double> tree = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    StepPoint at(tree, seed, 0.01);
    const Model<double> model = test::bounded(tree, at, seed, 300, true);
    CAPTURE(seed);
    compare<TestType>(model, at, random_spring(random), {}, counts);
  }
  CAPTURE(counts.steps, counts.sharp, counts.worst, counts.closed, counts.open);
  CHECK(counts.steps > 20);
  CHECK(counts.sharp > 10);
  CHECK(counts.closed > 20);
}

TEST_CASE("step derivatives: springs of loops and couplings, with limits and friction", "[integrators][variational][step_derivatives][long]") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    models::Random random(seed);
    const test::Tangled tangled = test::tangled_tree(seed, 6, 1, seed % 4 == 0 ? 2 : 1, {.damping = true, .springs = true});
    StepPoint at = test::closed_point(tangled.model, tangled.q, seed, 5e-3);
    at.q = tangled.model.integrate(at.q, 1e-3 * models::random_velocity(tangled.model, seed + 7));
    at.dq = models::random_velocity(tangled.model, seed + 9);
    at.closes = false;
    const Compliance<double> closure = random_spring(random), limit = seed % 2 == 0 ? random_spring(random) : Compliance<double>{};
    const Model<double> model = seed % 3 == 0 ? tangled.model : test::bounded(tangled.model, at, seed, 50, seed % 2 == 0);
    CAPTURE(seed, closure.stiffness, closure.damping, limit.stiffness, limit.damping);
    compare<Split>(model, at, limit, closure, counts);
  }
  CAPTURE(counts.steps, counts.sharp, counts.worst, counts.closed, counts.open);
  CHECK(counts.steps > 30);
  CHECK(counts.sharp > 15);
  CHECK(counts.closed > 10);
}

TEST_CASE("step derivatives: springs, dampers and ropes between points, with loops, limits and friction",
          "[integrators][variational][step_derivatives][long]") {
  Counts counts;
  int rows = 0, nodal = 0, slack = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (seed == 40 || seed == 59) continue;  // stiff springs: the step itself has rounding errors of 1e-11, which shorter differences enlarge
    models::Random random(seed);
    const bool loops = seed % 2 == 0;
    const test::Tangled tangled = loops ? test::tangled_tree(seed, 6, 1, 1, {.damping = true, .springs = true})
                                        : test::Tangled{models::random_tree(seed, 5, {.damping = true}), {}};
    StepPoint at = loops ? test::closed_point(tangled.model, tangled.q, seed, 5e-3) : StepPoint(tangled.model, seed, 5e-3);
    Model<double> model = test::with_point_forces(tangled.model, seed, {.springs = 4});
    std::vector<PointSpring<double>> springs = model.springs();
    KinematicsData<double> data(model);
    forward_kinematics(model, data, at.q);
    for (PointSpring<double>& spring : springs) {
      const auto [stiffness, damping] = random_spring(random);
      spring.stiffness = random.happens(0.3) ? 10 : stiffness;
      spring.damping = random.happens(0.5) ? damping : 0;
      const auto line = detail::SpringLine<double>(spring, data.T_WB[spring.body_a], data.T_WB[spring.body_b]);
      spring.length = std::max(0.05, line.length + random.uniform(-20, 20) / spring.stiffness);
    }
    model = model.with_springs(springs);
    if (seed % 3 == 0) model = test::bounded(model, at, seed, 50, !loops);
    CAPTURE(seed);
    const int steps = counts.steps;
    compare<Split>(model, at, {}, {}, counts);
    if (counts.steps == steps) continue;
    detail::AppliedForces<Model<double>> applied(model);
    TreePose<double> tree(model);
    place(model, tree, at.q);
    applied.begin(tree, at.h);
    for (std::size_t k = 0; k < springs.size(); ++k) {
      ++(applied.is_stiff(k) ? rows : nodal);
      const auto row = detail::spring_row(springs[k], data.T_WB[springs[k].body_a], data.T_WB[springs[k].body_b]);
      slack += applied.is_stiff(k) && springs[k].tension_only && row.value > 0;
    }
  }
  CAPTURE(counts.steps, counts.sharp, counts.worst, rows, nodal, slack);
  CHECK(counts.steps > 30);
  CHECK(counts.sharp > 15);
  CHECK(std::min({rows, nodal, 10 * slack}) > 20);
}

TEST_CASE("step derivatives: servos on joints of all types, with limits, friction and loops", "[integrators][variational][step_derivatives][long]") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (seed == 56) continue;  // its rows nearly depend on each other: the step itself has rounding errors of 1e-11
    models::Random random(seed);
    const bool loops = seed % 2 == 0, bounds = seed % 3 != 0;
    const test::Tangled tangled = loops ? test::tangled_tree(seed, 6, 1, 1, {.damping = true, .springs = true})
                                        : test::Tangled{models::random_tree(seed, 5, {.damping = true}), {}};
    StepPoint at = loops ? test::closed_point(tangled.model, tangled.q, seed, 5e-3) : StepPoint(tangled.model, seed, 5e-3);
    std::vector<Servo<double>> servos;
    for (BodyIndex i = 1; i < tangled.model.num_bodies(); ++i) {
      visit_joint(tangled.model, i, [&]<JointType J>(const J&) {
        for (Eigen::Index entry = 0; entry < J::nv; ++entry) {
          const double stiffness = joints::is_flat<J>() ? random.uniform(0, 50) : 0;
          servos.push_back({i, entry, stiffness, random.uniform(0.1, 1), random.uniform(-1, 1), random.happens(0.3) ? 0.1 : 1e3});
        }
      });
    }
    const Model<double> driven = tangled.model.with_servos(servos);
    const Model<double> model = bounds ? test::bounded(driven, at, seed, 50, !loops) : driven;
    CAPTURE(seed);
    compare<Split>(model, at, {}, {}, counts);
  }
  CAPTURE(counts.steps, counts.sharp, counts.worst, counts.closed, counts.within, counts.at_limit);
  CHECK(counts.steps > 30);
  CHECK(counts.sharp > 15);
  CHECK(std::min(counts.within, counts.at_limit) > 20);
}

TEST_CASE("step derivatives: a servo that its step does not resolve has none", "[integrators][variational][step_derivatives][long]") {
  const Model<double> model = test::rods(1, {}).with_servos({{1, 0, 1e6, 1e3, 0.1, 1e9}});
  VariationalIntegrator integrator(model);
  StepDerivatives derivatives(integrator);
  integrator.reset(rest_state(model));
  REQUIRE(integrator.step({}, 0.01));
  CHECK(derivatives.linearize(integrator) == Status::invalid_step);
  REQUIRE(integrator.step({}, 1e-6));
  CHECK(derivatives.linearize(integrator) == Status::converged);
  REQUIRE(derivatives.pieces().size() == 1);
  CHECK(derivatives.pieces()[0] == HeldPiece{1, 0, 0, true, true, 0});
}

}  // namespace step_derivatives_springs_test
