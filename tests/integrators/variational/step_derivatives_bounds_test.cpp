// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step with joint limits and dry friction of joints, on its pieces: against differences of steps with the same pieces,
// and its transpose.
#include "actio/integrators/step_derivatives.hpp"

#include <algorithm>
#include <limits>

#include "support/bounded_point.hpp"
#include "support/closed_step_point.hpp"
#include "support/refusal.hpp"
#include "support/step_products.hpp"

namespace step_derivatives_bounds_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::StepPoint;

/// How often each piece was compared.
struct Counts {
  int steps = 0, closed = 0, open = 0, resting = 0, sticking = 0, sliding = 0, stopped = 0;
  void add(std::span<const HeldPiece> pieces) {
    ++steps;
    for (const HeldPiece& piece : pieces) {
      if (piece.side != 0) ++(piece.in_position ? closed : open), resting += piece.in_velocity;
      else ++(piece.in_position ? sticking : sliding), stopped += !piece.in_position && piece.in_velocity;
    }
  }
};

/// Compares the derivative at a point, if all steps that the difference takes have the same pieces.
template <class Kind>
void compare(const Model<double>& model, const StepPoint& at, double e, Counts& counts) {
  test::StepMap<double, Kind, Model<double>, Automatic> step(model, at.springs);
  StepDerivatives derivatives(step.integrator()), around(step.integrator());
  step(at, 0);
  const VectorXd q1 = step.q();
  test::StepProducts products(model);
  REQUIRE(describe(products.linearize(derivatives, step.integrator(), step.input, at)) == describe(Status::converged));
  CHECK(products.adjoint_error(at) < 1e-12);
  CHECK(products.matrix_error(at) < 1e-11);

  const auto expected = test::difference(model, step, q1, e, [&](double t) {
    step(at, t);
    REQUIRE(around.linearize(step.integrator(), step.input) == Status::converged);
    return std::ranges::equal(around.pieces(), derivatives.pieces());
  });
  // A copy keeps its linearisation while the original linearises another step.
  StepDerivatives kept(derivatives);
  REQUIRE(derivatives.linearize(step.integrator(), step.input) == Status::converged);
  test::StepProducts again(model);
  again.compute(kept, at);
  CHECK((again.out == products.out && again.w_begin == products.w_begin && again.A == products.A));
  if (!expected) return;
  counts.add(kept.pieces());
  CHECK((products.out - *expected).norm() < 1e-7 * expected->norm());
}

TEMPLATE_TEST_CASE("step derivatives: limits and dry friction on joints of all types", "[integrators][variational][step_derivatives][long]",
                   Split, Quat) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> tree = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    StepPoint at(tree, seed, 0.01);
    const Model<double> model = test::bounded(tree, at, seed, 300, true);
    CAPTURE(seed);
    compare<TestType>(model, at, 1e-4, counts);
  }
  CAPTURE(counts.steps, counts.closed, counts.open, counts.resting, counts.sticking, counts.sliding, counts.stopped);
  CHECK(counts.steps > 15);
  CHECK(std::min({counts.closed, counts.resting, counts.sticking, counts.sliding}) > 10);
  CHECK(std::min(counts.open, counts.stopped) > 3);
}

TEST_CASE("step derivatives: limits and dry friction on joints of closed loops", "[integrators][variational][step_derivatives][long]") {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const test::Tangled tangled = test::tangled_tree(seed, 6, 1, seed % 4 == 0 ? 2 : 1, {.damping = true, .springs = true});
    StepPoint at = test::closed_point(tangled.model, tangled.q, seed, 5e-3);
    const Model<double> model = test::bounded(tangled.model, at, seed, 50, false);
    CAPTURE(seed);
    compare<Split>(model, at, 1e-4, counts);
  }
  CAPTURE(counts.steps, counts.closed, counts.open, counts.resting, counts.sticking, counts.sliding, counts.stopped);
  CHECK(counts.steps > 10);  // in the others, a step of the difference has other pieces
  CHECK(std::min({counts.closed, counts.resting, counts.sticking, counts.sliding}) > 10);
}

TEST_CASE("step derivatives: a closed limit and friction that sticks forget the state of their joint",
          "[integrators][variational][step_derivatives][long]") {
  const Model<double> model = test::rods(2, {.lower = 0}, {.friction = 50});
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset({VectorXd::Zero(2), VectorXd::Zero(2), 0});
  Input<double> input((VectorXd(2) << -3, 1).finished());
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step(input, 5e-3));
  StepDerivatives derivatives(integrator);
  REQUIRE(derivatives.linearize(integrator, input) == Status::converged);
  const std::span<const HeldPiece> pieces = derivatives.pieces();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0] == HeldPiece{1, 0, 1, true, true});
  CHECK(pieces[1] == HeldPiece{2, 1, 0, true, true});
  MatrixXd A, B;
  derivatives.matrix(A, B);
  MatrixXd expected = MatrixXd::Zero(4, 4);
  expected(1, 1) = 1;  // the joint that sticks remains where it is, and nothing else is remembered
  CHECK((A - expected).norm() < 1e-12);
  CHECK(B.norm() < 1e-12);
  integrator.reset({VectorXd::Constant(2, 0.1), VectorXd::Zero(2), 0});
  CHECK(derivatives.linearize(integrator, input) == Status::invalid_step);
}

TEST_CASE("step derivatives: where limits are not reached, the derivatives are bitwise those of the model without limits",
          "[integrators][variational][step_derivatives][long]") {
  const Model<double> free = models::random_tree(4, 5), limited = free.with_enforced({.limits = true, .friction = true});
  ModelProperties<double> wide = free.properties();
  wide.upper.setConstant(100);
  wide.lower.setConstant(-100);
  const Model<double> model = limited.with_properties(wide);
  MatrixXd A[2], B[2];
  for (const Model<double>* one : {&free, &model}) {
    VariationalIntegrator integrator(*one, {.tolerance = 0});
    integrator.reset({models::random_configuration(free, 2), models::random_velocity(free, 2), 0});
    REQUIRE(integrator.step({}, 1e-3));
    StepDerivatives derivatives(integrator);
    REQUIRE(derivatives.linearize(integrator) == Status::converged);
    derivatives.matrix(A[one == &model], B[one == &model]);
  }
  CHECK(A[0] == A[1]);
  CHECK(B[0] == B[1]);
}

TEST_CASE("step derivatives: where a loop does not let joints return, their distance beyond the limits stays",
          "[integrators][variational][step_derivatives][long]") {
  // Both cranks turn alike, and would have to return in opposite directions, which they could do within the step.
  constexpr double beyond = 5e-4, infinity = std::numeric_limits<double>::infinity();
  const Model<double> model =
      test::parallelogram(0.5, 1, {0, -1, 0}, {.lower = beyond, .upper = infinity}, {.lower = -infinity, .upper = -beyond})
          .with_gravity({0, 0, -9.81})
          .with_enforced({.limits = true});
  VariationalIntegrator integrator(model);
  integrator.reset(rest_state(model));
  const Input<double> input((VectorXd(3) << -3, 0, 0).finished());  // presses the first crank onto its limit
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step(input, 0.01));
  REQUIRE(beyond < 0.01 * integrator.options().recovery);
  StepDerivatives derivatives(integrator);
  REQUIRE(derivatives.linearize(integrator, input) == Status::converged);
  REQUIRE(derivatives.pieces()[0].in_position);
  MatrixXd A, B;
  derivatives.matrix(A, B);
  const VectorXd turn = (VectorXd(6) << 1, -1, 1, 0, 0, 0).finished();  // of the first crank, the rod against it, and the second
  CHECK((A * turn - turn).norm() < 1e-10);
}

TEST_CASE("step derivatives: what limits and friction have none of", "[integrators][variational][step_derivatives][long]") {
  const Model<double> model = test::rods(1, {.lower = 0});
  StepDerivatives<Model<double>> derivatives(model);
  CHECK(derivatives.linearize(VectorXd::Zero(1), VectorXd::Zero(1), 1e-3) == Status::invalid_input);  // the pieces are unknown
  const Model<double> free = model.with_enforced({});
  StepDerivatives<Model<double>> of_free(free);
  VariationalIntegrator resting(model);
  resting.reset({VectorXd::Zero(1), VectorXd::Constant(1, -1), 0});
  REQUIRE(resting.step({}, 1e-3));
  CHECK(of_free.linearize(resting) == Status::invalid_input);
  const Model<double> touching = model.with_enforced({.contact = true});
  const std::string contact = test::refusal<ModelError>([&] { return StepDerivatives<Model<double>>(touching); });
  CHECK(test::missing(contact, {"StepDerivatives", "enforced contact"}).empty());
}

}  // namespace step_derivatives_bounds_test
