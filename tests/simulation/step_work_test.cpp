// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/step_work.hpp"

#include <cmath>

#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"
#include "support/forced_run.hpp"

namespace step_work_test {

using namespace actio;
using Eigen::VectorXd;
using V3 = Vector3<double>;
using V6 = Vector6<double>;

/// A box on one joint, and the input that moves it.
template <class J>
Model<double> box_on(const J& joint, const JointProperties<double>& properties = {}) {
  ModelBuilder<double> builder("box");
  builder.gravity(V3::Zero()).add_body("box", Inertia<double>::box(2, V3(0.1, 0.2, 0.3)));
  builder.add_joint("joint", "world", "box", Pose<double>::identity(), joint, properties);
  return builder.build();
}

TEST_CASE("step work: Simpson's rule is exact for a cubic motion under a linear torque", "[simulation][fast]") {
  const Model<double> model = box_on(Revolute<double>(V3::UnitZ()), {.damping = 0.7});
  const auto at = [](double t) { return State<double>{VectorXd::Constant(1, t * t * t - t), VectorXd::Constant(1, 3 * t * t - 1), t}; };
  Input<double> input(VectorXd::Constant(1, 2.0));
  input.tau_end = VectorXd::Constant(1, 5.0);
  const double h = 0.5;  // tau = 2 + 6 t
  detail::StepWork<double> work(model);
  work.begin(at(0));
  const detail::Work<double> fourth = work.to<4>(model, at(h), input, h);
  CHECK(fourth.input == Approx(2 * (h * h * h - h) + 6 * (3 * std::pow(h, 4) / 4 - h * h / 2)).epsilon(1e-14));
  const detail::Work<double> second = work.to<2>(model, at(h), input, h), first = work.to<1>(model, at(h), input, h);
  CHECK(second.input == Approx(3.5 * (h * h * h - h)));
  CHECK(first.input == Approx(2 * (h * h * h - h)));
  CHECK(second.dissipated == Approx(0.7 * (h * h * h - h) * (-1 + 3 * h * h - 1) / 2));
  // the error for d (3 t^2 - 1)^2, which is of fourth degree, is h^5 f'''' / 2880
  const double exact = 0.7 * (9 * std::pow(h, 5) / 5 - 2 * h * h * h + h);
  CHECK(fourth.dissipated == Approx(exact + std::pow(h, 5) / 2880 * 0.7 * 9 * 24).epsilon(1e-13));
}

TEST_CASE("step work: the work of a body-fixed wrench is power times time, however the body rotates", "[simulation][fast]") {
  const Model<double> model = box_on(Free<double>());
  const V6 twist = (V6() << 1, -2, 0.5, 0.3, 2, -1).finished(), wrench = (V6() << 3, 1, 2, -4, 0.5, 6).finished();
  Input<double> input;
  input.wrench_begin = BodyArray<V6>(2, wrench);
  const double h = 0.4;
  State<double> begin{models::random_configuration(model, 3), twist, 1.0}, end = begin;
  end.q = model.integrate(begin.q, VectorXd(h * twist));
  detail::StepWork<double> work(model);
  work.begin(begin);
  CHECK(work.to<1>(model, end, input, h).input == Approx(h * wrench.dot(twist)).epsilon(1e-13));
  CHECK(work.to<2>(model, end, input, h).input == Approx(h * wrench.dot(twist)).epsilon(1e-13));
  CHECK(work.to<4>(model, end, input, h).input == Approx(h * wrench.dot(twist)).epsilon(1e-13));
  Input<double> on_joint{VectorXd(wrench)};  // the same for a free joint
  CHECK(work.to<4>(model, end, on_joint, h).input == Approx(h * wrench.dot(twist)).epsilon(1e-13));
  input.wrench_end = BodyArray<V6>(2, V6::Zero());
  CHECK(work.to<2>(model, end, input, h).input == Approx(h / 2 * wrench.dot(twist)).epsilon(1e-13));
  CHECK(work.to<4>(model, end, input, h).input == Approx(h / 2 * wrench.dot(twist)).epsilon(1e-13));
}

/// Trees of all joint types under gravity, springs, dampers, torques and wrenches that change with time: the unexplained energy shrinks
/// like the
/// error of the integrator. A fifth of any of these contributions would be detected.
TEST_CASE("step work: the energy balance closes with the order of the integrator", "[simulation][fast]") {
  const double T = 0.4;
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 5)));
  const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
  const auto check = [&](const auto& integrator, auto field, int steps) {
    struct Run { double balance, dissipated, input; };
    const auto run = [&](int n) {
      auto copy = integrator;
      copy.reset({models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0});
      const double h = T / n;
      const auto control = [&](auto& node, Input<double>& input) {
        const double t0 = node.time(), t1 = t0 + h;
        input.tau_begin = VectorXd::Constant(model.nv(), std::cos(t0));
        input.tau_end = VectorXd::Constant(model.nv(), std::cos(t1));
        input.wrench_begin = BodyArray<V6>(model.num_bodies(), V6::Constant(0.5 * std::sin(t0)));
        input.wrench_end = BodyArray<V6>(model.num_bodies(), V6::Constant(0.5 * std::sin(t1)));
      };
      Diagnostics diagnostics(model, 0, field);
      REQUIRE(simulate(copy, control, h, Steps{n}, diagnostics));
      return Run{diagnostics.largest_balance(), diagnostics.now().dissipated, diagnostics.now().input};
    };
    const Run coarse = run(steps), fine = run(2 * steps);
    CAPTURE(seed, steps, coarse.balance, fine.balance, fine.dissipated, fine.input);
    CHECK(std::abs(std::log2(coarse.balance / fine.balance) - integrator.order) < 0.1);
    CHECK(fine.balance < 0.2 * std::min(fine.dissipated, std::abs(fine.input)));
  };
  check(SemiImplicitEuler(model), NoForce(), 200);
  check(VariationalIntegrator(model), NoForce(), 100);
  check(RungeKutta(model, test::Field()), test::Field(), 100);
}

TEST_CASE("step work: dampers of any stiffness account for the lost energy", "[simulation][fast]") {
  const double stiffness = GENERATE(1e-3, 1.0, 1e3, 1e6, 1e9);  // h d / m from 5e-6 to 5e6
  const Model<double> model = box_on(Prismatic<double>(V3::UnitX()), {.damping = stiffness});
  const auto check = [&](auto integrator) {
    integrator.reset({VectorXd::Zero(1), VectorXd::Constant(1, 3.0), 0});
    Diagnostics diagnostics(model);
    REQUIRE(simulate(integrator, 1e-2, Steps{50}, diagnostics));
    CAPTURE(stiffness, diagnostics.now().energy.kinetic, diagnostics.now().dissipated);
    CHECK(diagnostics.largest_balance() < 1e-12 + 1e-16 * stiffness);  // of 9 J: rounding of what is left of v, times the stiffness
    CHECK(diagnostics.now().dissipated > 1e-4);
  };
  check(SemiImplicitEuler(model));
  check(VariationalIntegrator(model, {.tolerance = 0}));
}

}  // namespace step_work_test
