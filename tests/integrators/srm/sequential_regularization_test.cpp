// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularisation in joint coordinates: the laws of an integrator; its motions are compared in
// sequential_regularization_motion_test.cpp.
#include "actio/integrators/sequential_regularization.hpp"

#include <cmath>

#include "actio/integrators/runge_kutta.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace sequential_regularization_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;
using Srm = SequentialRegularization<Model<double>>;
static_assert(Integrator<Srm> && Integrator<SequentialRegularization<Model<float>, RungeKutta4>>);
static_assert(LoopForces<PenaltyForces<double>, JointLoops<Model<double>>>);  // it can integrate any tree

State<double> at_rest(const Model<double>& model, const VectorXd& q) { return {q, VectorXd::Zero(model.nv()), 0}; }

template <Integrator I>
VectorXd end_of(I integrator, const State<double>& start, double duration, double h) {
  integrator.reset(start);
  for (int k = 0; k < std::lround(duration / h); ++k) REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
  return integrator.configuration();
}
/// Two wheels, the second driven by the first.
Model<double> geared() {
  ModelBuilder<double> builder("geared");
  builder.add_body("a", Inertia<double>::box(1, {1, 1, 1})).add_body("b", Inertia<double>::box(1, {1, 1, 1}));
  builder.add_joint("ja", "world", "a", Pose<double>::identity(), Revolute<double>({0, 1, 0}), {.damping = 0.1});
  builder.add_joint("jb", "a", "b", Pose<double>::translation(0, 0, -1), Helical<double>({0, 1, 0}, 0.1));
  return builder.add_coupling("jb", "ja", -2, 0.1).build();
}

TEST_CASE("srm: it obeys the laws of an integrator", "[integrators][srm][fast]") {
  const Model<double> tree = models::random_tree(5, 8, {.damping = true, .springs = true, .armature = true});
  test::check_integrator_laws(Srm(tree), {models::random_configuration(tree, 5), models::random_velocity(tree, 6), 0.5}, 1e-3);
  const Model<double> bars = models::four_bars(2), gears = geared();
  test::check_integrator_laws(Srm(bars), rest_state(bars), 2e-3);
  test::check_integrator_laws(SequentialRegularization<Model<double>, RungeKutta4>(bars, {.iterations = 3, .epsilon = 5e-3}),
                              rest_state(bars), 2e-3);
  test::check_integrator_laws(Srm(gears), at_rest(gears, VectorXd{{0.3, -0.5}}), 2e-3);
  const Model<double> net = models::square_net(1);
  test::check_integrator_laws(Srm(net), at_rest(net, models::leaning(net, 0.5)), 2e-3);
}

TEST_CASE("srm: without loops it equals the underlying Runge-Kutta method", "[integrators][srm][fast]") {
  const Model<double> tree = models::random_tree(7, 8, {.damping = true, .springs = true});
  const State<double> start{models::random_configuration(tree, 5), models::random_velocity(tree, 6), 0};
  CHECK(end_of(SequentialRegularization<Model<double>, Heun>(tree), start, 0.05, 1e-3) ==
        end_of(RungeKutta<Model<double>, Heun>(tree), start, 0.05, 1e-3));
}

TEST_CASE("srm: a singular pose is passed", "[integrators][srm][fast]") {
  const Model<double> chain = models::square_chain(3);
  Srm integrator(chain);
  integrator.reset(rest_state(chain));
  for (int k = 0; k < 800; ++k) REQUIRE(integrator.step({}, 2.5e-3));  // the squares become flat, with rods in line, again and again
  CHECK(integrator.copies()[0].q.cwiseAbs().maxCoeff() < 100);
}

TEST_CASE("srm: open loops are closed", "[integrators][srm][fast]") {
  const Model<double> bars = models::four_bars(1).with_gravity(Vector3<double>::Zero());
  JointLoops<Model<double>> loops(bars);
  State<double> state = at_rest(bars, (VectorXd(3) << 0.05, -0.03, 0.04).finished());
  Culprit culprit;
  REQUIRE(loops.place(state, culprit) == Status::converged);
  const double open = loops.gap().norm();
  Srm integrator(bars);
  integrator.reset(state);
  for (int k = 0; k < 500; ++k) REQUIRE(integrator.step({}, 1e-3));
  REQUIRE(integrator.read(state) == Status::converged);
  REQUIRE(loops.place(state, culprit) == Status::converged);
  CHECK(open > 0.01);
  CHECK(loops.gap().norm() < 0.02 * open);  // exp(-5) and the drift in the meantime
}

TEST_CASE("srm: failures are named and change nothing", "[integrators][srm][fast]") {
  const Model<double> bars = models::four_bars(3);
  Srm unstable(bars, {.epsilon = 1e-5});
  unstable.reset(rest_state(bars));
  StepResult<double> result;
  State<double> before = rest_state(bars), after = before;
  for (int k = 0; k < 10000 && result; ++k) {
    REQUIRE(unstable.read(before) == Status::converged);
    result = unstable.step({}, 5e-3);
  }
  CHECK(describe(result.status) == describe(Status::not_finite));
  CHECK(result.culprit.kind == Culprit::Kind::loop);
  CHECK(result.culprit.index < 3);
  REQUIRE(unstable.read(after) == Status::converged);
  CHECK(test::equal_bits(before, after));

  const auto gives_up = [](double, const ConstVectorRef<double>&, const ConstVectorRef<double>&, VectorRef<double>) noexcept {
    return false;
  };
  const SequentialRegularization refused(bars, {}, gives_up);
  test::check_failing_step(refused, rest_state(bars), Input<double>(), 1e-3, Status::callback_failed);

  ModelBuilder<double> builder("slack");  // a rope whose ends coincide has no direction
  builder.add_body("a", Inertia<double>::box(1, {1, 1, 1})).add_body("b", Inertia<double>::box(1, {1, 1, 1}));
  builder.add_joint("ja", "world", "a", Pose<double>::identity(), Free<double>());
  builder.add_joint("jb", "world", "b", Pose<double>::identity(), Free<double>());
  builder.add_loop({.name = "held", .T_A = Pose<double>::translation(1, 0, 0), .T_B = Pose<double>::translation(1, 0, 0)}, "world", "a");
  builder.add_loop({.name = "rope", .type = LoopType::distance, .length = 1}, "world", "b");
  const Model<double> slack = builder.build();
  test::check_failing_step(Srm(slack), rest_state(slack), Input<double>(), 1e-3, Status::singular);
  Srm failing(slack);
  const StepResult<double> failed = failing.step({}, 1e-3);
  CHECK(failed.culprit == Culprit::loop(1));
  CHECK(describe(slack, failed) == "at loop 'rope': " + std::string(describe(Status::singular)));
}

TEST_CASE("srm: unsupported models and options are refused by name", "[integrators][srm][fast]") {
  ModelBuilder<double> builder("thin");
  builder.add_body("a", Inertia<double>::rod(1, 1, {0, 0, 1})).add_body("b", Inertia<double>::box(1, {1, 1, 1}));
  builder.add_joint("ja", "world", "a", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("jb", "a", "b", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  const Model<double> open = builder.build();
  CHECK_NOTHROW(Srm(open));
  const Model<double> closed = builder.add_loop({.name = "ring"}, "a", "world").build();
  CHECK_THROWS_WITH(Srm(closed), test::contains("'a'") && test::contains("loop 'ring'"));
  const Model<double> thick = closed.with_inertia(1, Inertia<double>::box(1, {1, 1, 1})), touched = closed.with_enforced({.contact = true});
  CHECK_NOTHROW(Srm(thick));
  const Model<double> bars = models::four_bars(1);
  CHECK_THROWS_AS(Srm(bars, {.iterations = 0}), OptionsError);
  CHECK_THROWS_AS(Srm(bars, {.lambda_0 = VectorXd::Zero(1)}), OptionsError);
  CHECK_THROWS_WITH(Srm(touched), test::contains("contact"));
}

}  // namespace sequential_regularization_test
