// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dummy_integrators.hpp"
#include "support/integrator_laws.hpp"
#include "support/oracle.hpp"
#include "support/refusal.hpp"

namespace composition_test {

using namespace actio;
using Eigen::VectorXd;
using Inner = VariationalIntegrator<Model<double>>;
template <int order, class Scheme = CompositionScheme<order>>
using Composed = Composition<Inner, order, Scheme>;

static_assert(Integrator<Composed<4>> && Integrator<Composed<6>>);

State<double> random_state(const Model<double>& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
}

TEMPLATE_TEST_CASE("composition: the weights add up to 1 and their third powers to 0", "[integrators][composition][long]", Suzuki4,
                   TripleJump4, KahanLi6) {
  double sum = 0, cubes = 0, fifths = 0;
  for (const double w : TestType::weights) {
    sum += w;
    cubes += w * w * w;
    fifths += std::pow(w, 5);
  }
  CHECK(std::abs(sum - 1) < 1e-15);
  CHECK(std::abs(cubes) < 1e-15);
  if (TestType::order == 6) CHECK(std::abs(fifths) < 1e-15);
  for (std::size_t k = 0; k < TestType::weights.size(); ++k)
    CHECK(TestType::weights[k] == TestType::weights[TestType::weights.size() - 1 - k]);
}

TEST_CASE("composition: it obeys the laws of an integrator on a tree of all joint types", "[integrators][composition][long]") {
  const Model<double> model = models::random_tree(5, 8, {.springs = true, .armature = true});
  State<double> start = random_state(model, 5);
  start.time = 0.5;
  test::check_integrator_laws(Composed<4>(Inner(model)), start, 1e-3);
  test::check_integrator_laws(Composed<6>(Inner(model, {.tolerance = 1e-12})), start, 1e-3);
}

TEST_CASE("composition: it wraps an integrator without momentum, options or history", "[integrators][composition][long]") {
  using Plain = test::JointCoordinates<Model<double>>;
  const Model<double> model = models::random_tree(3, 6);
  test::check_integrator_laws(Composition<Plain, 6>(Plain(model)), random_state(model, 3), 1e-2);
}

/// Error at the end of a reference trajectory, with the step multiplied by a factor.
template <class I>
double final_error(const test::Reference& reference, double factor) {
  const double h = reference.json["dt"].get<double>() * factor;
  const int steps = static_cast<int>(std::lround(reference.json["steps"].get<int>() / factor));
  I integrator(Inner(reference.model, {.tolerance = 0}));
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, h).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  const test::Json& exact = reference.json["continuous"];
  const VectorXd v = reference.v(exact["v"].back());
  return std::max(reference.model.difference(reference.q(exact["q"].back()), state.q).cwiseAbs().maxCoeff(),
                  (state.v - v).cwiseAbs().maxCoeff() / std::max(1.0, v.cwiseAbs().maxCoeff()));
}

/// Steps `factor` times as long as those of the files, and half as long.
template <class I>
void converges_to_references(double factor) {
  int measured = 0;
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const double coarse = final_error<I>(reference, factor), fine = final_error<I>(reference, factor / 2);
    CAPTURE(name, coarse, fine);
    if (fine < 1e-11) continue;  // the accuracy of the references
    CHECK(std::abs(std::log2(coarse / fine) - I::order) < 0.1);
    ++measured;
  }
  CHECK(measured >= 6);
}

TEST_CASE("composition: q and v converge to the continuous references with the order of the scheme", "[integrators][composition][long]") {
  SECTION("Suzuki") { converges_to_references<Composed<4>>(1); }
  SECTION("triple jump") { converges_to_references<Composed<4, TripleJump4>>(0.5); }
  SECTION("Kahan and Li") { converges_to_references<Composed<6>>(2); }
}

/// Inputs and a force field that are linear in time: each substep evaluates them at its own times, also outside the step.
struct Ramp {
  bool operator()(double t, const ConstVectorRef<double>& q, const ConstVectorRef<double>&, VectorRef<double> tau) noexcept {
    tau.setConstant(0.3 * t - 0.2 * q[0]);
    return true;
  }
};
Input<double> ramp(const Model<double>& model, double t0, double t1) {
  const auto tau = [&](double t) { return VectorXd(VectorXd::LinSpaced(model.nv(), -1, 1) * (2 * t - 0.3)); };
  const auto wrench = [&](double t) {
    return BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::LinSpaced(0.5, 1) * (1 - 3 * t));
  };
  Input<double> input;
  input.tau_begin = tau(t0), input.tau_end = tau(t1);
  input.wrench_begin = wrench(t0), input.wrench_end = wrench(t1);
  return input;
}
template <class I>
State<double> driven(I integrator, const State<double>& start, int steps) {
  const double h = 0.32 / steps;
  integrator.reset(start);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step(ramp(integrator.model(), k * h, (k + 1) * h), h).status == Status::converged);
  State<double> end = start;
  REQUIRE(integrator.read(end) == Status::converged);
  return end;
}

TEST_CASE("composition: inputs that change during the step preserve the order", "[integrators][composition][long]") {
  using Driven = VariationalIntegrator<Model<double>, Drnea<Split>, Riqn, Ramp>;
  const VariationalOptions<double> to_rounding{.tolerance = 0};
  int measured = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model<double> model = models::random_tree(seed, 6, {.springs = true, .armature = true});
    const State<double> start = random_state(model, seed);
    const State<double> exact = driven(RungeKutta(model, Ramp{}), start, 3200);
    const auto has_order = [&]<int n>(Composition<Driven, n> integrator, int steps) {
      const auto error = [&](int k) {
        const State<double> end = driven(integrator, start, k);
        return std::max(model.difference(exact.q, end.q).cwiseAbs().maxCoeff(), (exact.v - end.v).cwiseAbs().maxCoeff());
      };
      const double coarse = error(steps), fine = error(2 * steps);
      CAPTURE(seed, n, coarse, fine);
      if (fine < 1e-11) return;  // the accuracy of the reference
      CHECK(std::abs(std::log2(coarse / fine) - n) < 0.1);
      ++measured;
    };
    has_order(Composition<Driven, 4>(Driven(model, to_rounding)), 40);
    has_order(Composition<Driven, 6>(Driven(model, to_rounding)), 10);
  }
  CHECK(measured >= 8);
}

/// Fails within a short interval of time.
struct GivesUp {
  double begin, end;
  bool operator()(double time, const ConstVectorRef<double>&, const ConstVectorRef<double>&, VectorRef<double>) noexcept {
    return time < begin || time >= end;
  }
};

TEST_CASE("composition: if a substep fails, the state is unchanged", "[integrators][composition][long]") {
  using Fragile = VariationalIntegrator<Model<double>, Drnea<Split>, Riqn, GivesUp>;
  const Model<double> chain = models::revolute_chain(3);
  for (const double middle : {2.1e-3, 6.2e-3, 5.0e-3, 3.8e-3, 7.9e-3}) {  // of the five substeps of a step of 0.01
    CAPTURE(middle);
    const Composition<Fragile> integrator(Fragile(chain, {.max_halvings = 0}, {middle - 3e-4, middle + 3e-4}));
    State<double> start = random_state(chain, 3);
    test::check_failing_step(integrator, start, {}, 1e-2, Status::callback_failed);

    Composition<Fragile> tried = integrator, twin = integrator;  // with a history that must not change
    start.time = -0.1;
    tried.reset(start);
    twin.reset(start);
    for (int k = 0; k < 10; ++k) {
      REQUIRE(tried.step({}, 1e-2).evaluations == twin.step({}, 1e-2).evaluations);
    }
    CHECK(tried.step({}, 1e-2).status == Status::callback_failed);
    CHECK(tried.step({}, 1e-3).evaluations == twin.step({}, 1e-3).evaluations);
    CHECK(test::equal_bits(tried.configuration(), twin.configuration()));
    CHECK(test::equal_bits(tried.momentum(), twin.momentum()));
  }
}

/// Halves the middle stage of the first of n equal parts of a step from 0 to `whole`, for some n.
struct Halving : Inner {
  Halving(const Inner::Model& model, double whole, std::vector<int> parts)
      : Inner(model, {.tolerance = 0}), whole_(whole), parts_(std::move(parts)) {}
  StepResult<double> step(const Input<double>& input, double h) noexcept {
    const auto is_met = [&](int n) { return std::abs(time() + h / 2 - whole_ / (2 * n)) < 1e-7; };
    if (std::none_of(parts_.begin(), parts_.end(), is_met)) return Inner::step(input, h);
    if (const StepResult<double> first = Inner::step(input, h / 2); !first) return first;
    StepResult<double> second = Inner::step(input, h / 2);
    second.substeps = 2;
    return second;
  }

 private:
  double whole_;
  std::vector<int> parts_;
};

TEST_CASE("composition: where a stage would be halved, the whole step is made in parts", "[integrators][composition][long]") {
  const Model<double> chain = models::revolute_chain(3);
  const State<double> start = random_state(chain, 3);
  const double h = 0.01;
  const auto step_of = [&](const std::vector<int>& failing, int steps, int& substeps) {
    Composition<Halving> integrator(Halving(chain, h, failing));
    integrator.reset(start);
    for (int k = 0; k < steps; ++k) {
      const StepResult<double> result = integrator.step({}, h / steps);
      REQUIRE(result);
      substeps = std::max(substeps, result.substeps);
    }
    CHECK(std::abs(integrator.time() - h) < 1e-15);
    return VectorXd(integrator.configuration());
  };
  int whole = 1, two = 1, four = 1, halved = 1;
  const VectorXd exact = step_of({}, 64, whole), coarse = step_of({}, 1, whole), middle = step_of({}, 2, whole), fine = step_of({}, 4, whole);
  CHECK(whole == 1);
  CHECK((step_of({1}, 1, two) - middle).norm() < 1e-14);
  CHECK(two == 2);
  CHECK((step_of({1, 2}, 1, four) - fine).norm() < 1e-14);
  CHECK(four == 4);
  // If every number of parts meets such a stage, one stage is halved.
  const double error = (step_of({1, 2, 4, 8, 16}, 1, halved) - exact).norm();
  CHECK(halved == 2);
  CAPTURE(error, (coarse - exact).norm(), (middle - exact).norm());
  CHECK(error > 100 * (coarse - exact).norm());  // the stages' errors do not cancel
}

TEST_CASE("composition: each stage extrapolates its own increments", "[integrators][composition][long]") {
  const Model<double> model = models::random_tree(5, 8);
  const auto evaluations = [&](InitialGuess guess) {
    Composed<4> integrator(Inner(model, {.guess = guess}));
    integrator.reset(random_state(model, 5));
    int sum = 0;
    for (int k = 0; k < 100; ++k) {
      const StepResult<double> result = integrator.step({}, 2e-3);
      REQUIRE(result.status == Status::converged);
      CHECK(result.method == Method::composition);
      CHECK(result.iterations > 0);  // the sum over all stages, as for evaluations
      CHECK(result.iterations < result.evaluations);
      CHECK(result.residual <= integrator.options().tolerance);
      sum += result.evaluations;
    }
    return sum;
  };
  CHECK(evaluations(InitialGuess::quintic) < 0.8 * evaluations(InitialGuess::momentum));
}

TEST_CASE("composition: dissipative models are refused by name", "[integrators][composition][long]") {
  ModelBuilder<double> builder("damped");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0}));
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}), {.damping = 0.1});
  const Model<double> damped = builder.build();
  const std::string why = test::refusal<ModelError>([&] { return Composed<4>(Inner(damped)); });
  CHECK(test::missing(why, {"composition", "damping of joint 'hinge'", "back in time"}) == "");

  const Model<double> chain = models::revolute_chain(1);
  Composed<4> integrator((Inner(chain)));
  const State<double> state = random_state(chain, 1);
  integrator.reset(state);
  CHECK_THROWS_AS(integrator.reset(damped, state), ModelError);
  CHECK(&integrator.model() == &chain);
  const Model<double> longer = models::revolute_chain(4);
  integrator.reset(longer, random_state(longer, 1));
  CHECK(&integrator.model() == &longer);
  CHECK(integrator.step({}, 1e-3).status == Status::converged);
}

}  // namespace composition_test
