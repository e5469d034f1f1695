// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step with closed loops and couplings: against differences of steps, its transpose, the rows that it satisfies, and
// the symplectic structure on closed configurations.
#include "actio/integrators/step_derivatives.hpp"

#include "actio/model/builder.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/closed_step_point.hpp"
#include "support/mechanisms.hpp"
#include "support/redundant_loops.hpp"
#include "support/step_products.hpp"

namespace step_derivatives_loops_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::allowed_variations;
using test::closed_point;
using test::rows_at;
using test::StepPoint;

/// Largest errors, relative: of the tangent product against differences of steps, of the adjoint identity, of the matrices against the
/// products, and of the rows at the end of the step.
struct Errors {
  double difference, adjoint, matrices, rows;
  double condition;  ///< of G G^T at the end of the step, without redundant rows
};
/// Returns the condition of G G^T.  @param G (rows x nv).
double condition(const MatrixXd& G) {
  const VectorXd values = Eigen::JacobiSVD<MatrixXd>(G).singularValues();
  double smallest = values[0];
  for (const double value : values) {
    if (value > 1e-9 * values[0]) smallest = value;
  }
  return std::pow(values[0] / smallest, 2);
}

template <class Kind>
Errors errors(const Model<double>& model, const StepPoint& at, double e, const BodyArray<Vector6<double>>& wrenches = {}) {
  test::StepMap<double, Kind, Model<double>, Automatic> step(model, at.springs);
  step(at, 0, wrenches);
  StepDerivatives derivatives(step.integrator());
  test::StepProducts products(model);
  REQUIRE(products.linearize(derivatives, step.integrator(), step.input, at) == Status::converged);
  const VectorXd expected = test::differenced_step<Kind, Automatic>(model, at, wrenches, e), dq1 = products.out.head(model.nv());
  const MatrixXd G1 = rows_at(model, step.q());
  return {(products.out - expected).norm() / expected.norm(), products.adjoint_error(at), products.matrix_error(at),
          (G1 * dq1).norm() / (G1.norm() * dq1.norm()), condition(G1)};
}
/// @param products their errors with rows that are nearly orthogonal. Rounding errors grow with the condition, by more or less according to
/// which of redundant rows are dropped: seed 6 of the first test, with a condition of 1e4, has 2e-13 with some and 6e-12 with others, whose
/// pivots differ by rounding.
void check(const Errors& e, double difference = 1e-7, double products = 1e-12) {
  products += 10 * epsilon<double> * e.condition;
  CHECK(e.difference < difference);
  CHECK(e.adjoint < products);
  CHECK(e.matrices < 10 * products);
  CHECK(e.rows < 1e-11);
}

TEMPLATE_TEST_CASE("step derivatives: loops of all types and couplings on joints of all types, redundant ones included",
                   "[integrators][variational][step_derivatives][long]", Split, Quat) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 36; ++seed) {
    const test::Tangled tangled =
        test::tangled_tree(seed, 8, 2, seed % 4 == 0 ? 2 : 1, {.damping = true, .springs = true, .armature = true});
    CAPTURE(seed, tangled.model.nv(), tangled.model.couplings().size());
    const StepPoint at = closed_point(tangled.model, tangled.q, seed, 2e-3);
    moved += at.dq.norm() > 1e-3;
    const Errors e = errors<TestType>(tangled.model, at, 3e-3);
    check(e);
  }
  CHECK(moved > 20);  // the others have more rows than degrees of freedom
}

/// The same for the last of several steps of an integrator: the derivative is that of its own step.
Errors errors_after(const Model<double>& model, const State<double>& start, double h, int steps, double e = 3e-3) {
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset(start);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, h));
  StepPoint at = closed_point(model, integrator.configuration(), 3, h);
  at.p = integrator.momentum();
  at.tau0.setZero();
  at.tau1.setZero();
  REQUIRE(integrator.step({}, h));
  StepDerivatives derivatives(integrator);
  REQUIRE(derivatives.linearize(integrator) == Status::converged);
  const Eigen::Index n = model.nv();
  VectorXd out(2 * n);
  derivatives.tangent(at.dq, at.dp, at.dtau0, at.dtau1, out.head(n), out.tail(n));
  const VectorXd expected = test::differenced_step<Split, Automatic>(model, at, {}, e);
  Errors all = errors<Split>(model, at, e);
  all.difference = std::max(all.difference, (out - expected).norm() / expected.norm());
  return all;
}

TEST_CASE("step derivatives: mechanisms and a floating base with a loop, in motion", "[integrators][variational][step_derivatives][long]") {
  for (const test::Mechanism& one : test::mechanisms(test::attitudes(1)[0])) {
    CAPTURE(one.model.name());
    check(errors_after(one.model, one.start, 2e-3, 40));
  }
  const Model<double> floating = test::floating_four_bar();
  check(errors_after(floating, {floating.neutral(), models::random_velocity(floating, 2), 0}, 5e-3, 40));
}

TEST_CASE("step derivatives: a loop that has rotated by more than half a revolution",
          "[integrators][variational][step_derivatives][long]") {
  ModelBuilder<double> builder("spinner");
  builder.add_body("crank", Inertia<double>::box(1, {0.1, 1, 0.2}).seen_from_parent(Pose<double>::translation(0, 0.5, 0)));
  builder.add_body("rotor", Inertia<double>::box(1, {0.4, 0.3, 0.2}).seen_from_parent(Pose<double>::translation(0.1, 0.05, 0.02)));
  builder.add_joint("hinge", "world", "crank", Pose<double>::identity(), Revolute<double>(Vector3<double>::UnitX()));
  builder.add_joint("floats", "world", "rotor", Pose<double>::translation(0, 1, 0), Free<double>());
  Loop<double> loop;
  loop.name = "bearing";
  loop.type = LoopType::revolute;
  loop.axis = Vector3<double>(0.6, 0, 0.8);
  loop.T_A.p = {0, 1, 0};
  const Model<double> model = builder.add_loop(loop, "crank", "rotor").build();
  State<double> start = rest_state(model);
  start.v << 0.5, 6.0, 0, 8.0, 0, 0, 0;  // reset projects it: the rotor spins at about 10 rad/s
  VariationalIntegrator integrator(model);
  integrator.reset(start);
  for (int k = 0; k < 90; ++k) REQUIRE(integrator.step({}, 5e-3));
  const Quaternion<double> rotation = integrator.last_step().rotations[0];
  CHECK(rotation.w() < -0.1);  // its sign continues from that at the start
  check(errors_after(model, start, 5e-3, 90));
}

TEST_CASE("step derivatives: loops that are redundant in all configurations", "[integrators][variational][step_derivatives][long]") {
  const auto after = [](const test::RedundantLoops& loops, std::uint64_t seed) {
    return errors_after(loops.model, {loops.q, models::random_velocity(loops.model, seed), 0}, 2e-3, 10);
  };
  for (const test::RedundantLoops& loops : {test::tilted_four_bars(2), test::bricard(), test::ring_with_two_closures()}) {
    CAPTURE(loops.model.name());
    check(after(loops, 3));
  }
  // From 50 starts of ladders of 3 and 4 rungs, products differed by 2.0e-11 and 4.7e-11 at most, half of them by more than 2e-12: the rounding of
  // pivots that redundant rows leave. In another order of elimination it was 1.4e-11 and 4.4e-11.
  for (const std::uint64_t seed : {3, 4, 5, 6}) {
    CAPTURE(seed);
    check(after(test::redundant_ladder(3, true), seed), 1e-7, 4e-11);
  }
}

TEST_CASE("step derivatives: if rows are not redundant, configurations may also vary across them",
          "[integrators][variational][step_derivatives][long]") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const test::Tangled tangled = test::tangled_tree(seed, 6, 2, 1, {.damping = true, .springs = true});
    CAPTURE(seed);
    const MatrixXd G = rows_at(tangled.model, tangled.q);
    if (allowed_variations(tangled.model, tangled.q).cols() != tangled.model.nv() - G.rows()) continue;
    StepPoint at = closed_point(tangled.model, tangled.q, seed, 5e-3);
    at.dq = models::random_velocity(tangled.model, seed + 9);
    at.closes = false;
    check(errors<Split>(tangled.model, at, 2e-3));
    ++compared;
  }
  CHECK(compared > 5);
}

TEST_CASE("step derivatives: wrenches and springs at both ends are differentiated beside loops",
          "[integrators][variational][step_derivatives][long]") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const test::Tangled tangled = test::tangled_tree(seed, 6, 1, 1, {.damping = true, .springs = true});
    StepPoint at = closed_point(tangled.model, tangled.q, seed, 5e-3);
    at.springs = SpringRule::trapezoid;
    BodyArray<Vector6<double>> wrenches(tangled.model.num_bodies(), Vector6<double>::Zero());
    models::Random random(seed);
    for (Vector6<double>& wrench : wrenches) wrench = random.in_box<double, 6>(20);
    CAPTURE(seed);
    check(errors<Split>(tangled.model, at, 2e-3, wrenches));
  }
}

TEST_CASE("step derivatives: on closed configurations the step is symplectic", "[integrators][variational][step_derivatives][long]") {
  int checked = 0;
  for (const Model<double>& model : {models::four_bars(2), models::stewart_platform(Matrix3<double>::Identity(), 5000.)}) {
    CAPTURE(model.name());
    bool flat = true;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J&) { flat = flat && joints::is_flat<J>(); });
    }
    if (!flat) continue;
    const Eigen::Index n = model.nv();
    VariationalIntegrator integrator(model, {.tolerance = 0});
    integrator.reset({model.neutral(), models::random_velocity(model, 4), 0});
    for (int k = 0; k < 20; ++k) REQUIRE(integrator.step({}, 2e-3));
    const MatrixXd N = allowed_variations(model, integrator.configuration());
    REQUIRE(integrator.step({}, 2e-3));
    StepDerivatives derivatives(integrator);
    REQUIRE(derivatives.linearize(integrator) == Status::converged);
    MatrixXd A, B, form = MatrixXd::Zero(2 * n, 2 * n), along = MatrixXd::Zero(2 * n, N.cols() + n);
    derivatives.matrix(A, B);
    form.bottomLeftCorner(n, n).setIdentity();
    form.topRightCorner(n, n) = -MatrixXd::Identity(n, n);
    along.topLeftCorner(n, N.cols()) = N;
    along.bottomRightCorner(n, n).setIdentity();
    const MatrixXd before = along.transpose() * form * along, after = (A * along).transpose() * form * (A * along);
    CHECK((after - before).norm() < 1e-9 * before.norm());
    ++checked;
  }
  CHECK(checked > 0);
}

TEST_CASE("step derivatives: what has none with loops", "[integrators][variational][step_derivatives][long]") {
  const Model<double> model = models::four_bars(1);
  VariationalIntegrator integrator(model);
  StepDerivatives derivatives(integrator);
  CHECK(derivatives.linearize(integrator) == Status::invalid_step);
  const VectorXd q = model.neutral(), x = VectorXd::Zero(model.nv());
  CHECK(derivatives.linearize(q, x, 1e-3) == Status::invalid_input);  // the impulses of the loops are missing
  REQUIRE(integrator.step({}, 1e-3));
  CHECK(derivatives.linearize(integrator) == Status::converged);
  StepDerivatives kept = derivatives;  // keeps the linearisation
  MatrixXd A, B, A_kept, B_kept;
  derivatives.matrix(A, B);
  REQUIRE(integrator.step({}, 1e-3));
  CHECK(derivatives.linearize(integrator) == Status::converged);
  kept.matrix(A_kept, B_kept);
  CHECK(A == A_kept);
}

}  // namespace step_derivatives_loops_test
