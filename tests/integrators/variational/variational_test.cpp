// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include <cmath>
#include <cstring>

#include "actio/dynamics/kinematics.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/forced_run.hpp"
#include "support/reference_runs.hpp"

namespace variational_test {

using namespace actio;
using Eigen::VectorXd;

VariationalOptions<double> to_rounding() {
  VariationalOptions<double> options;
  options.tolerance = 0;
  return options;
}

State<double> random_state(const Model<double>& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
}

bool equal_bits(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

TEMPLATE_TEST_CASE("variational: a step backward undoes a step forward", "[integrators][variational][fast]", Split, Se3, Quat) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.springs = true, .armature = true});
    CAPTURE(seed);
    VariationalIntegrator<Model<double>, Drnea<TestType>, Riqn> integrator(model, to_rounding());
    const State<double> start = random_state(model, seed);
    integrator.reset(start);
    const VectorXd p = integrator.momentum();
    const double h = 5e-3;
    REQUIRE(integrator.step({}, h).substeps == 1);
    REQUIRE(integrator.step({}, -h).status == Status::converged);
    CHECK(model.difference(start.q, integrator.configuration()).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((integrator.momentum() - p).cwiseAbs().maxCoeff() < 1e-12 * std::max(1.0, p.cwiseAbs().maxCoeff()));
    CHECK(std::abs(integrator.time()) < 1e-15);
  }
}

TEMPLATE_TEST_CASE("variational: reference trees are reproduced, and converge to the continuous motion with order 2",
                   "[integrators][variational][fast]", Split, Se3,
                   Quat) {
  const std::string kind = std::same_as<TestType, Split> ? "split" : std::same_as<TestType, Se3> ? "se3" : "quat";
  // the others are in variational_reference_test.cpp
  for (const char* name : {"double_pendulum_3d", "chain8_alternating", "branched_tree"}) {
    const test::Reference reference = test::reference(name);
    const VariationalIntegrator<Model<double>, Drnea<TestType>, Riqn> integrator(reference.model,
                                                                                 test::as_the_files<VariationalOptions<double>>());
    CAPTURE(name);
    test::reproduces(reference, kind, integrator);
    if (reference.model.nv() < 10) test::converges_with_order_2(reference, integrator);
  }
}

TEST_CASE("variational: it converges to rounding with long lever arms", "[integrators][variational][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.floating = true}).with_gravity(Vector3<double>::Zero());
    State<double> start = random_state(model, seed);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J&) {
        if constexpr (std::same_as<J, Prismatic<double>>) model.q_of<J>(i, start.q) *= 100;  // metres
      });
    }
    VariationalOptions<double> options = to_rounding();
    options.max_halvings = 0;
    VariationalIntegrator integrator(model, options);
    integrator.reset(start);
    CAPTURE(seed);
    for (int k = 0; k < 30; ++k) {
      const StepResult<double> result = integrator.step({}, 1e-3);
      REQUIRE(result);
      CHECK(result.residual < 1e-12);
    }
  }
}

TEST_CASE("variational: with all kinds of joint forces, inputs and a force field it is of order 2", "[integrators][variational][long]") {
  test::check_order_with_all_forces(test::Field{}, [](const Model<double>& model, SpringRule rule) {
    VariationalOptions<double> options;
    options.springs = rule;
    return VariationalIntegrator<Model<double>, Drnea<Split>, Riqn, test::Field>(model, options, test::Field{});
  });
}

TEST_CASE("variational: damping only dissipates energy", "[integrators][variational][fast]") {
  // A stiff damper: explicit schemes need h < 2 I / d = 7e-5 s here.
  ModelBuilder<double> builder("damped");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0}));
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}), {.damping = 2500});
  const Model<double> model = builder.build();
  VariationalIntegrator integrator(model);
  State<double> state{VectorXd::Zero(1), VectorXd::Constant(1, 3.0), 0};
  integrator.reset(state);
  const double initial = std::abs(integrator.momentum()[0]);
  double momentum = initial;
  for (int k = 0; k < 100; ++k) {
    REQUIRE(integrator.step({}, 1e-2).status == Status::converged);
    // It decays 76-fold per step: after a few steps, less remains than the tolerance on recent increments.
    CHECK(std::abs(integrator.momentum()[0]) <= std::max(momentum, 1e-10 * initial));
    momentum = std::abs(integrator.momentum()[0]);
  }
}

TEST_CASE("variational: a failed step changes nothing", "[integrators][variational][fast]") {
  const Model<double> model = models::revolute_chain(10);
  VariationalOptions<double> options;
  options.max_halvings = 2;
  VariationalIntegrator integrator(model, options);
  State<double> state = random_state(model, 3);
  integrator.reset(state);
  for (int k = 0; k < 10; ++k) REQUIRE(integrator.step({}, 1e-3).status == Status::converged);
  const VectorXd q = integrator.configuration(), p = integrator.momentum();
  VariationalIntegrator twin = integrator;
  const double t = integrator.time();

  const StepResult<double> result = integrator.step({}, 5.0);
  CHECK(result.status != Status::converged);
  CHECK(result.substeps == 4);
  CHECK(integrator.step({}, 0.0).status == Status::invalid_step);
  CHECK(integrator.step({}, std::nan("")).status == Status::invalid_step);
  CHECK(integrator.step(Input<double>(VectorXd::Zero(3)), 1e-3).status == Status::invalid_input);
  CHECK(integrator.step(Input<double>(VectorXd::Constant(10, std::nan(""))), 1e-3).status == Status::invalid_input);
  CHECK(equal_bits(integrator.configuration(), q));
  CHECK(equal_bits(integrator.momentum(), p));
  CHECK(integrator.time() == t);
  for (int k = 0; k < 10; ++k) {
    REQUIRE(integrator.step({}, 1e-3).evaluations == twin.step({}, 1e-3).evaluations);
    CHECK(equal_bits(integrator.configuration(), twin.configuration()));
    CHECK(equal_bits(integrator.momentum(), twin.momentum()));
  }
}

TEST_CASE("variational: a step too long for its root finder is halved", "[integrators][variational][fast]") {
  const Model<double> model = models::revolute_chain(10);
  VariationalOptions<double> options;
  options.max_iterations = 3;
  VariationalIntegrator<Model<double>, Drnea<Split>, Riqn> integrator(model, options);
  State<double> state{models::random_configuration(model, 5, 1.5), models::random_velocity(model, 6, 1.5), 0};
  integrator.reset(state);
  const StepResult<double> result = integrator.step({}, 0.02);
  REQUIRE(result.status == Status::converged);
  CHECK(result.substeps > 1);
  CHECK(integrator.time() == 0.02);
  // The same as taking these substeps one by one.
  VariationalIntegrator<Model<double>, Drnea<Split>, Riqn> by_hand(model, options);
  by_hand.reset(state);
  for (int k = 0; k < result.substeps; ++k) REQUIRE(by_hand.step({}, 0.02 / result.substeps).substeps == 1);
  CHECK(equal_bits(by_hand.configuration(), integrator.configuration()));
}

TEST_CASE("variational: a failing callback fails the step", "[integrators][variational][fast]") {
  const Model<double> model = models::revolute_chain(3);
  const auto force = catching([](auto t, const auto&, const auto&, auto) { if (t > 0.005) throw std::runtime_error("no"); });
  VariationalIntegrator<Model<double>, Drnea<Split>, Riqn, std::remove_cvref_t<decltype(force)>> integrator(model, {}, force);
  Status status = Status::converged;
  for (int k = 0; k < 10 && status == Status::converged; ++k) status = integrator.step({}, 1e-3).status;
  CHECK(status == Status::callback_failed);
  CHECK(std::abs(integrator.time() - 5e-3) < 1e-12);
}

TEST_CASE("variational: steps, reads, saves and restores allocate nothing", "[integrators][variational][fast]") {
  const Model<double> model = models::random_tree(11, 12, {.damping = true, .springs = true, .armature = true});
  VariationalIntegrator integrator(model);
  State<double> state = random_state(model, 4);
  integrator.reset(state);
  Input<double> input(VectorXd::Constant(model.nv(), 0.1));
  input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Constant(0.1));
  auto memory = integrator.make_memory();
  test::AllocationCounter allocations;
  for (int k = 0; k < 20; ++k) {
    REQUIRE(integrator.step(input, 1e-3).status == Status::converged);
    REQUIRE(integrator.read(state) == Status::converged);
    integrator.save(memory);
    integrator.restore(memory);
  }
  const StepResult<double> failed = integrator.step(input, 1e4);
  CHECK(allocations.count() == 0);
  CHECK(failed.status != Status::converged);
}

TEST_CASE("variational: every initial guess leads to the same motion", "[integrators][variational][fast]") {
  const Model<double> model = models::random_tree(21, 8);
  const State<double> start = random_state(model, 21);
  VectorXd first;
  for (const InitialGuess guess :
       {InitialGuess::zero, InitialGuess::last, InitialGuess::dynamics, InitialGuess::momentum, InitialGuess::linear,
        InitialGuess::quadratic, InitialGuess::cubic, InitialGuess::quartic, InitialGuess::quintic}) {
    VariationalOptions<double> options = to_rounding();
    options.guess = guess;
    options.carry_residual = false;
    VariationalIntegrator integrator(model, options);
    integrator.reset(start);
    for (int k = 0; k < 20; ++k) REQUIRE(integrator.step({}, 1e-3).substeps == 1);
    if (first.size() == 0) first = integrator.momentum();
    CAPTURE(static_cast<int>(guess));
    CHECK((integrator.momentum() - first).norm() < 1e-11 * first.norm());
  }
}

TEST_CASE("variational: another model is continued only if it is compatible", "[integrators][variational][fast]") {
  const Model<double> empty_handed = models::revolute_chain(3);
  const Model<double> loaded = empty_handed.with_inertia(3, Inertia<double>::sphere(5, 0.1));
  State<double> state = random_state(empty_handed, 1);
  VariationalIntegrator integrator(empty_handed), other(loaded);
  integrator.reset(loaded, state);
  other.reset(state);
  CHECK(&integrator.model() == &loaded);
  REQUIRE(integrator.step({}, 1e-2));
  REQUIRE(other.step({}, 1e-2));
  CHECK(equal_bits(integrator.momentum(), other.momentum()));

  const VectorXd q = integrator.configuration();
  state.v[1] = std::nan("");
  CHECK_THROWS_AS(integrator.reset(empty_handed, state), OptionsError);
  CHECK(&integrator.model() == &loaded);
  CHECK(equal_bits(integrator.configuration(), q));
}

TEST_CASE("variational: unsupported models and options are refused by name", "[integrators][variational][fast]") {
  ModelBuilder<double> builder("weightless");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0})).add_body("tip", Inertia<double>::zero());
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("wrist", "arm", "tip", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Model<double> model = builder.build();
  CHECK_THROWS_WITH(VariationalIntegrator(model), test::contains("wrist") && test::contains("tip"));
  const Model<double> chain = models::revolute_chain(2);
  CHECK_THROWS_WITH(VariationalIntegrator(chain, {.tolerance = -1}), test::contains("tolerance"));
  CHECK_THROWS_WITH(VariationalIntegrator(chain, {.max_iterations = 0}), test::contains("max_iterations"));
  CHECK_THROWS_WITH(VariationalIntegrator(chain, {.factorization = Factorization::blocks}), test::contains("factorization is blocks"));
  VariationalIntegrator integrator(chain);
  CHECK_THROWS_AS(integrator.reset({VectorXd::Zero(3), VectorXd::Zero(2), 0}), OptionsError);
  CHECK_THROWS_AS(integrator.reset({VectorXd::Zero(2), VectorXd::Constant(2, std::nan("")), 0}), OptionsError);
}

}  // namespace variational_test
