// SPDX-License-Identifier: BSD-3-Clause
// Rigid contact in a variational step: the laws of an integrator, and what is refused.
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

PlaneContacts<double> bouncing(double restitution) {
  ContactMaterial<double> material;
  material.friction = 0.5;
  material.restitution = restitution;
  return under_corners(material);
}

TEST_CASE("variational contact: the laws of an integrator hold, with impacts too", "[integrators][variational][fast]") {
  const Model<double> model = free_box(1, brick);
  const State<double> start = falling_on_a_corner();
  check_integrator_laws(VariationalIntegrator(model, {}, bouncing(0.)), start, 0.005);
  for (const Impacts mode : {Impacts::located, Impacts::in_place}) {
    CAPTURE(static_cast<int>(mode));
    check_integrator_laws(VariationalIntegrator(model, {.impacts = mode}, bouncing(0.6)), start, 0.005);
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
