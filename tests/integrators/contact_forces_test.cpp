// SPDX-License-Identifier: BSD-3-Clause
// Forces of contacts in the world: Newton's second law for a free box, and what films show of them.
#include <limits>

#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/motion_recorder.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/contact_models.hpp"

namespace contact_forces_test {

using namespace actio;
using namespace actio::test;

const Vector3<double> brick(0.4, 0.3, 0.2);
const double mass = 2, g = 9.81;

/// Checks that the momentum of the box changes by the impulses of gravity and of the contacts.  @returns the number of steps with contact.
template <class I>
int check_impulses(I integrator, const State<double>& start, double h, int steps, double tolerance) {
  integrator.reset(start);
  State<double> state = start;
  int touching = 0;
  for (int k = 0; k < steps; ++k) {
    const Vector3<double> before = free_v(state).head(3);
    const StepResult<double> result = integrator.step({}, h);
    REQUIRE(result);
    REQUIRE(result.substeps == 1);  // forces are those of the last substep
    REQUIRE(integrator.read(state) == Status::converged);
    Vector3<double> force(0, 0, -mass * g);
    for (std::size_t c = 0; c < integrator.contacts().size(); ++c) {
      REQUIRE(integrator.contacts()[c].b == 1);
      force += integrator.contact_force(c);
    }
    touching += !integrator.contacts().empty();
    CAPTURE(k, force.transpose());
    CHECK((mass * (Vector3<double>(free_v(state).head(3)) - before) - h * force).norm() < tolerance);
  }
  return touching;
}

TEST_CASE("contact forces: the momentum of a box changes by their impulses", "[integrators][variational][maximal][compliant][fast]") {
  const Model<double> model = free_box(mass, brick);
  const State<double> tumbling = falling_on_a_corner();
  CHECK(check_impulses(VariationalIntegrator(model, {.tolerance = 0}, corners(brick, 0.5)), tumbling, 0.002, 300, 1e-11) > 100);
  CHECK(check_impulses(MaximalIntegrator(model, {.tolerance = 0}, corners(brick, 0.5)), tumbling, 0.002, 300, 1e-11) > 100);
  State<double> sliding = rest_state(model);
  sliding.q[2] = brick[2] / 2;
  sliding.v[3] = 2;  // without rotation, so that a first-order step is exact
  CHECK(check_impulses(CompliantIntegrator(model, {}, corners(brick, 0.3)), sliding, 0.002, 300, 1e-9) == 300);
  CHECK(check_impulses(CompliantIntegrator(model, {}, corners(brick, 0)), sliding, 0.002, 300, 1e-9) == 300);
}

TEST_CASE("contact forces: those of compliant contacts that are open are zero", "[integrators][compliant][fast]") {
  const Model<double> model = free_box(mass, brick);
  CompliantIntegrator integrator(model, {.contact_margin = 0.5}, corners(brick, 0.5));
  State<double> above = rest_state(model);
  above.q[2] = 0.3;
  integrator.reset(above);
  REQUIRE(integrator.step({}, 1e-3));
  REQUIRE(integrator.contacts().size() == 8);
  for (std::size_t c = 0; c < 8; ++c) CHECK(integrator.contact_force(c) == Vector3<double>::Zero());
}

TEST_CASE("contact forces: a film has those of each frame", "[integrators][variational][film][fast]") {
  const Model<double> model = free_box(mass, brick);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.5));
  State<double> start = rest_state(model);
  start.q[2] = brick[2] / 2 + 0.01;
  integrator.reset(start);
  MotionRecorder film(std::numeric_limits<double>::infinity());
  REQUIRE(simulate(integrator, 0.01, Steps{50}, film));
  const Motion& motion = film.motion();
  REQUIRE(motion.contacts.size() == 51);
  CHECK(motion.contacts.front().empty());
  CHECK(motion.contacts[2].empty());
  REQUIRE(motion.contacts.back().size() == 4);
  double weight = 0;
  for (const ContactArrow& contact : motion.contacts.back()) {
    weight += contact.force[2];
    CHECK(std::abs(contact.p[2]) < 1e-9);
    CHECK(std::abs(std::abs(contact.p[0]) - brick[0] / 2) < 1e-9);
  }
  CHECK(std::abs(weight - mass * g) < 1e-8);
  VariationalIntegrator free(model);
  MotionRecorder without;
  REQUIRE(simulate(free, 0.01, Steps{5}, without));
  CHECK(without.motion().contacts.empty());
}

}  // namespace contact_forces_test
