// SPDX-License-Identifier: BSD-3-Clause
// Springs, dampers and ropes between points, and constant forces, in every integrator.
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/composition.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"
#include "support/point_forces.hpp"
#include "support/refusal.hpp"

namespace point_springs_test {

using namespace actio;
using Eigen::VectorXd;
using Variational = VariationalIntegrator<Model<double>>;

/// Goes to the time T in steps of h.
template <class I>
State<double> at_end(I integrator, const State<double>& x, double T, double h) {
  integrator.reset(x);
  for (int k = 0; k < std::lround(T / h); ++k) {
    const StepResult<double> result = integrator.step({}, h);
    INFO(describe(integrator.model(), result));
    REQUIRE(result);
  }
  State<double> end = x;
  REQUIRE(integrator.read(end) == Status::converged);
  return end;
}

/// Calls f(integrator, order of its error) for one of each scheme that takes the model.
template <class F>
void for_each_scheme(const Model<double>& model, F&& f) {
  f(SemiImplicitEuler(model), 1);
  f(RungeKutta<Model<double>, Heun>(model), 2);
  f(RungeKutta<Model<double>>(model), 4);
  f(SequentialRegularization(model), 2);
  f(CompliantIntegrator(model), 1);
  f(Variational(model, {.tolerance = 1e-13}), 2);
  f(MaximalIntegrator(model, {.tolerance = 1e-13}), 2);
}

/// A mass m that slides along x on a spring to the world, with a damper.
Model<double> slider(double m, const PointSpring<double>& spring, double force = 0) {
  ModelBuilder<double> builder("slider");
  builder.add_body("mass", Inertia<double>::box(m, {0.1, 0.1, 0.1}));
  builder.add_joint("x", "world", "mass", Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitX()), {.force = force});
  builder.add_spring(spring, "world", "mass");
  return builder.build();
}

TEST_CASE("springs between points: a damped oscillator under a constant force, in every scheme", "[integrators][point_forces][fast]") {
  const double m = 2, k = 50, c = 1.5, length = 2.4, force = 3;
  const Model<double> model = slider(m, {.name = "s", .point_a = {-3, 0, 0}, .stiffness = k, .damping = c, .length = length}, force);
  const double rest = length - 3 + force / k, x0 = 0.3, v0 = -0.5, T = 1;
  const double decay = c / (2 * m), omega = std::sqrt(k / m - decay * decay);
  const double amplitude = (v0 + decay * (x0 - rest)) / omega;
  const double expected = rest + std::exp(-decay * T) * ((x0 - rest) * std::cos(omega * T) + amplitude * std::sin(omega * T));
  State<double> x = rest_state(model);
  x.q[0] = x0;
  x.v[0] = v0;
  for_each_scheme(model, [&]<class I>(const I& integrator, int order) {
    const double coarse = std::abs(at_end(integrator, x, T, 0.01).q[0] - expected), fine = std::abs(at_end(integrator, x, T, 0.005).q[0] - expected);
    CAPTURE(order, coarse, fine);
    CHECK(coarse < (order == 1 ? 5e-2 : order == 2 ? 2e-3 : 1e-6));
    CHECK(std::abs(coarse / fine / std::pow(2, order) - 1) < 0.3);
  });
}

TEST_CASE("springs between points: a mass on a rope moves freely while it is slack", "[integrators][point_forces][fast]") {
  const Model<double> model = slider(1, {.name = "rope", .stiffness = 1e4, .length = 0.5, .tension_only = true});
  State<double> x = rest_state(model);
  x.v[0] = 1;
  // It is free up to 0.5 m, half a period on the spring, and free again to -0.5 m.
  const double half_period = 3.14159265358979323846 / 100, T = 0.5 + half_period + 0.75;
  for_each_scheme(model, [&]<class I>(const I& integrator, int order) {
    const State<double> end = at_end(integrator, x, T, T / 4096);
    CAPTURE(order);
    CHECK(std::abs(end.q[0] + 0.25) < (order == 1 ? 1e-1 : 1e-4));
    CHECK(std::abs(end.v[0] + 1) < (order == 1 ? 1e-1 : 1e-4));
  });
}

TEST_CASE("springs between points: schemes converge to one motion, and conserve energy", "[integrators][point_forces][fast]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model<double> model = test::with_point_forces(models::random_tree(seed, 4), seed, {.ropes = false});
    const State<double> x{models::random_configuration(model, seed), models::random_velocity(model, seed + 1), 0};
    const double T = 0.25;
    const VectorXd expected = at_end(RungeKutta<Model<double>>(model), x, T, 1e-4).v;
    CAPTURE(seed);
    for_each_scheme(model, [&]<class I>(const I& integrator, int order) {
      const double coarse = (at_end(integrator, x, T, 1e-3).v - expected).norm(), fine = (at_end(integrator, x, T, 5e-4).v - expected).norm();
      CAPTURE(order, coarse, fine);
      CHECK(fine < (order == 1 ? 1e-1 : 1e-2) * expected.norm());
      CHECK(coarse > 0.7 * std::pow(2, order) * fine);
    });
    const VectorXd sixth = at_end(Composition<Variational, 6>(Variational(model, {.tolerance = 0})), x, T, 2.5e-3).v;
    CHECK((sixth - expected).norm() < 1e-6 * expected.norm());
  }
}

TEST_CASE("springs between points: a step and a step back", "[integrators][point_forces][fast]") {
  const Model<double> model = test::with_point_forces(models::random_tree(3, 5), 3);
  const State<double> x{models::random_configuration(model, 3), models::random_velocity(model, 4), 0};
  const auto check = [&](auto integrator) {
    integrator.reset(x);
    for (int k = 0; k < 20; ++k) REQUIRE(integrator.step({}, 2e-3));
    for (int k = 0; k < 20; ++k) REQUIRE(integrator.step({}, -2e-3));
    CHECK((model.difference(x.q, integrator.configuration())).norm() < 1e-10);
  };
  check(Variational(model, {.tolerance = 0}));
  check(MaximalIntegrator(model, {.tolerance = 0}));
}

TEST_CASE("springs between points: energy with what dampers take remains", "[integrators][point_forces][fast]") {
  for (const double k : {40.0, 4e4}) {  // a step resolves it, or does not
    const Model<double> model = test::with_point_forces(models::random_tree(2, 4), 2, {.springs = 2, .least = k, .most = 2 * k, .damping = 5});
    const State<double> x{models::random_configuration(model, 2), models::random_velocity(model, 3), 0};
    for_each_scheme(model, [&]<class I>(const I& scheme, int order) {
      if (k > 1e3 && !std::same_as<I, Variational>) return;
      const auto off = [&](double h) {
        I integrator = scheme;
        integrator.reset(x);
        Diagnostics watch(model);
        REQUIRE(simulate(integrator, h, Seconds{0.2}, watch));
        return std::abs(watch.now().balance);  // of energy with what dampers took
      };
      const double coarse = off(1e-3), fine = off(5e-4);
      CAPTURE(k, order, coarse, fine);
      CHECK(fine < 0.7 * coarse + 1e-9);
    });
  }
}

TEST_CASE("springs between points: stiff springs and dampers are stable in long steps", "[integrators][point_forces][fast]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model<double> tree = models::random_tree(seed, 4);
    const State<double> x{models::random_configuration(tree, seed), VectorXd::Zero(tree.nv()), 0};
    const Model<double> soft = test::with_point_forces(tree, seed, {.springs = 3, .forces = 0});
    KinematicsData<double> data(tree);
    forward_kinematics(tree, data, x.q);
    std::vector<PointSpring<double>> springs = soft.springs();
    for (std::size_t k = 0; k < springs.size(); ++k) {  // from rest at their lengths
      springs[k].stiffness = k == 0 ? 1e9 : 1e5;
      springs[k].damping = k == 1 ? 1e4 : 0;
      springs[k].length = detail::SpringLine<double>(springs[k], data.T_WB[springs[k].body_a], data.T_WB[springs[k].body_b]).length;
    }
    const Model<double> model = tree.with_springs(springs);
    const double start = energy(model, data, x.q, x.v).total();
    CAPTURE(seed);
    const auto check = [&](const auto& integrator) {
      const State<double> end = at_end(integrator, x, 1, 0.01);
      const Energy<double> left = energy(model, data, end.q, end.v);
      CHECK(left.total() < start + 0.1 * std::abs(left.potential - start) + 1e-6);
      for (const PointSpring<double>& spring : springs) {
        const detail::SpringLine<double> line(spring, data.T_WB[spring.body_a], data.T_WB[spring.body_b]);
        if (spring.stiffness > 1e8) CHECK(line.stretch(spring) < 1e-4);
      }
    };
    check(Variational(model));
    check(MaximalIntegrator(model));
    check(CompliantIntegrator(model));
  }
}

TEST_CASE("springs between points: joint and maximal coordinates take the same steps", "[integrators][point_forces][fast]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model<double> model = test::with_point_forces(models::random_tree(seed, 4), seed, {.springs = 3, .least = 1e2, .most = 1e5, .damping = 10});
    const State<double> x{models::random_configuration(model, seed), models::random_velocity(model, seed), 0};
    const State<double> joint = at_end(VariationalIntegrator<Model<double>, Drnea<Quat>>(model, {.tolerance = 1e-13}), x, 0.02, 1e-3);
    const State<double> maximal = at_end(MaximalIntegrator(model, {.tolerance = 1e-13}), x, 0.02, 1e-3);
    CAPTURE(seed);
    CHECK((joint.v - maximal.v).norm() < 1e-8 * (1 + joint.v.norm()));
  }
}

TEST_CASE("springs between points: what cannot be taken is refused", "[integrators][point_forces][fast]") {
  const Model<double> damped = slider(1, {.name = "s", .stiffness = 10, .damping = 1});
  const auto parts = {std::string_view("composition"), std::string_view("the damper of spring 's'")};
  CHECK(test::missing(test::refusal<ModelError>([&] { Composition<Variational>{Variational(damped)}; }), parts) == "");
  const std::string why = test::refusal<ModelError>([&] { VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost>{damped}; });
  CHECK(why.find("the damper of spring 's'") != std::string::npos);
}

}  // namespace point_springs_test
