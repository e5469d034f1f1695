// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/reversible_steps.hpp"

#include <cmath>
#include <iostream>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"
#include "support/window_test.hpp"

namespace reversible_steps_test {

using namespace actio;
using Eigen::VectorXd;
using Tree = Model<double>;
using Inner = VariationalIntegrator<Tree>;

State<double> random_state(const Tree& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
}

template <class Steps>
void returns(Steps steps, const State<double>& start, int count, double tolerance) {
  steps.reset(start);
  const double rho = steps.density();
  double shortest = steps.h(), longest = steps.h();
  std::vector<double> lengths;
  for (int k = 0; k < count; ++k) {
    lengths.push_back(steps.h());
    shortest = std::min(shortest, lengths.back());
    longest = std::max(longest, lengths.back());
    REQUIRE(steps.step().status == Status::converged);
  }
  CHECK(longest > 1.02 * shortest);
  steps.reverse();
  for (int k = count; k > 0; --k) {
    CHECK(std::abs(steps.h() + lengths[static_cast<std::size_t>(k - 1)]) < tolerance * longest);
    REQUIRE(steps.step().status == Status::converged);
  }
  CHECK(std::abs(steps.time() - start.time) < tolerance);
  CHECK(std::abs(steps.density() / rho - 1) < tolerance);
  CHECK(steps.model().difference(start.q, steps.state().q).cwiseAbs().maxCoeff() < tolerance);
  CHECK((steps.state().v - start.v).cwiseAbs().maxCoeff() < tolerance);
}

TEST_CASE("reversible steps: n steps forward and n steps back return to the start", "[integrators][steps][long]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Tree model = models::random_tree(seed, 6, {.springs = true, .armature = true});
    CAPTURE(seed);
    returns(ReversibleSteps(Inner(model, {.tolerance = 1e-13}), 0.02), random_state(model, seed), 200, 1e-10);
  }
  const Tree folding = models::folding_pendulum();
  returns(ReversibleSteps(Inner(folding, {.tolerance = 1e-13}), 0.01), models::folded(folding), 300, 1e-10);
  returns(ReversibleSteps(Composition(Inner(folding, {.tolerance = 1e-13})), 0.02), models::folded(folding), 150, 1e-10);
}

TEST_CASE("reversible steps: with the velocity reversed the same steps lead back", "[integrators][steps][long]") {
  const Tree model = models::random_tree(3, 6);
  ReversibleSteps steps(Inner(model, {.tolerance = 1e-13}), 0.02);
  const State<double> start = random_state(model, 3);
  steps.reset(start);
  // rho at the end is not exactly the density, but a new start uses the density: therefore only one step is compared.
  REQUIRE(steps.step());
  State<double> turned = steps.state();
  turned.v = -turned.v;
  steps.reset(turned);
  REQUIRE(steps.step());
  CHECK(model.difference(start.q, steps.state().q).cwiseAbs().maxCoeff() < 1e-6);
  CHECK((steps.state().v + start.v).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("reversible steps: rho follows the density to second order", "[integrators][steps][long]") {
  const Tree model = models::folding_pendulum();
  const RotationRate<double> density(model);
  KinematicsData<double> kinematics(model);
  const auto worst = [&](double epsilon) {
    ReversibleSteps steps(Inner(model, {.tolerance = 1e-13}), epsilon, density);
    steps.reset(models::folded(model));
    double largest = 0;
    while (steps.time() < 10) {
      REQUIRE(steps.step());
      forward_kinematics(model, kinematics, steps.state().q, steps.state().v);
      largest = std::max(largest, std::abs(steps.density() / density(model, kinematics, steps.state()) - 1));
    }
    return largest;
  };
  const double coarse = worst(0.008), fine = worst(0.004);
  CAPTURE(coarse, fine);
  CHECK(fine < 1e-3);
  CHECK(std::abs(std::log2(coarse / fine) - 2) < 0.3);
}

TEST_CASE("reversible steps: the natural rate matches a pendulum and a spring", "[integrators][steps][long]") {
  const auto one = [](const Inertia<double>& inertia, const DefaultJoints<double>& joint, JointProperties<double> properties, double g) {
    ModelBuilder<double> builder("one");
    builder.gravity({0, 0, -g})
        .add_body("bob", inertia)
        .add_joint("joint", "world", "bob", Pose<double>::identity(), joint, std::move(properties));
    return builder.build();
  };
  const Inertia<double> bob = Inertia<double>::point(2, {0, 0, -0.5});
  CHECK(std::abs(natural_rate(one(bob, Revolute<double>({1, 0, 0}), {}, 9.81)) - std::sqrt(9.81 / 0.5)) < 1e-12);
  CHECK(std::abs(natural_rate(one(bob, Prismatic<double>({1, 0, 0}), {.stiffness = 50}, 9.81)) - 5) < 1e-12);
  CHECK(natural_rate(one(bob, Prismatic<double>({1, 0, 0}), {}, 9.81)) == 1);
  CHECK(natural_rate(one(bob, Revolute<double>({1, 0, 0}), {}, 0)) == 1);
}

/// A density defined by the user: shorter steps where the elbow is bent.
struct Bent {
  double operator()(const Tree&, const KinematicsData<double>&, const State<double>& x) const noexcept { return 3 - 2 * std::cos(x.q[1]); }
};
static_assert(StepDensity<Bent, Tree> && !StepDensity<int, Tree>);

TEST_CASE("reversible steps: they follow a density defined by the user", "[integrators][steps][long]") {
  const Tree model = models::folding_pendulum();
  ReversibleSteps steps(Inner(model, {.tolerance = 1e-13}), 0.01, Bent{});
  returns(steps, models::folded(model), 600, 1e-10);
  steps.reset(models::folded(model));
  KinematicsData<double> kinematics(model);
  for (int k = 0; k < 500; ++k) {
    REQUIRE(steps.step());
    CHECK(std::abs(steps.density() / Bent{}(model, kinematics, steps.state()) - 1) < 1e-2);
  }
}

TEST_CASE("reversible steps: copies and restored ones are bitwise equal, nothing allocates, failures change nothing",
          "[integrators][steps][long]") {
  const Tree model = models::random_tree(7, 6);
  ReversibleSteps steps(Inner(model), 0.02);
  steps.reset(random_state(model, 7));
  auto memory = steps.make_memory();
  Input<double> input(VectorXd::Constant(model.nv(), 0.1)), bad(VectorXd::Constant(model.nv(), std::nan("")));
  std::size_t allocated = 0;
  const auto march = [&](auto& which) {
    const test::AllocationCounter allocations;
    bool converged = true;
    for (int k = 0; k < 5; ++k) converged = which.step(input) && converged;
    allocated += allocations.count();
    CHECK(converged);
  };
  march(steps);
  steps.save(memory);
  auto copy = steps;
  CHECK(steps.step(bad).status == Status::invalid_input);
  march(steps);
  march(copy);
  CHECK(test::equal_bits(steps.state(), copy.state()));
  copy.restore(memory);
  march(copy);
  CHECK(test::equal_bits(steps.state(), copy.state()));
  CHECK(steps.density() == copy.density());
  CHECK(allocated == 0);
}

TEST_CASE("reversible steps: they start with the velocity that closed loops allow", "[integrators][steps][long]") {
  const Tree model = models::four_bars<double>(1);
  ReversibleSteps steps(Inner(model), 0.01);
  State<double> x = rest_state(model);
  x.v.setLinSpaced(-1, 2);
  steps.reset(x);
  Inner alone(model);
  alone.reset(x);
  State<double> read = x;
  REQUIRE(alone.read(read) == Status::converged);
  CHECK((read.v - x.v).norm() > 0.1);
  CHECK(test::equal_bits(steps.state().v, read.v));
}

TEST_CASE("reversible steps: dissipative models and an invalid epsilon are refused", "[integrators][steps][long]") {
  ModelBuilder<double> builder("damped");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0}));
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}), {.damping = 0.1});
  const Tree damped = builder.build(), model = models::folding_pendulum();
  const std::string why = test::refusal<ModelError>([&] { return ReversibleSteps(Inner(damped), 0.01); });
  CHECK(test::missing(why, {"reversible step control", "damping of joint 'hinge'"}) == "");
  for (const double epsilon : {0.0, -0.1, std::nan("")}) CHECK_THROWS_AS(ReversibleSteps(Inner(model), epsilon), OptionsError);
  ReversibleSteps steps(Inner(model), 50.0);  // much too long: it fails, but not by stepping back
  steps.reset(models::folded(model));
  CHECK_FALSE(steps.step());
  CHECK(steps.time() == 0);
}

/// E - E_0 at the nodes, and the work in residual evaluations: the rest of a step costs as much as 3, as measured.
struct Run {
  std::vector<double> error;
  int work = 0;
};
class EnergyError {
 public:
  explicit EnergyError(const Tree& model) : kinematics_(model) {}
  double operator()(const Tree& model, const State<double>& x) {
    const double now = energy(model, kinematics_, x.q, x.v).total();
    if (std::isnan(initial_)) initial_ = now;
    return now - initial_;
  }

 private:
  KinematicsData<double> kinematics_;
  double initial_ = std::nan("");
};

Run reversible(const Tree& model, double duration, double epsilon) {
  ReversibleSteps steps(Inner(model), epsilon);
  steps.reset(models::folded(model));
  EnergyError error(model);
  Run run{{error(model, steps.state())}};
  double shortest = steps.h(), longest = steps.h();
  while (steps.time() < duration) {
    shortest = std::min(shortest, steps.h());
    longest = std::max(longest, steps.h());
    const StepResult<double> result = steps.step();
    REQUIRE(result.status == Status::converged);
    run.work += result.evaluations + 3 + 3;  // the control costs as much as 3, too
    run.error.push_back(error(model, steps.state()));
  }
  CHECK(longest > 5 * shortest);
  return run;
}

/// The method of textbooks: a step of 2h against two of h, and the next h by the error.
Run error_based(const Tree& model, double duration, double tolerance) {
  Inner integrator(model);
  State<double> x = models::folded(model);
  integrator.reset(x);
  auto before = integrator.make_memory();
  EnergyError error(model);
  Run run{{error(model, x)}};
  double h = 1e-2;
  while (integrator.time() < duration) {
    integrator.save(before);
    StepResult<double> result = integrator.step({}, 2 * h);
    run.work += result.evaluations + 3;
    bool complete = static_cast<bool>(result);
    const VectorXd q = integrator.configuration();
    integrator.restore(before);
    for (int half = 0; half < 2 && complete; ++half) {
      result = integrator.step({}, h);
      run.work += result.evaluations + 3;
      complete = static_cast<bool>(result);
    }
    const double difference = complete ? model.difference(q, integrator.configuration()).norm() : 1e9;
    if (difference > tolerance) {
      integrator.restore(before);
    } else {
      REQUIRE(integrator.read(x) == Status::converged);
      run.error.push_back(error(model, x));
    }
    h *= std::clamp(0.9 * std::cbrt(tolerance / std::max(difference, 1e-300)), 0.2, 2.0);
  }
  return run;
}

TEST_CASE("reversible steps: at equal work the energy error has no trend, that of error-based steps has one",
          "[integrators][steps][long]") {
  const Tree model = models::folding_pendulum();
  const Run ours = reversible(model, 500, 0.01), theirs = error_based(model, 500, 0.9e-6);
  const test::WindowTest a = test::window_test(ours.error), b = test::window_test(theirs.error);
  std::cout << "reversible, " << ours.work << " evaluations: " << a << "\nerror-based, " << theirs.work << " evaluations: " << b << '\n';
  CHECK(theirs.work > ours.work);
  CHECK(a.passed());
  CHECK_FALSE(b.passed());
  CHECK(b.root_mean_square > 15 * a.root_mean_square);
}

}  // namespace reversible_steps_test
