// SPDX-License-Identifier: BSD-3-Clause
// Rigid contact in a variational step: the laws of an integrator, float, and what is refused.
#include <algorithm>
#include <string>

#include "actio/contacts/foundation.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "support/any_contacts.hpp"
#include "support/bounded_models.hpp"
#include "support/box_at_rest.hpp"
#include "support/contact_models.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace variational_contact_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

const Vector3<double> brick(0.4, 0.3, 0.2);

template <class S>
PlaneContacts<S> bouncing(S restitution) {
  ContactMaterial<S> material;
  material.friction = S(0.5);
  material.restitution = restitution;
  return under_corners(material);
}

TEST_CASE("variational contact: the laws of an integrator hold, in float and with impacts too", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  const Model<float> in_float = cast<float>(model);
  const State<double> start = falling_on_a_corner();
  const State<float> start_in_float{start.q.cast<float>(), start.v.cast<float>(), 0.F};
  check_integrator_laws(VariationalIntegrator(model, {}, bouncing(0.)), start, 0.005);
  check_integrator_laws(VariationalIntegrator(in_float, {}, bouncing(0.F)), start_in_float, 0.005F);
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    check_integrator_laws(VariationalIntegrator(model, {.impacts = mode}, bouncing(0.6)), start, 0.005);
    VariationalIntegrator integrator(in_float, {.impacts = mode}, bouncing(0.6F));
    check_integrator_laws(integrator, start_in_float, 0.005F);
    integrator.reset(start_in_float);
    int impacts = 0;
    for (int k = 0; k < 100; ++k) {
      const StepResult<float> result = integrator.step({}, 0.005F);
      REQUIRE(result);
      impacts += result.impacts;
    }
    CHECK(impacts > 0);
  }
}

TEST_CASE("variational contact: steps have a certificate of Coulomb's law", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  VariationalIntegrator integrator(model, {}, bouncing(0.));
  integrator.reset(falling_on_a_corner());
  CHECK(integrator.certificate().worst() == 0);  // nothing was solved yet
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    REQUIRE(integrator.step({}, 0.005));
    worst = std::max(worst, integrator.certificate().worst());
  }
  CHECK(worst > 0);
  CHECK(worst < 1e-12);
}

TEST_CASE("variational contact: steps that fail change nothing", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  State<double> start = falling_on_a_corner();
  start.q.segment(3, 4) << 0, 0, 0, 1;
  start.q[2] = 0.1;
  start.v.setZero();
  check_failing_step(VariationalIntegrator(model, {.contact_capacity = 3}, corners(brick, 0.5)), start, {}, 0.01, Status::capacity);
  struct Failing {
    void find(const BodyArray<Pose<double>>& T_WB, const double&, ContactList<double>& found) const noexcept {
      if (T_WB[1].p[2] < 0.12) found.fail();
    }
  };
  start.q[2] = 0.125;
  start.v[5] = -1;
  check_failing_step(VariationalIntegrator(model, {}, AnyContacts(Failing())), start, {}, 0.01, Status::callback_failed);
  struct Sticky {  // says nothing about its material
    ContactMaterial<double> material{Compliance<double>{}, 0.5, 10, 10};
    void find(const BodyArray<Pose<double>>& T_WB, const double&, ContactList<double>& found) const noexcept {
      found.add({0, 1, T_WB[1].p, Vector3<double>::UnitZ(), T_WB[1].p[2], 0, &material});
    }
  };
  check_failing_step(VariationalIntegrator(model, {}, AnyContacts(Sticky())), start, {}, 0.01, Status::callback_failed);
  VariationalIntegrator impatient(model, {.max_iterations = 1, .max_halvings = 0}, corners(brick, 0.5));
  start.v.head(3) << 3, 20, 5;
  check_failing_step(impatient, start, {}, 0.03, Status::max_iterations);
}

TEST_CASE("variational contact: what it cannot do is refused by name", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  PlaneContacts<double> sticky(ContactMaterial<double>{Compliance<double>{}, 0.5, 10, 10});
  const ContactSources source(sticky.add(1, Pose<double>::identity(), Box<double>{brick}));
  CHECK(refusal<OptionsError>([&] { return VariationalIntegrator(model, {}, source); }).find("use compliant") != std::string::npos);
  CHECK_THROWS_AS((VariationalIntegrator(model, {}, corners(brick, 0.5, 7))), ModelError);
  CHECK_THROWS_AS((VariationalIntegrator(model, {.contact_margin = -1}, corners(brick, 0.5))), OptionsError);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.5));
  CHECK(describe(integrator.step({}, -0.01).status) == describe(Status::invalid_step));
}

TEST_CASE("variational contact: a source whose contacts stay open changes nothing", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  State<double> start = falling_on_a_corner();
  start.q[2] = 1.2;
  check_open_contacts(VariationalIntegrator(model, {}, corners(brick, 0.5)), VariationalIntegrator(model), start);
}

TEST_CASE("variational contact: in float a step at rest has its derivative", "[integrators][variational][step_derivatives][fast]") {
  test::check_box_at_rest(cast<float>(test::free_box(2, {0.4, 0.3, 0.2})), 1e-4F);
}

/// Returns the derivative of a step with springs of a limit, a loop and a contact, and with a servo.
template <class S>
MatrixX<S> soft_derivative() {
  const Model<double> driven = test::falling_parallelogram(-1e-3, 0.1).with_servos({{2, 0, 20, 0.5, 0.1, 100}});
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

TEST_CASE("variational contact: in float a step with springs and a servo has the derivative of that in double",
          "[integrators][variational][step_derivatives][fast]") {
  const Eigen::MatrixXd exact = soft_derivative<double>();
  const double error = (soft_derivative<float>().cast<double>() - exact).norm() / exact.norm();
  CAPTURE(error);
  CHECK(error < 1e-4);  // 4e-6
}

TEST_CASE("variational contact: a run in float follows that in double", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  const Model<float> in_float = cast<float>(model);
  ContactMaterial<float> material;
  material.friction = 0.5F;
  PlaneContacts<float> ground(material);
  VariationalIntegrator exact(model, {}, corners(brick, 0.5));
  VariationalIntegrator rounded(in_float, {}, ground.add(1, Pose<float>::identity(), Box<float>{brick.cast<float>()}));
  exact.reset(falling_on_a_corner());
  rounded.reset({falling_on_a_corner().q.cast<float>(), falling_on_a_corner().v.cast<float>(), 0.F});
  for (int k = 0; k < 40; ++k) {
    REQUIRE(exact.step({}, 0.005));
    REQUIRE(rounded.step({}, 0.005F));
  }
  CHECK((exact.configuration() - rounded.configuration().cast<double>()).cwiseAbs().maxCoeff() < 2e-3);
  for (int k = 0; k < 400; ++k) REQUIRE(rounded.step({}, 0.005F));
  State<float> end = rest_state(in_float);
  REQUIRE(rounded.read(end) == Status::converged);
  CHECK(end.v.norm() < 1e-3F);
}

TEST_CASE("variational contact: a force field follows the options, contacts follow the force field", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  struct Wind {  // along the x axis of a box that is not rotated
    bool operator()(double, const ConstVectorRef<double>&, const ConstVectorRef<double>&, VectorRef<double> tau) noexcept {
      tau[3] += 8;
      return true;
    }
  };
  VectorXd q(7);
  q << 0, 0, brick[2] / 2, 1, 0, 0, 0;
  const double friction = 0.5, mass = model.inertia(1).mass, g = model.gravity().norm(), a = 8 / mass - friction * g, h = 0.01;
  REQUIRE(a > 0.1);
  VariationalIntegrator integrator(model, {.tolerance = 0}, Wind(), corners(brick, friction));
  integrator.reset(free_state(q, VectorXd::Zero(6)));
  State<double> end = rest_state(model);
  for (int k = 0; k < 30; ++k) REQUIRE(integrator.step({}, h));
  REQUIRE(integrator.read(end) == Status::converged);
  const double t = 30 * h;
  CHECK(std::abs(end.v[3] - a * t) < 1e-12);
  CHECK(std::abs(end.q[0] - a * t * t / 2) < 1e-12);
  CHECK(std::abs(end.q[2] - q[2]) < 1e-12);
}

}  // namespace variational_contact_laws_test
