// SPDX-License-Identifier: BSD-3-Clause
// Limits, dry friction, contacts, rolling, and their springs and dampers, in single precision: laws, and runs that follow those in double.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/step_derivatives.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/simulation/rollout_gradient.hpp"
#include "actio/simulation/rollouts.hpp"
#include "support/bounded_models.hpp"
#include "support/box_at_rest.hpp"
#include "support/contact_models.hpp"
#include "integrators/single_precision/compiled.hpp"
#include "support/integrator_laws.hpp"

namespace bounds_test {

using namespace actio;
using namespace actio::test;
using Single = Model<float>;

struct InJoints {
  template <Scalar S>
  using Of = VariationalIntegrator<Model<S>>;
};
struct InBodies {
  template <Scalar S>
  using Of = MaximalIntegrator<Model<S>>;
};

const Vector3<double> brick(0.4, 0.3, 0.2);

State<float> rounded(const State<double>& x) { return {x.q.cast<float>(), x.v.cast<float>(), 0.F}; }
template <class S>
PlaneContacts<S> rigid_ground(S friction, S restitution = S(0)) {
  ContactMaterial<S> material;
  material.friction = friction;
  material.restitution = restitution;
  return under_corners(material);
}
template <class S>
PlaneContacts<S> springs_under(S K, S C, S friction) {
  return under_corners(ContactMaterial<S>{Compliance<S>{K, C}, friction});
}

/// Steps in both precisions.  @returns the largest difference of an entry of q at the end.
template <class Exact, class Rounded>
double apart(Exact& exact, Rounded& in_float, const State<double>& start, double h, int steps) {
  exact.reset(start);
  in_float.reset(rounded(start));
  for (int k = 0; k < steps; ++k) {
    CAPTURE(k);
    REQUIRE(exact.step({}, h));
    REQUIRE(describe(in_float.step({}, static_cast<float>(h)).status) == describe(Status::converged));
  }
  return (exact.configuration() - in_float.configuration().template cast<double>()).cwiseAbs().maxCoeff();
}
/// Steps on until the model lies still.
template <class I>
void check_comes_to_rest(I& integrator, float fastest) {
  for (int k = 0; k < 400; ++k) REQUIRE(integrator.step({}, 0.005F));
  State<float> end = rest_state(integrator.model());
  REQUIRE(integrator.read(end) == Status::converged);
  CHECK(end.v.norm() < fastest);
}

TEMPLATE_TEST_CASE("single precision: the laws of an integrator hold with limits and dry friction", "[integrators][long]", InJoints, InBodies) {
  using I = typename TestType::template Of<float>;
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  const Single model = cast<float>(chain);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v.setConstant(-1);
  check_integrator_laws(I(model), rounded(start), 0.005F);
  check_integrator_laws(I(model, {.reversals = Reversals::located}), rounded(start), 0.005F);
  check_integrator_laws(I(model, {.limit = {1e3F, 1}}), rounded(start), 0.005F);
}

TEMPLATE_TEST_CASE("single precision: a run with limits and dry friction follows that in double", "[integrators][long]", InJoints, InBodies) {
  models::Random random(7);
  const Model<double> model = random_bounded_chain(random, 5);
  const Single in_float = cast<float>(model);
  typename TestType::template Of<double> exact(model);
  typename TestType::template Of<float> integrator(in_float);
  State<double> start = rest_state(model);
  start.v.setConstant(1);
  CHECK(apart(exact, integrator, start, 0.005, 100) < 1e-3);  // impacts double rounding errors of 1e-7 now and then
}

TEMPLATE_TEST_CASE("single precision: reversals are located", "[integrators][long]", InJoints, InBodies) {
  const Single model = cast<float>(sliders({1}, {.stiffness = 100, .friction = 4.5}));
  typename TestType::template Of<float> integrator(model, {.reversals = Reversals::located});
  integrator.reset({VectorX<float>::Constant(1, 1.F), VectorX<float>::Zero(1), 0.F});
  int reversals = 0;
  for (int k = 0; k < 360; ++k) {
    const StepResult<float> result = integrator.step({}, 0.01F);
    REQUIRE(result);
    reversals += result.reversals;
  }
  CHECK(reversals == 11);
  CHECK(std::abs(integrator.configuration()[0] - -0.01F) < 1e-3F);  // 1 - 0.09 a half period; rates vanish to 1e-4 of the largest
}

TEST_CASE("single precision: a coupling with a spring oscillates as it should", "[integrators][variational][long]") {
  ModelBuilder<double> builder("pair");
  builder.gravity({0, 0, 0});
  add_slider(builder, 0, 1, {1, 0, 0}, {});
  add_slider(builder, 1, 3, {1, 0, 0}, {});  // relative to the first
  builder.add_coupling("slide1", "slide0", 0, 0);
  const Single model = cast<float>(builder.build());
  VariationalIntegrator integrator(model, {.closure = {300, 0}});
  State<float> state = rest_state(model);
  state.q[1] = 0.1F;
  integrator.reset(state);
  for (int k = 0; k < 500; ++k) REQUIRE(integrator.step({}, 1e-3F));
  CHECK(std::abs(integrator.row_energy()) < 1.6F);
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(std::abs(state.q[1] - 0.1F * std::cos(20 * 0.5F)) < 1e-3F);  // sqrt(300 / 0.75 kg)
  CHECK(integrator.step({}, -1e-3F).status == Status::invalid_step);
}

TEST_CASE("single precision: rigid contact, with impacts too", "[integrators][variational][long]") {
  const Model<double> model = free_box(1, brick);
  const Single in_float = cast<float>(model);
  const State<double> start = falling_on_a_corner();
  check_integrator_laws(VariationalIntegrator(in_float, {}, rigid_ground(0.5F)), rounded(start), 0.005F);
  check_integrator_laws(MaximalIntegrator(in_float, {}, rigid_ground(0.5F)), rounded(start), 0.005F);
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    VariationalIntegrator integrator(in_float, {.impacts = mode}, rigid_ground(0.5F, 0.6F));
    check_integrator_laws(integrator, rounded(start), 0.005F);
    integrator.reset(rounded(start));
    int impacts = 0;
    for (int k = 0; k < 100; ++k) {
      const StepResult<float> result = integrator.step({}, 0.005F);
      REQUIRE(result);
      impacts += result.impacts;
    }
    CHECK(impacts > 0);
  }
  VariationalIntegrator exact(model, {}, rigid_ground(0.5));
  VariationalIntegrator integrator(in_float, {}, rigid_ground(0.5F));
  CHECK(apart(exact, integrator, start, 0.005, 40) < 2e-3);
  check_comes_to_rest(integrator, 1e-3F);
}

TEST_CASE("single precision: contacts with springs and power laws", "[integrators][variational][long]") {
  const Model<double> model = free_box(1, brick);
  const Single in_float = cast<float>(model);
  const State<double> start = falling_on_a_corner();
  VariationalIntegrator exact(model, {}, springs_under(1e4, 10., 0.5));
  VariationalIntegrator integrator(in_float, {}, springs_under(1e4F, 10.F, 0.5F));
  check_integrator_laws(integrator, rounded(start), 0.005F);
  CHECK(apart(exact, integrator, start, 0.005, 40) < 2e-3);
  check_comes_to_rest(integrator, 1e-2F);
  VariationalIntegrator exact_law(model, {}, under_corners(ContactMaterial<double>{PowerLaw<double>{1e5, 1.5, 0.3}, 0.5}));
  VariationalIntegrator law(in_float, {}, under_corners(ContactMaterial<float>{PowerLaw<float>{1e5F, 1.5F, 0.3F}, 0.5F}));
  CHECK(apart(exact_law, law, start, 0.005, 40) < 2e-3);
}

TEST_CASE("single precision: a step at rest on the ground has its derivative", "[integrators][variational][step_derivatives][long]") {
  check_box_at_rest(cast<float>(free_box(2, brick)), 1e-4F);
}

/// Returns the derivative of a step with springs of a limit, a loop and a contact, and with a servo.
template <class S>
MatrixX<S> soft_derivative() {
  const Model<double> driven = falling_parallelogram(-1e-3, 0.1).with_servos({{2, 0, 20, 0.5, 0.1, 100}});
  const Model<S> model = cast<S>(driven);
  const ContactMaterial<S> material{PowerLaw<S>{S(1e6), S(1.5F), S(0.1F)}, S(0.5F)};
  PlaneContacts<S> ground(material, Vector3<S>::UnitZ(), S(-0.4F));  // the tip of the second crank is 1 mm in it
  ground.add(2, Pose<S>::translation(S(0), S(0), S(-0.2F)), Sphere<S>{S(0.201F)});
  VariationalIntegrator<Model<S>, Drnea<Split>, Automatic, NoForce, PlaneContacts<S>> integrator(
      model, {.limit = {S(1e3F), S(1)}, .closure = {S(1e4F), S(1)}}, ground);
  integrator.reset(rest_state(model));
  for (int k = 0; k < 2; ++k) REQUIRE(integrator.step({}, S(2e-3F)));
  StepDerivatives derivatives(integrator);
  REQUIRE(describe(derivatives.linearize(integrator)) == describe(Status::converged));
  CHECK(derivatives.contact_pieces().size() == 1);
  CHECK(std::ranges::any_of(derivatives.pieces(), [](const HeldPiece& piece) { return piece.side != 0 && piece.in_position; }));
  MatrixX<S> A, B;
  derivatives.matrix(A, B);
  return A;
}

TEST_CASE("single precision: a step with springs and a servo has the derivative of that in double",
          "[integrators][variational][step_derivatives][long]") {
  const Eigen::MatrixXd exact = soft_derivative<double>();
  const double error = (soft_derivative<float>().cast<double>() - exact).norm() / exact.norm();
  CAPTURE(error);
  CHECK(error < 1e-4);  // 4e-6
}

/// Returns the gradient of the height and the motion along x of a box at the end of a run on springs, by the joint forces of all steps.
template <class S>
MatrixX<S> gradient_of_fall() {
  const Model<S> model = cast<S>(free_box(1, brick));
  const VariationalIntegrator integrator(model, {}, springs_under(S(2e3F), S(20), S(0.3F)));
  State<S> start = rest_state(model);
  start.q[2] = S(0.101F);
  start.v[3] = S(1);
  RolloutGradient gradient(integrator, {.segment = 8});
  const auto no_input = [](std::int64_t, Input<S>&) {};
  const auto weigh = [](std::int64_t k, const auto&, const auto&, VectorX<S>& w_q, VectorX<S>&) { w_q[3] += S(k == 40), w_q[5] += S(k == 40); };
  MatrixX<S> result(6, 40);
  REQUIRE(gradient.run(start, no_input, S(2e-3F), 40));
  REQUIRE(gradient.backward(no_input, weigh, [&](std::int64_t k, const VectorX<S>& w_begin, const VectorX<S>& w_end) {
    result.col(k) = w_begin + w_end;
  }) == Status::converged);
  return result;
}

TEST_CASE("single precision: rollouts and their gradient follow those in double", "[simulation][rollouts][long]") {
  const Eigen::MatrixXd exact = gradient_of_fall<double>();
  const double error = (gradient_of_fall<float>().cast<double>() - exact).norm() / exact.norm();
  CAPTURE(error);
  CHECK(error < 1e-4);  // 1e-6

  const Model<double> model = free_box(1, brick);
  const Single in_float = cast<float>(model);
  const std::vector<State<double>> starts(3, falling_on_a_corner());
  const std::vector<State<float>> rounded_starts(3, rounded(falling_on_a_corner()));
  const auto expected = trajectories(VariationalIntegrator(model, {}, rigid_ground(0.5)), starts, Input<double>(), 0.005, Steps{40}, 10);
  const auto runs = trajectories(VariationalIntegrator(in_float, {}, rigid_ground(0.5F)), rounded_starts, Input<float>(), 0.005F, Steps{40}, 10);
  REQUIRE(runs.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    REQUIRE(runs[k].q.cols() == 5);
    CHECK((runs[k].q.cast<double>() - expected[k].q).cwiseAbs().maxCoeff() < 1e-4);  // 2e-7
  }
}

/// A frame on two wheels and a blade, on a free base. The bearing of one wheel rubs.
Model<double> cart() {
  ModelBuilder<double> builder("cart");
  builder.add_body("frame", Inertia<double>{10, {-0.1, 0, 0}, Vector3<double>(0.5, 1, 1.2).asDiagonal()});
  builder.add_joint("base", "world", "frame", Pose<double>::identity(), Free<double>());
  for (const double side : {-0.5, 0.5}) {
    const std::string name = side < 0 ? "right" : "left";
    builder.add_body(name, {1.5, Vector3<double>::Zero(), Vector3<double>(0.015, 0.03, 0.015).asDiagonal()});
    builder.add_joint(name, "frame", name, Pose<double>::translation(0, side, 0), Revolute<double>({0, 1, 0}), {.friction = side < 0 ? 0.4 : 0});
    builder.add_nonholonomic({.name = name, .type = Rolling<double>{.radius = 0.2, .axle = Vector3<double>::UnitY()}}, name);
  }
  builder.add_body("fork", {0.6, {0.05, 0, 0}, Vector3<double>(0.01, 0.02, 0.03).asDiagonal()});
  builder.add_joint("steering", "frame", "fork", Pose<double>::translation(-0.8, 0, 0), Revolute<double>({0, 0, 1}), {.lower = -0.4, .upper = 0.4});
  builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{}}, "fork");
  return builder.build().with_enforced({.limits = true, .friction = true});
}

TEST_CASE("single precision: a vehicle that rolls follows that in double, up to its steering's limit and on a runner",
          "[integrators][maximal][long]") {
  const Model<double> model = cart();
  const Single in_float = cast<float>(model);
  State<double> start = rest_state(model);
  start.q[2] = 0.2;                                        // the radius of the wheels
  start.v[3] = 2, start.v.segment<2>(6).setConstant(10);  // along its x axis
  start.v[8] = 2;                                          // the steering turns
  ContactMaterial<double> material;
  material.friction = 0.3;
  ContactMaterial<float> material_in_float;
  material_in_float.friction = 0.3F;
  PlaneContacts<double> ground(material);
  PlaneContacts<float> ground_in_float(material_in_float);
  ground.add(1, Pose<double>::translation(-0.8, 0, -0.15), Sphere<double>{0.05});  // a runner at its rear
  ground_in_float.add(1, Pose<float>::translation(-0.8F, 0.F, -0.15F), Sphere<float>{0.05F});
  MaximalIntegrator exact(model, {}, ground);
  MaximalIntegrator integrator(in_float, {}, ground_in_float);
  const double off = apart(exact, integrator, start, 0.01, 100);
  CAPTURE(off, exact.configuration());
  CHECK(exact.contacts().size() == 1);
  CHECK(std::abs(exact.configuration()[9]) > 0.399);
  CHECK(exact.configuration()[0] > 0.5);
  CHECK(off < 3e-5);  // 2e-6
}

}  // namespace bounds_test
